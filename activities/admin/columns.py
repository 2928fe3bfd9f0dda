"""What several lists of the administration have in common."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin


class Columns:
    """For lists of what has a key in a workspace, with titles in the reader's language."""

    @admin.display(description=_("key"), ordering="key")
    def shown_key(self, row: Any) -> str:
        return str(row.key)

    @admin.display(description=_("workspace"), ordering="workspace__name")
    def shown_workspace(self, row: Any) -> str:
        return str(row.workspace)


class DeskList(Columns, ModelAdmin):
    """A list of what has a key in a workspace; behind a row are pages of the desk, at `routes`.

    A subclass says who sees it (`has_view_permission`): who sees it opens its rows. Nothing is deleted here.
    """

    list_filter = (("workspace", admin.RelatedOnlyFieldListFilter),)
    list_per_page = 50
    show_full_result_count = False
    actions = None
    #: Address below the list, view, name.
    routes: ClassVar[tuple[tuple[str, Any, str], ...]] = ()

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.has_view_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def get_urls(self) -> list[URLPattern]:
        own = [path(route, self.admin_site.admin_view(view), name=name) for route, view, name in self.routes]
        return [*own, *super().get_urls()]
