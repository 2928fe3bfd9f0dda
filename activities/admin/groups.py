"""Tool groups in the administration: what steps of a workspace can be opened to, under a name of its own."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import Count, Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin
from unfold.widgets import (
    UnfoldAdminSelect2MultipleWidget,
    UnfoldAdminTextInputWidget,
)

from accounts.models import User, Workspace
from activities import designing
from activities.actions import tool_group_change, tool_group_create, tool_group_remove
from activities.admin.columns import Columns
from activities.admin.page import name_of, person
from activities.models import ToolGroup
from activities.tools import registry
from agentapp.kernel.errors import MandateError
from agentapp.kernel.text import clean_text


class ToolGroupForm(forms.ModelForm):
    """A group's name in both languages, and its tools."""

    name_en = forms.CharField(label=_("Name in English"), max_length=100, widget=UnfoldAdminTextInputWidget)
    name_fr = forms.CharField(
        label=_("Name in French"), max_length=100, required=False, widget=UnfoldAdminTextInputWidget
    )
    tools = forms.MultipleChoiceField(
        label=_("Tools"),
        required=False,
        widget=UnfoldAdminSelect2MultipleWidget,
        help_text=_("A step that is open to this group leads to them from now on."),
    )

    class Meta:
        model = ToolGroup
        fields = ("workspace", "key")
        labels = {"workspace": _("Workspace"), "key": _("Key")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        group = None if self.instance._state.adding else self.instance
        held = list(group.entries.values_list("tool_key", flat=True)) if group else []
        offered: Any = self.fields["tools"]
        workspaces = self._workspaces(group)
        offered.choices = _tool_choices(workspaces, held)
        if group is None and len(workspaces) == 1:
            self.initial.setdefault("workspace", workspaces[0])
        if group:
            names = {f"name_{language}": text for language, text in group.name.items()}
            self.initial.update({"tools": held, **names})

    def _workspaces(self, group: ToolGroup | None) -> list[Workspace]:
        return [group.workspace] if group else list(getattr(self.fields["workspace"], "queryset", []))

    @property
    def names(self) -> dict[str, str]:
        given = {"en": self.cleaned_data["name_en"], "fr": self.cleaned_data["name_fr"]}
        cleaned = {language: clean_text(text).strip() for language, text in given.items()}
        return {language: text for language, text in cleaned.items() if text}

    def clean(self) -> dict[str, Any]:
        """A tool of another workspace is told at its field."""
        values: dict[str, Any] = super().clean() or {}
        known = self.instance.workspace if self.instance.workspace_id else None
        workspace = values.get("workspace") or known
        if workspace and _are_elsewhere(values.get("tools", ()), workspace):
            self.add_error("tools", _("This tool belongs to another workspace."))
        return values


def _are_elsewhere(keys: Iterable[str], workspace: Workspace) -> bool:
    return any(not contract.is_for(workspace.pk) for contract in registry.many(keys).values())


def _tool_choices(workspaces: list[Workspace], held: list[str]) -> list[tuple[str, str]]:
    """Return the tools to choose from; those that the group has and that are gone stay to be seen."""
    found = {
        contract.key: f"{contract.title} ({contract.key})"
        for workspace in workspaces
        for contract in registry.of(workspace.pk)
    }
    return [(key, found.get(key, key)) for key in sorted({*found, *held})]


@admin.register(ToolGroup)
class ToolGroupAdmin(Columns, ModelAdmin):
    """The groups of the workspaces in which this person designs."""

    form = ToolGroupForm
    change_list_template = "admin/desk/groups.html"
    list_display = ("shown_name", "shown_key", "shown_workspace", "tools")
    list_filter = (("workspace", admin.RelatedOnlyFieldListFilter),)
    search_fields = ("key", "name")
    ordering = ("workspace", "key")
    actions = None

    class Media:
        css = {"all": ("admin_desk/desk.css",)}

    def get_queryset(self, request: HttpRequest) -> QuerySet[ToolGroup]:
        theirs = designing.workspaces_designed(person(request))
        found = ToolGroup.objects.filter(workspace__in=theirs).select_related("workspace")
        return found.annotate(size=Count("entries"))

    @admin.display(description=_("tool group"), ordering="key")
    def shown_name(self, group: ToolGroup) -> str:
        return name_of(group.name, group.key)

    @admin.display(description=_("tools"))
    def tools(self, group: Any) -> int:
        return int(group.size)

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        place = ("shown_workspace", "shown_key") if obj else ("workspace", "key")
        return (*place, "name_en", "name_fr", "tools")

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        return ("shown_workspace", "shown_key") if obj else ()  # steps name it by them

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "workspace":
            kwargs["queryset"] = designing.workspaces_designed(person(request))
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: ToolGroup, form: Any, change: bool) -> None:
        names, tools, actor = form.names, form.cleaned_data["tools"], person(request)
        if change:
            tool_group_change(obj, name=names, tools=tools, actor=actor)
            obj.name = names  # what the person is told was changed
            return
        made = tool_group_create(obj.workspace, key=obj.key, name=names, tools=tools, actor=actor)
        obj.pk, obj._state.adding = made.pk, False

    def delete_model(self, request: HttpRequest, obj: ToolGroup) -> None:
        tool_group_remove(obj, actor=person(request))

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Delete, or say why not: nothing then says that it was deleted, neither page nor history."""
        try:
            return super().delete_view(request, object_id, extra_context)
        except MandateError as error:
            messages.error(request, str(error))
            return redirect("admin:activities_toolgroup_change", object_id)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        user = request.user
        if not isinstance(user, User):
            return False
        if obj is None:
            return designing.designs_somewhere(user)
        return designing.workspaces_designed(user).filter(pk=obj.workspace_id).exists()

    has_change_permission = has_view_permission
    has_delete_permission = has_view_permission

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)
