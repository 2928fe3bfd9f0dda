"""Teaching a card the words people used, and taking them back. It takes effect with the transaction."""

import re

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from accounts import audit
from accounts.models import ActorKind, User, Workspace
from activities.actions.authority import designs_agent, designs_workspace
from activities.discovery import index
from activities.likeness.vectors import texts_due
from activities.models import Card, CardKind, CardPhrase
from activities.models.activity import PhraseKind
from agentapp.kernel.errors import Conflict, InvalidInput, NotAllowed, NotFound
from agentapp.kernel.text import clean_text, fold, words

LONGEST = 300
#: So many are taught to one card: a card that needs more is two activities.
MOST = 100
#: What stands for a protected value in a logged request.
_TOKEN = re.compile(r"\[\[[a-z_]+-\d+\]\]")


@transaction.atomic
def alias_add(card: Card, *, workspace: Workspace, language: str, text: str, actor: User) -> CardPhrase:
    """Teach `card` an alias in `workspace`: searches and the choice of an activity know it from now on.

    What is published stays as it is. Raises NotFound for a card of elsewhere, NotAllowed, InvalidInput for a
    text that is no single line of words, Conflict for one it has already.
    """
    _require_theirs(card, workspace, actor)
    said = alias_text(text)
    if language not in dict(settings.LANGUAGES):
        raise InvalidInput(_("Choose the language of these words."), fields={"language": _("Choose one.")})
    locked = Card.objects.select_for_update(of=("self",)).get(pk=card.pk)
    _require_new(locked, workspace, said)
    phrase = CardPhrase.objects.create(
        card=locked,
        workspace=workspace,
        kind=PhraseKind.ALIAS,
        language=language,
        text=said,
        learned=True,
        added_by=actor,
    )
    _changed("alias.learned", phrase, actor)
    return phrase


@transaction.atomic
def alias_remove(phrase: CardPhrase, *, actor: User) -> None:
    """Take back what was learned. Raises NotFound for what is gone or no learned word, NotAllowed."""
    found = CardPhrase.objects.select_for_update(of=("self",)).filter(pk=phrase.pk, learned=True)
    locked = found.select_related("card", "workspace").first()
    if locked is None or locked.workspace is None:
        raise NotFound(_("This does not exist, or you may not see it."))
    _require_theirs(locked.card, locked.workspace, actor)
    locked.delete()
    _changed("alias.removed", locked, actor)


def alias_text(text: str) -> str:
    """Return `text` as an alias: one line of words. Raises InvalidInput."""
    said = " ".join(clean_text(text).split())
    if not words(said):
        raise InvalidInput(_("An alias needs words."), fields={"text": _("Write the words.")})
    if len(said) > LONGEST:
        sentence = _("An alias has at most %(limit)d characters.") % {"limit": LONGEST}
        raise InvalidInput(sentence, fields={"text": sentence})
    if _TOKEN.search(said):
        sentence = _("Take out what stands for a protected value: [[…]].")
        raise InvalidInput(sentence, fields={"text": sentence})
    return said


def without_tokens(text: str) -> str:
    """Return a logged request as one line that could be an alias: cut, and nothing protected in it."""
    return " ".join(_TOKEN.sub(" ", clean_text(text)).split())[:LONGEST]


def may_teach(card: Card, workspace: Workspace, actor: User) -> bool:
    """True when `actor` designs the workspace, or the agent of the activity."""
    if card.kind == CardKind.ACTIVITY and card.activity is not None:
        return designs_agent(actor, card.activity.revision.agent)
    return designs_workspace(actor, workspace)


def _require_theirs(card: Card, workspace: Workspace, actor: User) -> None:
    if card.workspace_id not in (None, workspace.pk):
        raise NotFound(_("This does not exist, or you may not see it."))
    if not may_teach(card, workspace, actor):
        raise NotAllowed(_("You may not teach this card new words."))


def _require_new(card: Card, workspace: Workspace, said: str) -> None:
    own = card.phrases.filter(kind=PhraseKind.ALIAS)
    known = [*own.filter(workspace=None), *own.filter(workspace=workspace)]
    if any(fold(phrase.text) == fold(said) for phrase in known):
        sentence = _("The card has these words already.")
        raise Conflict(sentence, fields={"text": sentence})
    if sum(phrase.learned for phrase in known) >= MOST:
        raise Conflict(
            _("This card has learned %(count)d aliases already. Remove one first.") % {"count": MOST}
        )


def _changed(kind: str, phrase: CardPhrase, actor: User) -> None:
    """Index the card anew and put the change on record, in this transaction."""
    card = phrase.card
    index.refresh(card.workspace, [card.key])
    if card.workspace_id is None and kind == "alias.learned":
        texts_due([phrase.text])
    audit.record(
        stream=phrase.workspace_id,  # type: ignore[arg-type]  # a learned phrase has its workspace
        type=kind,
        workspace=phrase.workspace_id,
        actor=actor,
        actor_kind=ActorKind.PERSON,
        data={"card": card.kind, "key": card.key, "language": phrase.language, "text": phrase.text},
    )
