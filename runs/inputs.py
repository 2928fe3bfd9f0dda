"""From what a model read in the words to typed, grounded inputs; what is missing or ambiguous is asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from activities.models import ActivityInput
from activities.models.activity import FieldKind
from activities.models.fields import in_language
from activities.values import ValueInvalid, read_value
from agentapp.kernel.text import contains_words, shorten, words
from runs.grounding import stands_in
from runs.models import RunInput
from runs.models.question import AskedBecause
from runs.models.run import Origin
from runs.questions import Asked, Choice
from runs.references import MAX_CANDIDATES, Eyes, Resolution, named, resolve
from runs.view import RunView

#: Of a free text, at least this share of its words must be the user's own.
_OWN_WORDS = 0.6
#: Kinds whose values are read from the words by code as well; only what code finds there counts.
READ_BY_CODE = (FieldKind.INTEGER, FieldKind.DECIMAL, FieldKind.DATE, FieldKind.PERIOD)


@dataclass(frozen=True)
class Settled:
    """An input with its value, how a person reads it, and the words it came from."""

    name: str
    value: Any
    label: str
    words: str = ""
    origin: Origin = Origin.WORDS

    def row(self, view: RunView) -> RunInput:
        return RunInput(
            run=view.run,
            name=self.name,
            value=self.value,
            label=self.label[:300],
            origin=self.origin,
            words=shorten(self.words, 300),
        )


def settle(
    view: RunView, field: ActivityInput, raw: Any, said: Sequence[str], eyes: Eyes
) -> Settled | Asked | None:
    """Settle one field from `raw`, what a model read in `said`. None: the words do not hold it."""
    if raw is None or raw == "" or raw == []:
        return None
    if isinstance(raw, list) and not field.is_list and field.kind != FieldKind.TEXT:
        return _one_of(view, field, raw, said, eyes)
    if field.kind == FieldKind.REFERENCE:
        return _settle_reference(view, field, raw, said, eyes)
    if not _is_grounded(field, raw, said):
        return None
    try:
        value = read_value(field, raw)
    except ValueInvalid as error:
        return asked(view, field, AskedBecause.INVALID, words=str(raw), error=str(error))
    return Settled(
        field.name, value, label_of(field, value, view.language), str(raw) if isinstance(raw, str) else ""
    )


def _is_grounded(field: ActivityInput, raw: Any, said: Sequence[str]) -> bool:
    """True unless the value is of a kind that must stand in the words and does not."""
    if field.kind == FieldKind.EMAIL:
        return any(stands_in(str(raw), text) for text in said)
    if field.kind != FieldKind.TEXT:
        return True
    own = set(words(" ".join(said)))
    given = words(" ".join(map(str, raw)) if isinstance(raw, list) else str(raw))
    return bool(given) and sum(word in own for word in given) >= _OWN_WORDS * len(given)


def _settle_reference(
    view: RunView, field: ActivityInput, raw: Any, said: Sequence[str], eyes: Eyes
) -> Settled | Asked | None:
    mentions = [str(item).strip() for item in (raw if isinstance(raw, list) else [raw]) if str(item).strip()]
    mentions = [
        item for item in mentions if any(stands_in(item, text) or contains_words(text, item) for text in said)
    ]
    if not mentions:
        return None
    found: list[tuple[str, str]] = []
    for mention in mentions:
        resolution = resolve(field.reference, mention, eyes)
        if resolution.record is None:
            return _ambiguous(view, field, mention, resolution)
        found.append((resolution.record.value, named(resolution.record)))
    value = [item for item, _label in found] if field.is_list else found[0][0]
    return Settled(field.name, value, ", ".join(label for _value, label in found), ", ".join(mentions))


def _one_of(
    view: RunView, field: ActivityInput, raws: Sequence[Any], said: Sequence[str], eyes: Eyes
) -> Settled | Asked | None:
    """Settle a single value of which several were said: when they are the same; else it is asked which."""
    read = [found for raw in raws if (found := settle(view, field, raw, said, eyes)) is not None]
    settled = [item for item in read if isinstance(item, Settled)]
    open_ones = [item for item in read if isinstance(item, Asked)]
    choices = [Choice(str(item.value), item.label) for item in settled]
    choices += [choice for item in open_ones for choice in item.candidates]
    by_value = {choice.value: choice for choice in choices}
    if len(by_value) < 2:
        return open_ones[0] if open_ones else next(iter(settled), None)
    pickable = field.kind != FieldKind.PERIOD and len(by_value) <= MAX_CANDIDATES
    return asked(
        view,
        field,
        AskedBecause.AMBIGUOUS,
        candidates=tuple(by_value.values()) if pickable else (),
        words=", ".join(dict.fromkeys(item.words or item.label for item in read if item.words or item.label)),
        several=True,
    )


def _ambiguous(view: RunView, field: ActivityInput, mention: str, resolution: Resolution) -> Asked:
    because = AskedBecause.AMBIGUOUS if resolution.candidates else AskedBecause.UNKNOWN
    candidates = tuple(
        Choice(item.value, item.label, item.detail) for item in resolution.candidates[:MAX_CANDIDATES]
    )
    return asked(view, field, because, candidates=candidates, words=mention)


def asked(
    view: RunView,
    field: ActivityInput,
    because: AskedBecause,
    *,
    candidates: tuple[Choice, ...] = (),
    words: str = "",
    error: str = "",
    several: bool = False,
) -> Asked:
    """Return `field` as something to ask for; a choice brings its values as candidates."""
    if field.kind == FieldKind.CHOICE and not candidates:
        candidates = tuple(
            Choice(item.value, in_language(item.label, view.language) or item.value)
            for item in field.choices.all()
        )
    label = in_language(field.label, view.language) or field.name
    return Asked(field.name, field.kind, label, because, candidates, words, error, several)


def answered(view: RunView, field: ActivityInput, raw: Any, eyes: Eyes) -> Settled:
    """Return a form's answer as an input. Raises ValueInvalid, also for a record that is not there."""
    if field.kind != FieldKind.REFERENCE:
        value = read_value(field, raw)
        return Settled(field.name, value, label_of(field, value, view.language), origin=Origin.PERSON)
    values = raw if field.is_list and isinstance(raw, list) else [raw]
    if not values:
        raise ValueInvalid(_("Please answer this."))
    found = [_chosen(field, str(item), eyes) for item in values]
    value = [item for item, _label in found] if field.is_list else found[0][0]
    return Settled(field.name, value, ", ".join(label for _value, label in found), origin=Origin.PERSON)


def _chosen(field: ActivityInput, text: str, eyes: Eyes) -> tuple[str, str]:
    resolution = resolve(field.reference, text, eyes)
    if resolution.record is None:
        raise ValueInvalid(_ambiguous_sentence(len(resolution.candidates)) % {"words": shorten(text, 60)})
    return resolution.record.value, named(resolution.record)


def _ambiguous_sentence(candidates: int) -> str:
    if candidates:
        return _("“%(words)s” can mean several records. Give its full name or its number.")
    return _("I find no record called “%(words)s” that is open to you.")


def label_of(field: ActivityInput, value: Any, language: str) -> str:
    """Return how a person reads a value."""
    if field.kind == FieldKind.PERIOD:
        return f"{value['start']} – {value['end']}"
    if field.kind == FieldKind.CHOICE:
        for choice in field.choices.all():
            if choice.value == value:
                return in_language(choice.label, language) or value
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
