"""The audit history, to look at."""

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from accounts import selectors
from accounts.admin.base import ReadOnly, person
from accounts.models import AuditEvent, AuditSeal


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnly):
    list_display = ("at", "type", "workspace", "actor", "actor_kind", "stream", "seq")
    list_filter = ("workspace", "actor_kind", "at")
    list_select_related = ("workspace", "actor")
    search_fields = ("type__startswith", "stream__exact")
    search_help_text = "type, or stream"
    show_full_result_count = False
    ordering = ("-id",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditEvent]:
        """Only workspaces one may audit; what belongs to none is for superusers."""
        here = Q(workspace__in=selectors.audited_workspaces(person(request)))
        if person(request).is_superuser:
            here |= Q(workspace=None)
        return super().get_queryset(request).filter(here)


@admin.register(AuditSeal)
class AuditSealAdmin(ReadOnly):
    list_display = ("id", "at", "first_event", "last_event", "events", "streams", "hash")
