"""One request that led nowhere or was missed: what there was for it, and its words as an alias of a card."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils.translation import get_language, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from activities import designing
from activities.actions.aliases import LONGEST, without_tokens
from activities.admin.forms.base import DeskForm
from activities.models import Card, CardKind, CardPhrase, DiscoveryCandidate, DiscoveryLog
from activities.models.activity import PhraseKind
from activities.models.discovery import DiscoveryStage
from activities.models.fields import in_language
from agentapp.kernel.text import fold
from runs.admin.desk.discovery.filters import Filters
from runs.admin.desk.discovery.naming import name_now
from runs.models import Missed
from runs.nameable import nameable

#: A list to choose from has no more entries.
MOST_CHOICES = 2_000
_CONSIDERED = 20
_KINDS = {DiscoveryStage.ROUTE.value: CardKind.ACTIVITY, DiscoveryStage.TOOLS.value: CardKind.TOOL}


@dataclass(frozen=True)
class Asked:
    """A request to learn from: a search of the log, or what a test prompt missed, which keeps none."""

    query: str
    language: str
    stage: str
    log: DiscoveryLog | None
    missed: tuple[Missed, ...]
    considered: tuple[DiscoveryCandidate, ...]

    @property
    def run_id(self) -> UUID | None:
        return self.log.run_id if self.log else None


def asked_for(filters: Filters, pk: UUID) -> Asked:
    """Return the search with this id, or what was missed with this id, in the workspace. Raises NotFound."""
    log = DiscoveryLog.objects.filter(workspace=filters.workspace, pk=pk).first()
    if log is None:
        row = Missed.objects.filter(workspace=filters.workspace, pk=pk).select_related("log").first()
        if row is None:
            raise designing.missing()
        if row.log is None:
            name_now([row], filters.workspace)
            return Asked(row.query, row.language, row.stage, None, (row,), ())
        log = row.log
    considered = log.candidates.order_by("position")[:_CONSIDERED]
    of_it = Q(log=log) if log.run_id is None else Q(run_id=log.run_id)
    missed = tuple(Missed.objects.filter(of_it, struck_at=None).select_related("named_by").order_by("pk"))
    name_now(missed, filters.workspace)
    return Asked(log.query, log.language, log.stage, log, missed, tuple(considered))


class AliasForm(DeskForm):
    """The words of a request as an alias of a card: the designer chooses and edits both."""

    card = forms.ChoiceField(label=pgettext_lazy("catalogue", "Card"))
    text = forms.CharField(
        label=_("Alias"),
        max_length=LONGEST,
        help_text=_("The words that should lead there, without names, numbers and dates."),
    )
    language = forms.ChoiceField(label=_("Language"), choices=settings.LANGUAGES)

    def __init__(self, cards: list[Card], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices: Any = self.fields["card"]
        choices.choices = [("", "—"), *_grouped(cards)]


class NameForm(DeskForm):
    """What there was for a request, of what the designer may use."""

    missed = forms.ChoiceField(label=_("What there was for it"))

    def __init__(self, user: User, filters: Filters, *args: Any, tools: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        found = list(nameable(user, filters.workspace, tools=tools))[:MOST_CHOICES]
        choices: Any = self.fields["missed"]
        choices.choices = [("", "—"), *((item.value, f"{item.name} — {item.key}") for item in found)]


def cards_to_teach(filters: Filters, asked: Asked) -> list[Card]:
    """Return the cards that can be taught here: those of this request first, then activities, then tools."""
    here = Card.objects.filter(Q(workspace=None) | Q(workspace=filters.workspace), available=True)
    ours = [*(item.key for item in asked.missed), *(item.key for item in asked.considered)]
    first = list(here.filter(key__in=ours))
    others = here.exclude(pk__in=[card.pk for card in first]).order_by("kind", "key")[:MOST_CHOICES]
    return [*first, *others]


def initial_alias(asked: Asked, cards: list[Card]) -> dict[str, str]:
    """Return what the form shows first: the request's words, and the card that was missed."""
    named = next(iter(asked.missed), None)
    kind = _KINDS[named.stage] if named else None
    card = next((each for each in cards if named and (each.kind, each.key) == (kind, named.key)), None)
    language = asked.language if asked.language in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
    return {"card": str(card.pk) if card else "", "text": without_tokens(asked.query), "language": language}


def same_words(card: Card, filters: Filters, text: str) -> list[str]:
    """Return the other cards of its kind that are called so as well, by their keys."""
    phrases: QuerySet[CardPhrase] = CardPhrase.objects.filter(
        Q(workspace=None) | Q(workspace=filters.workspace),
        Q(card__workspace=None) | Q(card__workspace=filters.workspace),
        kind=PhraseKind.ALIAS,
        card__kind=card.kind,
        card__available=True,
        text__iexact=text,
    ).exclude(card=card)
    found = phrases.values_list("card__key", "text")
    return sorted({key for key, said in found if fold(said) == fold(text)})


def _grouped(cards: list[Card]) -> list[tuple[Any, list[tuple[str, str]]]]:
    language = (get_language() or "en")[:2]
    groups: dict[str, list[tuple[str, str]]] = {CardKind.ACTIVITY.value: [], CardKind.TOOL.value: []}
    for card in cards:
        name = in_language(card.name, language) or card.key
        groups[card.kind].append((str(card.pk), f"{name} — {card.key}"))
    labels = {CardKind.ACTIVITY.value: _("Activities"), CardKind.TOOL.value: _("Tools")}
    return [(labels[kind], choices) for kind, choices in groups.items() if choices]
