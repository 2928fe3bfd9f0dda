"""Words that an activity's card learned: taking them into a draft, and taking them back."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from activities import designing, drafting
from activities.actions.aliases import alias_remove
from activities.admin.page import attempt, desk, person, to
from activities.admin.views.revisions import version_of

TAKEN = _("The learned words are aliases of this draft now.")


@require_POST
@desk
def take_over_all(request: HttpRequest, revision_id: UUID) -> HttpResponse:
    """All that the cards of a revision's activities learned becomes part of a draft."""
    revision = designing.revision_for(person(request), revision_id)
    version = version_of(request)
    attempt(
        request, TAKEN, lambda: drafting.learned_take_over(revision, actor=person(request), version=version)
    )
    return to("desk_revision", revision.pk)


@require_POST
@desk
def take_over(request: HttpRequest, activity_id: UUID) -> HttpResponse:
    """What one card learned becomes part of a draft."""
    activity = designing.activity_for(person(request), activity_id)
    attempt(
        request,
        TAKEN,
        lambda: drafting.learned_take_over(
            activity.revision, actor=person(request), version=version_of(request), activity_id=activity.pk
        ),
    )
    return to("desk_section", activity.pk, "card")


@require_POST
@desk
def take_back(request: HttpRequest, activity_id: UUID, phrase_id: UUID) -> HttpResponse:
    """The card no longer knows a learned word."""
    activity = designing.activity_for(person(request), activity_id)
    words = drafting.learned_words(activity.revision, activity)
    phrase = next((each.phrase for each in words if each.phrase.pk == phrase_id), None)
    if phrase is None:
        raise designing.missing()
    done = _("The card no longer knows these words.")
    attempt(request, done, lambda: alias_remove(phrase, actor=person(request)))
    return to("desk_section", activity.pk, "card")
