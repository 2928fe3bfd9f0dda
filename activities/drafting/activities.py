"""Adding, removing and ordering activities; their cards and limits."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from accounts.models import User
from activities.actions import revision_change
from activities.blueprint import GuardrailsPart
from activities.drafting.base import changing, put_in_order, save_order
from activities.importing import identity_for
from activities.models import Activity, ActivityPhrase, Revision
from activities.models.activity import PhraseKind
from activities.models.fields import Texts
from agentapp.kernel.errors import InvalidInput

#: What a card holds beside its phrases.
CARD = ("name", "summary", "when_not_to_use", "instructions", "entry", "chaining")


def activity_add(revision: Revision, *, key: str, name: Texts, actor: User, version: int) -> Activity:
    """Add an empty activity at the end of a draft. Raises InvalidInput for a key that is taken."""
    with revision_change(revision, actor=actor, expected_version=version) as locked:
        if locked.activities.filter(key=key).exists():
            raise InvalidInput(_("This draft has an activity with that key."), fields={"key": key})
        return Activity.objects.create(
            revision=locked,
            identity=identity_for(locked.agent, key),
            key=key,
            name=name,
            position=locked.activities.count(),
        )


def activity_remove(activity: Activity, *, actor: User, version: int) -> None:
    """Remove an activity and all it holds from a draft, and the trials of it."""
    with changing(activity, actor, version) as found:
        found.delete()


def activities_ordered(revision: Revision, wanted: Sequence[UUID], *, actor: User, version: int) -> None:
    """Put the activities of a draft in this order; those not named follow."""
    with revision_change(revision, actor=actor, expected_version=version) as locked:
        save_order(put_in_order(locked.activities.all(), wanted, "pk"))


def card_change(activity: Activity, values: Mapping[str, Any], *, actor: User, version: int) -> None:
    """Change how an activity is found. `values` has the names of `CARD`, `aliases` and `examples`."""
    with changing(activity, actor, version) as found:
        for name in CARD:
            if name in values:
                setattr(found, name, values[name])
        found.save()
        found.phrases.all().delete()
        ActivityPhrase.objects.bulk_create(
            ActivityPhrase(activity=found, kind=kind, language=language, text=text, position=position)
            for kind, name in ((PhraseKind.ALIAS, "aliases"), (PhraseKind.EXAMPLE, "examples"))
            for language, phrases in values[name].items()
            for position, text in enumerate(phrases)
        )


def limits_change(activity: Activity, part: GuardrailsPart, *, actor: User, version: int) -> None:
    """Change the five limits; None is the product's default."""
    with changing(activity, actor, version) as found:
        for name, value in part.model_dump().items():
            setattr(found, name, value)
        found.save()
