"""Questions to the person: written by code, as small typed forms, answerable by form or by words."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from agentapp.kernel.text import contains_words, shorten, words
from runs.journal import Journal
from runs.models import Question, QuestionCandidate, QuestionField, Run, RunStep
from runs.models.question import AskedBecause

#: How long an answer is waited for.
ANSWER_WITHIN = timedelta(days=7)
#: The name of the field that asks which activity is meant.
ACTIVITY_FIELD = "activity"


@dataclass(frozen=True)
class Choice:
    """A candidate answer."""

    value: str
    label: str
    detail: str = ""


@dataclass(frozen=True)
class Asked:
    """One value to ask for, and why."""

    name: str
    kind: str
    label: str
    because: AskedBecause
    candidates: tuple[Choice, ...] = ()
    words: str = ""
    error: str = ""
    #: `words` are several values, where one is needed.
    several: bool = False


def ask_person(
    run: Run, asked: Sequence[Asked], journal: Journal, *, text: str = "", step: RunStep | None = None
) -> Question:
    """Open a question with these fields, in the current transaction."""
    question = Question.objects.create(
        run=run, step=step, text=text or sentence(asked), expires_at=timezone.now() + ANSWER_WITHIN
    )
    for position, item in enumerate(asked):
        row = QuestionField.objects.create(
            question=question,
            position=position,
            name=item.name,
            kind=item.kind,
            label=shorten(item.label, 200),
            because=item.because,
            words=shorten(item.words, 300),
            error=item.error[:300],
        )
        QuestionCandidate.objects.bulk_create(
            QuestionCandidate(
                field=row,
                position=index,
                value=choice.value,
                label=shorten(choice.label, 200),
                detail=shorten(choice.detail, 200),
            )
            for index, choice in enumerate(item.candidates)
        )
    journal.event("run.question", {"question": str(question.pk), "fields": [item.name for item in asked]})
    return question


def sentence(asked: Sequence[Asked]) -> str:
    """Return one sentence that asks for all of `asked`."""
    if len(asked) > 1:
        names = ", ".join(item.label.lower() for item in asked)
        return _("I still need a few things before I can start: %(names)s.") % {"names": names}
    item = asked[0]
    label, said = item.label.lower(), {"label": item.label.lower(), "words": item.words}
    match item.because:
        case AskedBecause.ACTIVITY:
            return _("I can read your request in more than one way. Which one do you mean?")
        case AskedBecause.AMBIGUOUS if item.several:
            return _("You named more than one value for %(label)s: %(words)s. Which one do you mean?") % said
        case AskedBecause.AMBIGUOUS:
            return _("“%(words)s” can mean several records. Which one do you mean?") % said
        case AskedBecause.UNKNOWN:
            return (
                _("I find no record called “%(words)s” that is open to you (%(label)s). Which one is it?")
                % said
            )
        case AskedBecause.INVALID:
            return f"{item.label}: {item.error}"
    return _("I need one more thing before I can start: %(label)s.") % {"label": label}


_FIRST = (
    {"first", "1", "1st", "premier", "premiere", "1er", "1ere"},
    {"second", "2", "2nd", "two", "deuxieme"},
)
_ORDINALS = (*_FIRST, {"third", "3", "3rd", "three", "troisieme"}, {"fourth", "4", "four", "quatrieme"})


def choice_from_words(field: QuestionField, text: str) -> str | None:
    """Return the candidate that `text` picks: by value, by its place in the list, by words only it has.

    None when it picks none or more than one: nothing is guessed.
    """
    candidates = list(field.candidates.all())
    by_value = [item for item in candidates if contains_words(text, item.value)]
    if len(by_value) == 1:
        return by_value[0].value
    said = set(words(text))
    for place, names in enumerate(_ORDINALS[: len(candidates)]):
        if said & names and len(said) <= 4:
            return candidates[place].value
    scores = [(len(_own_words(item, candidates) & said), item) for item in candidates]
    best = max((score for score, _item in scores), default=0)
    picked = [item for score, item in scores if score == best and best > 0]
    return picked[0].value if len(picked) == 1 else None


def _own_words(item: QuestionCandidate, candidates: Sequence[QuestionCandidate]) -> set[str]:
    """Return the words that this candidate does not share with all the others."""
    own = set(words(f"{item.label} {item.detail}"))
    shared = set.intersection(*(set(words(f"{other.label} {other.detail}")) for other in candidates))
    return own - shared
