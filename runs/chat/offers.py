"""What a person may ask for, with examples in their language."""

from dataclasses import dataclass

from django.utils.translation import get_language

from accounts.models import User, Workspace
from activities.models.activity import Activity, PhraseKind
from activities.models.fields import in_language
from runs import selectors


@dataclass(frozen=True)
class Offer:
    name: str
    summary: str
    examples: list[str]


def offers(user: User, workspace: Workspace, examples: int = 2) -> list[Offer]:
    """Return the activities offered to `user`, each with at most `examples` requests to click."""
    return [_offer(activity, examples) for activity in selectors.offered_activities(user, workspace)]


def _offer(activity: Activity, examples: int) -> Offer:
    language = get_language() or "en"
    phrases = [
        phrase.text
        for phrase in activity.phrases.all()
        if phrase.kind == PhraseKind.EXAMPLE and phrase.language == language
    ]
    name, summary = in_language(activity.name, language), in_language(activity.summary, language)
    return Offer(name, summary, phrases[:examples])
