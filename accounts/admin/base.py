"""What the admin classes of this app share."""

from django.db.models import Model
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from accounts.models import User
from agentapp.kernel.errors import NotSignedIn


class NoDeletion(ModelAdmin):
    """What has a history is switched off, not deleted."""

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class ReadOnly(NoDeletion):
    """Looking, and nothing else."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


def person(request: HttpRequest) -> User:
    """Return who is signed in."""
    if not isinstance(request.user, User):
        raise NotSignedIn("Sign in first.")
    return request.user
