"""Whether the types of an expression fit: every misfit as a sentence with its remedy."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches

from django.utils.translation import gettext as _

from activities.expressions import tree
from activities.expressions.tree import MACROS, Node, path_of
from activities.expressions.types import (
    ANY,
    BOOL,
    DOUBLE,
    DURATION,
    INT,
    NULL,
    OTHER,
    TEXT,
    TIMESTAMP,
    Type,
    list_of,
    object_of,
)

_ORDERED = ("<", "<=", ">", ">=")
_FUNCTIONS = {
    "size": INT,
    "double": DOUBLE,
    "int": INT,
    "uint": INT,
    "string": TEXT,
    "bool": BOOL,
    "timestamp": TIMESTAMP,
    "duration": DURATION,
    "type": OTHER,
    "dyn": ANY,
    "has": BOOL,
}
_METHODS = {
    "size": INT,
    "contains": BOOL,
    "startsWith": BOOL,
    "endsWith": BOOL,
    "matches": BOOL,
    "getFullYear": INT,
    "getMonth": INT,
    "getDate": INT,
    "getDayOfMonth": INT,
    "getDayOfWeek": INT,
    "getDayOfYear": INT,
    "getHours": INT,
    "getMinutes": INT,
    "getSeconds": INT,
}


def misfits(node: Node, scope: Mapping[str, Type]) -> list[str]:
    """Return every reason why the expression does not fit `scope`, or gives no yes or no; each once."""
    reader = _Reader(scope)
    given = reader.type_of(node)
    if given.kind not in ("bool", "any"):
        reader.say(_("A condition gives yes or no; this gives %(type)s.") % {"type": _called(given)})
    return list(dict.fromkeys(reader.found))


class _Reader:
    def __init__(self, scope: Mapping[str, Type]) -> None:
        self.scope = dict(scope)
        self.found: list[str] = []

    def say(self, sentence: str) -> Type:
        """Keep the sentence; go on as if anything could be there, so that one mistake is told once."""
        self.found.append(sentence)
        return ANY

    def type_of(self, node: Node) -> Type:
        match node:
            case tree.Literal():
                return _literal(node.value)
            case tree.Name():
                return self._name(node)
            case tree.Select():
                return self._select(node)
            case tree.Index():
                return self._index(node)
            case tree.Call():
                return self._call(node)
            case tree.Listing():
                items = [self.type_of(item) for item in node.items]
                return list_of(items[0] if items and items.count(items[0]) == len(items) else ANY)
            case tree.Mapping():
                return self._mapping(node)
            case tree.Unary():
                return self._unary(node)
            case tree.Binary():
                return self._binary(node)
            case tree.Choice():
                return self._choice(node)

    def _name(self, node: tree.Name) -> Type:
        if node.name in self.scope:
            return self.scope[node.name]
        return self.say(
            _("There is no “%(name)s” here. Write facts., inputs. or attempts.") % {"name": node.name}
        )

    def _select(self, node: tree.Select) -> Type:
        target = self.type_of(node.target)
        if target.kind == "any":
            return ANY
        if target.kind != "object":
            return self.say(
                _("“%(path)s” is %(type)s and has no field “%(field)s”.")
                % {"path": path_of(node.target), "type": _called(target), "field": node.field}
            )
        if node.field in target.fields:
            return target.fields[node.field]
        return self.say(_no_field(path_of(node.target), node.field, target))

    def _index(self, node: tree.Index) -> Type:
        target, index = self.type_of(node.target), self.type_of(node.index)
        if target.kind == "list" and index.kind in ("int", "any"):
            return target.item or ANY
        if target.kind == "object" and isinstance(node.index, tree.Literal):
            return self._select(tree.Select(node.target, str(node.index.value), node.at))
        if target.kind in ("any", "object"):
            return ANY
        return self.say(_("Only a list has numbered items; this is %(type)s.") % {"type": _called(target)})

    def _mapping(self, node: tree.Mapping) -> Type:
        fields = {}
        for key, value in node.entries:
            self.type_of(key)
            fields[str(getattr(key, "value", ""))] = self.type_of(value)
        return object_of(fields)

    def _unary(self, node: tree.Unary) -> Type:
        operand = self.type_of(node.operand)
        if node.operator == "!":
            return self._needs_bool("!", node.operand, operand)
        if operand.is_number or operand.kind == "any":
            return operand
        return self._not_a_number(node.operand, operand)

    def _choice(self, node: tree.Choice) -> Type:
        self._needs_bool("?", node.condition, self.type_of(node.condition))
        yes, no = self.type_of(node.yes), self.type_of(node.no)
        return yes if yes == no else ANY

    def _needs_bool(self, operator: str, node: Node, given: Type) -> Type:
        if given.kind not in ("bool", "any"):
            self.say(
                _("“%(operator)s” needs a yes or no; “%(what)s” is %(type)s.")
                % {"operator": operator, "what": path_of(node) or "…", "type": _called(given)}
            )
        return BOOL

    def _binary(self, node: tree.Binary) -> Type:
        left, right = self.type_of(node.left), self.type_of(node.right)
        if node.operator in ("&&", "||"):
            self._needs_bool(node.operator, node.left, left)
            return self._needs_bool(node.operator, node.right, right)
        if node.operator == "in":
            return self._contained(node, left, right)
        if node.operator in (*_ORDERED, "==", "!="):
            self._compared(node, left, right)
            return BOOL
        return self._computed(node, left, right)

    def _contained(self, node: tree.Binary, left: Type, right: Type) -> Type:
        if right.kind not in ("list", "object", "any"):
            self.say(_("After “in” comes a list; this is %(type)s.") % {"type": _called(right)})
        elif isinstance(node.right, tree.Listing):
            for item in node.right.items:
                self._compared(tree.Binary("==", node.left, item, node.at), left, self.type_of(item))
        elif right.item is not None and not _alike(left, right.item):
            self._never_equal(left, right.item)
        return BOOL

    def _compared(self, node: tree.Binary, left: Type, right: Type) -> None:
        if "any" in (left.kind, right.kind) or (
            "null" in (left.kind, right.kind) and node.operator in ("==", "!=")
        ):
            return
        for one, here, other, there in (
            (node.left, left, node.right, right),
            (node.right, right, node.left, left),
        ):
            # As texts, "9" is more than "10".
            if here.stands_for == "decimal" and (there.is_number or node.operator in _ORDERED):
                self.say(_decimal(one))
                return
            if here.stands_for == "choice" and isinstance(other, tree.Literal):
                self._known(one, here, other.value)
        if not _alike(left, right):
            self._never_equal(left, right)
        elif node.operator in _ORDERED and left.kind in ("bool", "list", "object", "null"):
            self.say(_("%(type)s cannot be more or less than another.") % {"type": _called(left)})

    def _known(self, node: Node, choice: Type, value: object) -> None:
        if isinstance(value, str) and value not in choice.values:
            self.say(
                _("“%(path)s” is never “%(value)s”. It is one of: %(values)s.")
                % {"path": path_of(node), "value": value, "values": ", ".join(choice.values)}
            )

    def _never_equal(self, left: Type, right: Type) -> None:
        self.say(
            _("%(left)s is compared with %(right)s: they never fit.")
            % {"left": _called(left), "right": _called(right)}
        )

    def _computed(self, node: tree.Binary, left: Type, right: Type) -> Type:
        if "any" in (left.kind, right.kind):
            return ANY
        for one, given in ((node.left, left), (node.right, right)):
            if given.stands_for == "decimal":
                return self.say(_decimal(one))
        if node.operator == "+" and left.kind == right.kind and left.kind in ("text", "list"):
            return left if left.kind == "list" else TEXT
        if left.kind in ("timestamp", "duration") or right.kind in ("timestamp", "duration"):
            return ANY
        for one, given in ((node.left, left), (node.right, right)):
            if not given.is_number:
                return self._not_a_number(one, given)
        if left.kind != right.kind:
            return self.say(_("A whole and a decimal number are not computed together: write double(…)."))
        return left

    def _not_a_number(self, node: Node, given: Type) -> Type:
        if given.stands_for == "decimal":
            return self.say(_decimal(node))
        return self.say(
            _("A number is needed; “%(what)s” is %(type)s.")
            % {"what": path_of(node) or "…", "type": _called(given)}
        )

    def _call(self, node: tree.Call) -> Type:
        if node.target is not None and node.function in MACROS:
            return self._loop(node, node.target)
        known = _FUNCTIONS if node.target is None else _METHODS
        if node.function not in known:
            return self.say(_("There is no function “%(name)s”.") % {"name": node.function})
        if node.function == "has":
            return self._has(node)
        given = [self.type_of(argument) for argument in node.arguments]
        if node.target is not None:
            given.insert(0, self.type_of(node.target))
        self._taken(node, given)
        return known[node.function]

    def _taken(self, node: tree.Call, given: list[Type]) -> None:
        """Check what a function is given."""
        first = given[0] if given else NULL
        wanted: Callable[[Type], bool] = {
            "size": lambda one: one.kind in ("text", "list", "object"),
            "contains": lambda one: one.kind == "text",
            "startsWith": lambda one: one.kind == "text",
            "endsWith": lambda one: one.kind == "text",
            "matches": lambda one: one.kind == "text",
            "double": lambda one: one.is_number or one.kind == "text",
        }.get(node.function, lambda one: True)
        if first.kind != "any" and not wanted(first):
            self.say(
                _("%(function)s does not take %(type)s.")
                % {"function": f"{node.function}()", "type": _called(first)}
            )

    def _has(self, node: tree.Call) -> Type:
        argument = node.arguments[0] if len(node.arguments) == 1 else None
        if not isinstance(argument, tree.Select):
            self.say(_("has() takes one path, such as has(facts.find)."))
        else:
            self.type_of(argument)
        return BOOL

    def _loop(self, node: tree.Call, over: Node) -> Type:
        target = self.type_of(over)
        if target.kind not in ("list", "any"):
            self.say(
                _("%(function)s goes through a list; “%(path)s” is %(type)s.")
                % {"function": f"{node.function}()", "path": path_of(over), "type": _called(target)}
            )
        if len(node.arguments) != 2 or not isinstance(node.arguments[0], tree.Name):
            return self.say(
                _("%(function)s takes a name and a condition.") % {"function": f"{node.function}()"}
            )
        given = self._inside(node.arguments[0].name, target.item or ANY, node.arguments[1])
        if node.function == "map":
            return list_of(given)
        self._needs_bool(f"{node.function}()", node.arguments[1], given)
        return target if node.function == "filter" else BOOL

    def _inside(self, name: str, item: Type, body: Node) -> Type:
        outer, self.scope = self.scope, {**self.scope, name: item}
        try:
            return self.type_of(body)
        finally:
            self.scope = outer


def _literal(value: object) -> Type:
    if value is None:
        return NULL
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, str):
        return TEXT
    return INT if isinstance(value, int) else DOUBLE if isinstance(value, float) else OTHER


def _alike(left: Type, right: Type) -> bool:
    if "any" in (left.kind, right.kind) or (left.is_number and right.is_number):
        return True
    return left.kind == right.kind


def _decimal(node: Node) -> str:
    path = path_of(node)
    sentence = _("“%(path)s” is a decimal number, which is stored as a text: write double(%(path)s).")
    return sentence % {"path": path or "…"}


def _no_field(path: str, field: str, target: Type) -> str:
    if path == "facts":
        return _("Its condition reads “%(key)s”, a fact no tool gives.") % {"key": field}
    if path == "inputs":
        sentence = _("There is no input “%(field)s”.") % {"field": field}
    else:
        sentence = _("“%(path)s” has no field “%(field)s”.") % {"path": path or "…", "field": field}
    close = get_close_matches(field, list(target.fields), 1)
    return f"{sentence} " + _("Did you mean “%(key)s”?") % {"key": close[0]} if close else sentence


def _called(given: Type) -> str:
    names = {
        "bool": _("a yes or no"),
        "int": _("a whole number"),
        "double": _("a number"),
        "text": _("a text"),
        "null": _("nothing"),
        "list": _("a list"),
        "object": _("a group of fields"),
        "timestamp": _("a moment"),
        "duration": _("a duration"),
    }
    return names.get(given.kind, given.kind)
