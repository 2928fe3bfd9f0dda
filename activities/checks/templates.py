"""The texts with places in them: each place is known in every branch, and the whole can be filled."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from django.utils.translation import gettext as _

from activities import paths, templates
from activities.checks.problem import Look, Problem
from activities.expressions.types import ANY, INT, TEXT, Type, object_of
from activities.models import Activity, ActivityOutput
from activities.models.activity import OutputSource
from activities.templates import BadTemplate


def answer(look: Look) -> Iterator[Problem]:
    """The response template can be filled."""
    for language, source in look.activity.template.items():
        for message in _Texts(look).problems(source, language):
            yield Problem(look.place(f"template {language}"), message)


def other_texts(look: Look) -> Iterator[Problem]:
    """So can the messages of stops, and the fallbacks of prose."""
    texts = _Texts(look, with_output=False)
    rows = [(step.key, step.stop_message) for step in look.steps]
    rows += [(output.name, output.fallback) for output in look.activity.outputs.all()]
    for name, written in rows:
        for language, source in written.items():
            for message in texts.problems(source, language):
                yield Problem(look.place(name), message)


def template_problems(
    activity: Activity, source: str, language: str, *, with_output: bool = True
) -> list[str]:
    """Return what is wrong with a text before it is saved; sentences."""
    return list(_Texts(Look(activity, source), with_output=with_output).problems(source, language))


class _Texts:
    """What can be named in the texts of one activity."""

    def __init__(self, look: Look, *, with_output: bool = True) -> None:
        self.look = look
        self.with_output = with_output
        self._sample: dict[str, Any] | None = None
        outputs = {row.name: _output_type(look, row) for row in look.activity.outputs.all()}
        self.types = look.scope | ({"output": object_of(outputs)} if with_output else {})

    def problems(self, source: str, language: str) -> Iterator[str]:
        """Yield the unknown places of every branch; else why it cannot be filled with sample values."""
        try:
            read = templates.paths_read(source)
        except BadTemplate as error:
            yield str(error)
            return
        unknown = list(dict.fromkeys(filter(None, (self._unknown(path) for path in read))))
        unknown += [
            _("There is no filter “%(name)s”.") % {"name": name} for name in templates.unknown_filters(source)
        ]
        yield from unknown or self._unfillable(source, language)

    def _unfillable(self, source: str, language: str) -> list[str]:
        try:
            templates.render(source, self._values(), language)
        except BadTemplate as error:
            return [_("It cannot be filled: %(why)s") % {"why": error}]
        return []

    def _values(self) -> dict[str, Any]:
        if self._sample is None:
            sample = self.look.sample
            kept = {key: sample[key] for key in ("facts", "inputs")}
            if self.with_output:
                kept["output"] = sample["output"] | self._from_paths(sample)
            self._sample = {"attempts": 1, **kept}
        return self._sample

    def _from_paths(self, sample: Mapping[str, Any]) -> dict[str, Any]:
        """Return the outputs taken from facts, items of lists included."""
        found = {}
        for row in self.look.activity.outputs.all():
            if row.source == OutputSource.FACT:
                with suppress(paths.NoSuchValue):
                    found[row.name] = paths.read(row.fact_path, sample)
        return found

    def _unknown(self, path: tuple[Any, ...]) -> str:
        """Return a sentence when a path leads nowhere."""
        here: Type = object_of(self.types)
        for position, part in enumerate(path):
            here, found = _step(here, part)
            if not found:
                named = ".".join(str(each) for each in path[: position + 1])
                return _("There is no “%(path)s” here.") % {"path": named}
        return ""


def _step(here: Type, part: Any) -> tuple[Type, bool]:
    """Return the type one part further, and whether it is there."""
    if here.kind == "any" or not isinstance(part, str | int):
        return ANY, True
    if here.kind == "list":
        item = here.item or ANY
        return (INT if part == "size" else item), isinstance(part, int) or part in ("first", "last", "size")
    if part == "size":
        return INT, True
    fields: Mapping[str, Type] = here.fields if here.kind == "object" else {}
    return (fields[str(part)], True) if part in fields else (ANY, False)


def _output_type(look: Look, row: ActivityOutput) -> Type:
    if row.source == OutputSource.PROSE:
        return TEXT
    paths_by = {OutputSource.FACT.value: row.fact_path, OutputSource.INPUT.value: f"inputs.{row.input_name}"}
    path = paths_by.get(row.source, "")
    here: Type = object_of(look.scope)
    for part in path.split(".") if path else ():
        here, found = _step(here, part)
        if not found:
            return ANY
    return here if path else ANY
