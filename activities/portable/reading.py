"""Reading a file that a person may have edited by hand. Bounded, and every problem says where it is.

Only the plain part of YAML is read: no anchors, no tags, no second document. A word is a text unless it is
true, false, null or a number.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import yaml
from django.utils.translation import gettext as _
from pydantic import BaseModel, ValidationError

from activities import blueprint as parts
from activities.blueprint import AgentBlueprint
from agentapp.kernel.errors import InvalidInput

MAX_BYTES = 4_000_000
MAX_DEPTH = 24
MAX_VALUES = 200_000
MAX_PROBLEMS = 50
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})")
_FLOAT = re.compile(r"[-+]?[0-9]+\.[0-9]*(?:[eE][-+]?[0-9]{1,3})?")
#: Control characters, halves of characters, and what makes a text read differently from what it says.
_UNREADABLE = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\ud800-\\udfff\\u202a-\\u202e]")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None, "~": None, "": None}

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class FileProblem:
    """One problem of a file: its line (from 1), its place, and what is wrong."""

    line: int
    place: str
    message: str

    def __str__(self) -> str:
        at = _("Line %(line)d") % {"line": self.line}
        return f"{at}, {self.place}: {self.message}" if self.place else f"{at}: {self.message}"


class UnreadableFile(InvalidInput):
    """The file is no revision. `data["problems"]` has a sentence for each problem, with line and place."""

    code = "unreadable_file"

    def __init__(self, found: list[FileProblem]) -> None:
        super().__init__(str(found[0]), problems=[str(each) for each in found])
        self.found = found


class _Refused(Exception):
    def __init__(self, line: int, path: Path, message: str) -> None:
        super().__init__(message)
        self.problem = FileProblem(line, "", message)
        self.path = path


def read(text: str | bytes) -> AgentBlueprint:
    """Return what a file says. Raises UnreadableFile."""
    source = _decoded(text)
    builder = _Builder(source)
    try:
        data = builder.build()
    except yaml.YAMLError as error:
        raise UnreadableFile([_syntax(error)]) from error
    except _Refused as error:
        line, message = error.problem.line, error.problem.message
        raise UnreadableFile([FileProblem(line, _place(error.path, None), message)]) from error
    try:
        return AgentBlueprint.model_validate(data)
    except ValidationError as error:
        raise UnreadableFile(list(_problems(error, data, builder.lines))) from error


def _decoded(text: str | bytes) -> str:
    size = len(text) if isinstance(text, bytes) else len(text.encode("utf-8", "replace"))
    if size > MAX_BYTES:
        sentence = _("The file is larger than %(limit)d kB.") % {"limit": MAX_BYTES // 1000}
        raise UnreadableFile([FileProblem(1, "", sentence)])
    if isinstance(text, str):
        return text
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = text[: error.start].count(b"\n") + 1
        raise UnreadableFile([FileProblem(line, "", _("This is not UTF-8 text."))]) from error


class _Builder:
    """Builds plain data from the parser's events, and keeps the line of every value."""

    def __init__(self, source: str) -> None:
        self.events: Iterator[yaml.Event] = yaml.parse(source, Loader=_LOADER)
        self.lines: dict[Path, int] = {(): 1}
        self.values = 0

    def build(self) -> Any:
        data: Any = None
        documents = 0
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise _Refused(_line(event), (), _("A file holds one agent; here a second one begins."))
            elif isinstance(event, yaml.NodeEvent):
                data = self._value(event, ())
        return data

    def _value(self, event: yaml.Event, path: Path) -> Any:
        self._admit(event, path)
        self.lines[path] = _line(event)
        match event:
            case yaml.ScalarEvent():
                return self._scalar(event, path)
            case yaml.SequenceStartEvent():
                return self._list(path)
            case yaml.MappingStartEvent():
                return self._object(path)
        raise _Refused(_line(event), path, _("This cannot be read."))

    def _admit(self, event: yaml.Event, path: Path) -> None:
        self.values += 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _Refused(_line(event), path, _("Anchors and aliases (& and *) are not read: write it out."))
        if _is_tagged(event):
            raise _Refused(_line(event), path, _("Tags (!) are not read: leave it out."))
        if len(path) > MAX_DEPTH:
            raise _Refused(_line(event), path[:4], _("This is nested too deeply."))
        if self.values > MAX_VALUES:
            raise _Refused(_line(event), path[:4], _("The file holds too many values."))

    def _list(self, path: Path) -> list[Any]:
        found: list[Any] = []
        for event in self.events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            found.append(self._value(event, (*path, len(found))))
        return found

    def _object(self, path: Path) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for event in self.events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            self._admit(event, path)
            if not isinstance(event, yaml.ScalarEvent):
                raise _Refused(_line(event), path, _("A key must be one word."))
            key = _clean(event, path)
            if key in found:
                raise _Refused(_line(event), path, _("“%(key)s” is given twice.") % {"key": key})
            found[key] = self._value(next(self.events), (*path, key))
            self.lines[(*path, key)] = _line(event)
        return found

    def _scalar(self, event: yaml.ScalarEvent, path: Path) -> Any:
        text = _clean(event, path)
        if not event.implicit[0]:  # quoted, or a block
            return text
        if text in _WORDS:
            return _WORDS[text]
        if _INTEGER.fullmatch(text):
            return int(text)
        return float(text) if _FLOAT.fullmatch(text) else text


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def _is_tagged(event: yaml.Event) -> bool:
    tag = getattr(event, "tag", None)
    return tag is not None


def _clean(event: yaml.ScalarEvent, path: Path) -> str:
    text = str(event.value)
    found = _UNREADABLE.search(text)
    if found:
        sentence = _("It holds a character that no text has: %(name)s.")
        raise _Refused(_line(event), path, sentence % {"name": f"U+{ord(found[0]):04X}"})
    return text


def _syntax(error: yaml.YAMLError) -> FileProblem:
    mark = getattr(error, "problem_mark", None)
    said = getattr(error, "problem", None) or getattr(error, "reason", None) or _("it is no YAML")
    sentence = _("This cannot be read: %(problem)s.") % {"problem": said}
    return FileProblem(mark.line + 1 if mark else 1, "", sentence)


def _problems(error: ValidationError, data: Any, lines: dict[Path, int]) -> Iterator[FileProblem]:
    for found in error.errors(include_url=False)[:MAX_PROBLEMS]:
        path = tuple(part for part in found["loc"] if part != "[key]")
        line = next(lines[path[:end]] for end in range(len(path), -1, -1) if path[:end] in lines)
        yield FileProblem(line, _place(path, data), _sentence(found))


def _place(path: Path, data: Any) -> str:
    """Return a path with the parts of lists by their names: `activities.find_invoices.steps.list.goal`."""
    words = []
    for part in path:
        data = _child(data, part)
        named = isinstance(part, int) and isinstance(data, dict)
        name = (
            next((data[key] for key in ("key", "name", "tool", "value") if key in data), "") if named else ""
        )
        words.append(
            name if isinstance(name, str) and name else f"{part + 1}" if isinstance(part, int) else part
        )
    return ".".join(words)


def _child(data: Any, part: str | int) -> Any:
    if isinstance(part, int):
        return data[part] if isinstance(data, list) and part < len(data) else None
    return data.get(part) if isinstance(data, dict) else None


def _sentence(found: Any) -> str:
    kind, given, context = found["type"], found.get("input"), found.get("ctx", {})
    match kind:
        case "extra_forbidden":
            return _unknown_key(str(found["loc"][-1]))
        case "missing":
            return _("This is missing.")
        case "string_type":
            return _("A text is expected. Put it in quotes if it looks like something else.")
        case "literal_error":
            return _("One of these is expected: %(values)s.") % {"values": context.get("expected", "")}
        case "string_pattern_mismatch":
            return _("A key is written in small letters, digits and underscores, and begins with a letter.")
        case "list_type":
            return _("A list is expected.")
        case "dict_type" | "model_type":
            return _("Names with values are expected here.")
        case "string_too_long":
            return _("At most %(limit)d characters are allowed.") % {"limit": context.get("max_length", 0)}
        case "value_error":
            return str(context.get("error", found["msg"]))
    shown = f" ({given!r:.60})" if isinstance(given, str | int | float) else ""
    return f"{found['msg']}{shown}"


def _unknown_key(key: str) -> str:
    known = {name for part in _models() for name in part.model_fields}
    close = get_close_matches(key, sorted(known), 1)
    hint = " " + _("Did you mean “%(key)s”?") % {"key": close[0]} if close else ""
    return _("There is no such key.") + hint


def _models() -> list[type[BaseModel]]:
    found = (getattr(parts, name) for name in dir(parts))
    return [each for each in found if isinstance(each, type) and issubclass(each, BaseModel)]
