"""The card: what a model sees of an activity to choose it."""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from activities.checks.problem import Look, Problem
from activities.models import Activity
from activities.models.activity import PhraseKind

MAX_TOKENS = 50
#: So many aliases of a language are on its card.
SHOWN_ALIASES = 4
_PIECE = re.compile(r"\w+|[^\w\s]")


def tokens(text: str) -> int:
    """Return about how many tokens `text` costs: one for each mark, one for every eight letters of a word."""
    return sum(1 + (len(piece) - 1) // 8 for piece in _PIECE.findall(text))


def card_text(activity: Activity, language: str) -> str:
    """Return the card in one language: the sentence, the aliases, when not to use it."""
    aliases = [
        phrase.text
        for phrase in activity.phrases.all()
        if phrase.kind == PhraseKind.ALIAS and phrase.language == language
    ]
    summary = activity.summary.get(language, "")
    return " ".join((summary, ", ".join(aliases[:SHOWN_ALIASES]), activity.when_not_to_use)).strip()


def alias(look: Look) -> Iterator[Problem]:
    """A card has the users' own words."""
    if not any(phrase.kind == PhraseKind.ALIAS for phrase in look.activity.phrases.all()):
        yield Problem(look.key, _("Its card has no alias. Add the words your users use for it."))


def length(look: Look) -> Iterator[Problem]:
    """A card is short: all of them are sent with every request."""
    for language in look.activity.summary:
        cost = tokens(card_text(look.activity, language))
        if cost > MAX_TOKENS:
            sentence = _(
                "Its card (%(language)s) is about %(count)d tokens, %(over)d over %(limit)d. "
                "Shorten the summary, the aliases or when not to use it."
            )
            numbers = {"count": cost, "over": cost - MAX_TOKENS, "limit": MAX_TOKENS}
            yield Problem(look.key, sentence % {"language": language, **numbers})


def template(look: Look) -> Iterator[Problem]:
    """An activity answers."""
    if not any(look.activity.template.values()):
        yield Problem(look.key, _("It has no response template. Write what the person is answered."))


def procedure(look: Look) -> Iterator[Problem]:
    """An activity has steps."""
    if not look.steps:
        yield Problem(look.key, _("It has no step. Without one, nothing can be proven: add one."))
