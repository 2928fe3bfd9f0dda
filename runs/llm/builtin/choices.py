"""Enumerations and yes or no, from the words people use for them."""

from collections.abc import Sequence
from dataclasses import dataclass

from activities.discovery.language import NEGATIONS, STOP_WORDS, stem, word_set
from activities.discovery.reading import Reading, Span, Word, apart
from agentapp.kernel.text import words
from runs.llm.base import Choice, FieldSpec

_YES = word_set("yes yeah yep sure oui ouais true vrai ok okay certainly absolument volontiers exactement")
_NO = word_set("no nope non false faux never jamais")
_NEGATION_REACH = 2
_CONTRACTED = word_set("don doesn didn isn won shouldn")
_REACH_END = word_set("but mais and et")


@dataclass(frozen=True)
class Said:
    value: str
    span: Span


def choices_said(reading: Reading, field: FieldSpec) -> list[Said]:
    """The values of `field` that the text names, in order; a longer phrase hides a shorter one inside it.

    What is denied ("not urgent", "sauf X") is not said.
    """
    found: list[Said] = []
    for phrase, choice in _phrases(field.choices):
        for index in _places(reading.words, phrase):
            span = (reading.words[index].start, reading.words[index + len(phrase) - 1].end)
            if reading.is_free(span) and all(apart(span, said.span) for said in found):
                found.append(Said("" if is_denied(reading.words, index) else choice.value, span))
    return sorted((said for said in found if said.value), key=lambda said: said.span)


def _phrases(choices: Sequence[Choice]) -> list[tuple[tuple[str, ...], Choice]]:
    """(stemmed words, choice), longest first."""
    listed = {
        (tuple(stem(word) for word in words(text)), choice)
        for choice in choices
        for text in (choice.value.replace("_", " "), *choice.labels)
    }
    return sorted(
        ((phrase, choice) for phrase, choice in listed if phrase),
        key=lambda one: (-len(one[0]), one[0], one[1].value),
    )


def _places(text_words: Sequence[Word], phrase: Sequence[str]) -> list[int]:
    stems = [stem(word.folded) for word in text_words]
    size = len(phrase)
    return [index for index in range(len(stems) - size + 1) if stems[index : index + size] == list(phrase)]


def is_denied(text_words: Sequence[Word], index: int) -> bool:
    """A negation stands at most two words before, in the same breath. "Don't" is read as "don" and "t"."""
    for place in range(index - 1, max(-1, index - 1 - _NEGATION_REACH), -1):
        word = text_words[place].folded
        if word in _REACH_END:
            return False
        if word in NEGATIONS or (word == "t" and place and text_words[place - 1].folded in _CONTRACTED):
            return True
    return False


def is_bare_answer(reading: Reading) -> bool | None:
    """What a text that is nothing but a yes or a no says."""
    meant = [word.folded for word in reading.words]
    if not meant or len(meant) > 4:
        return None
    return True if meant[0] in _YES else False if meant[0] in _NO else None


def flag_said(reading: Reading, field: FieldSpec) -> tuple[bool, Span] | None:
    """A yes or no told by the field's own words: "with insurance", "ne pas prévenir l'équipe"."""
    for phrase in _flag_phrases(field):
        for index in _places(reading.words, phrase):
            span = (reading.words[index].start, reading.words[index + len(phrase) - 1].end)
            if reading.is_free(span):
                return not is_denied(reading.words, index) and not _denied_after(
                    reading.words, index + len(phrase)
                ), span
    return None


def _denied_after(text_words: Sequence[Word], index: int) -> bool:
    """French says it behind the verb: "ne prévenez pas"; and "label: no"."""
    following = text_words[index].folded if index < len(text_words) else ""
    return following in _NO or following == "pas"


def _flag_phrases(field: FieldSpec) -> list[tuple[str, ...]]:
    """Cues as they are; the label and name only whole, without their function words."""
    texts = [*field.cues, field.label, field.name.replace("_", " ")]
    phrases = [tuple(stem(word) for word in words(text) if word not in STOP_WORDS) for text in texts]
    return list(dict.fromkeys(phrase for phrase in phrases if phrase))
