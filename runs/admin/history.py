"""The history in the administration: to be looked at, never changed, and only where one may see all runs."""

from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin, TabularInline

from accounts.access import workspaces_where
from accounts.models import User, Workspace
from runs.models import Confirmation, Escalation, Run, RunStep, ToolCall

SEE_ALL = "accounts.view_all_runs"


def visible_workspaces(user: Any) -> list[Workspace]:
    """Return the workspaces whose runs `user` may see, all of them. Being a superuser is no such right."""
    if not isinstance(user, User):
        return []
    return workspaces_where(user, SEE_ALL)


class ReadOnly:
    """Neither added, changed nor deleted."""

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return bool(visible_workspaces(request.user))

    def has_module_permission(self, request: HttpRequest) -> bool:
        return bool(visible_workspaces(request.user))


class StepInline(ReadOnly, TabularInline):
    model = RunStep
    fields = ("position", "step", "state", "verdict", "attempts")
    extra = 0


class CallInline(ReadOnly, TabularInline):
    model = ToolCall
    fields = ("position", "tool_key", "risk", "state", "error_message")
    extra = 0


class ConfirmationInline(ReadOnly, TabularInline):
    model = Confirmation
    fields = ("call", "state", "digest", "expires_at", "decided_by", "decided_at")
    extra = 0


@admin.register(Run)
class RunAdmin(ReadOnly, ModelAdmin):
    """Runs, with the way to the page that tells everything about one."""

    list_display = ("created_at", "user", "activity", "state", "outcome", "model")
    list_filter = ("state", "outcome", "workspace")
    search_fields = ("id", "user__email", "user__full_name")
    list_select_related = ("user", "activity")
    list_per_page = 50
    show_full_result_count = False
    inlines = (StepInline, CallInline, ConfirmationInline)
    fields = (
        "history", "workspace", "user", "conversation", "parent", "activity", "revision", "state", "outcome",
        "error_code", "model", "model_calls", "tool_calls", "output_tokens", "context_bytes",
        "active_seconds", "created_at", "finished_at",
    )  # fmt: skip
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Run]:
        mine = visible_workspaces(request.user)
        return super().get_queryset(request).filter(workspace__in=mine, trial=False)

    @admin.display(description=_("everything that happened"))
    def history(self, run: Run) -> SafeString:
        return format_html('<a href="{}">{}</a>', reverse("chat:run", args=[run.pk]), _("Show what happened"))


@admin.register(Escalation)
class EscalationAdmin(ReadOnly, ModelAdmin):
    """What is, or was, in somebody else's hands."""

    list_display = ("created_at", "run", "reason", "state", "group", "assignee", "due_at")
    list_filter = ("state", "reason")
    list_select_related = ("run", "group", "assignee")
    show_full_result_count = False
    readonly_fields = (
        "run", "step", "state", "reason", "intention", "gap", "summary", "group", "assignee", "due_at",
        "closed_at", "closed_by", "closing_reason", "created_at",
    )  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[Escalation]:
        return super().get_queryset(request).filter(run__workspace__in=visible_workspaces(request.user))
