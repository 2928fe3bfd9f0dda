"""API tokens, to look at and to revoke."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from accounts import actions
from accounts.admin.base import ReadOnly, person
from accounts.models import ApiToken


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnly):
    list_display = ("name", "prefix", "user", "created_at", "expires_at", "revoked_at", "last_used_at")
    list_filter = ("revoked_at",)
    list_select_related = ("user",)
    search_fields = ("name", "prefix", "user__full_name", "user__email")
    exclude = ("hash",)
    actions = ("revoke",)

    @admin.action(description=_("Revoke the chosen tokens"), permissions=["revoke"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiToken]) -> None:
        for token in queryset:
            actions.token_revoke(person(request), token.pk)
        self.message_user(request, _now("The tokens are revoked."), messages.SUCCESS)

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("accounts.change_apitoken")
