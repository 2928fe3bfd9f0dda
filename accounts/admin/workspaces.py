"""Workspaces, who belongs to them, and their groups with their rights."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.models import Group, Permission
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from accounts import actions, selectors
from accounts.admin.base import NoDeletion, person
from accounts.models import Membership, Role, Workspace, WorkspaceGroup

#: Permissions about the administration itself; only superusers give them away.
MANAGEMENT = (
    "accounts", "admin", "auth", "contenttypes", "guardian", "procrastinate", "sessions",
)  # fmt: skip


@admin.register(Workspace)
class WorkspaceAdmin(NoDeletion):
    list_display = ("name", "slug", "default_language")
    search_fields = ("name", "slug")

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        return ("name", "slug", "default_language", *(("escalation_group",) if obj else ()))

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        return ("slug",) if obj else ()  # the groups are named after it

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change, **kwargs)
        if "escalation_group" in form.base_fields:
            form.base_fields["escalation_group"].queryset = Group.objects.filter(
                workspace_group__workspace=obj
            )
        return form

    def save_model(self, request: HttpRequest, obj: Workspace, form: Any, change: bool) -> None:
        values = form.cleaned_data
        if change:
            changes = {name: values[name] for name in form.changed_data}
            actions.workspace_administer(obj, changes, actor=person(request))
            return
        created = actions.workspace_create(**values, actor=person(request))
        obj.pk, obj._state.adding = created.pk, False


class MembershipForm(forms.ModelForm):
    roles = forms.MultipleChoiceField(
        label=_("Roles"), choices=Role.choices, required=False, widget=UnfoldAdminCheckboxSelectMultipleWidget
    )
    groups = forms.ModelMultipleChoiceField(
        label=_("Groups"),
        queryset=Group.objects.filter(workspace_group__role="").select_related("workspace_group__workspace"),
        required=False,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text=_("Groups that this workspace made itself."),
    )

    class Meta:
        model = Membership
        fields = ("user", "workspace", "active")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance._state.adding:
            return
        groups: Any = self.fields["groups"]
        groups.queryset = groups.queryset.filter(workspace_group__workspace=self.instance.workspace)
        self.initial["roles"] = selectors.roles_in(self.instance.user, self.instance.workspace)
        self.initial["groups"] = groups.queryset.filter(user=self.instance.user)

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        workspace = values.get("workspace") or getattr(self.instance, "workspace", None)
        if any(group.workspace_group.workspace != workspace for group in values.get("groups") or ()):
            raise ValidationError({"groups": _now("This group belongs to another workspace.")})
        return values


@admin.register(Membership)
class MembershipAdmin(NoDeletion):
    form = MembershipForm
    list_display = ("user", "workspace", "active")
    list_filter = ("workspace", "active")
    list_select_related = ("user", "workspace")
    search_fields = ("user__full_name", "user__email")
    autocomplete_fields = ("user",)
    fields = ("user", "workspace", "active", "roles", "groups")

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        return ("user", "workspace") if obj else ()

    def save_model(self, request: HttpRequest, obj: Membership, form: Any, change: bool) -> None:
        values, actor = form.cleaned_data, person(request)
        if values["active"] or not change:
            roles, groups = values["roles"], values["groups"]
            saved = actions.member_add(obj.workspace, obj.user, roles, groups=groups, actor=actor)
            obj.pk, obj._state.adding = saved.pk, False
        elif change and "active" in form.changed_data:
            actions.member_remove(obj.workspace, obj.user, actor=actor)


class WorkspaceGroupForm(forms.ModelForm):
    permissions = forms.ModelMultipleChoiceField(
        label=_("Rights everywhere in the workspace"),
        queryset=Permission.objects.none(),
        required=False,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
    )

    class Meta:
        model = WorkspaceGroup
        fields = ("workspace", "label")


@admin.register(WorkspaceGroup)
class WorkspaceGroupAdmin(NoDeletion):
    form = WorkspaceGroupForm
    list_display = ("label", "workspace", "role")
    list_filter = ("workspace", "role")
    list_select_related = ("workspace",)
    search_fields = ("label",)
    fields = ("workspace", "label", "permissions")

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        return ("workspace", "label") if obj else ()

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change, **kwargs)
        field: Any = form.base_fields["permissions"]
        field.queryset = self.offered(request)
        field.initial = field.queryset.filter(group__workspace_group=obj) if obj else None
        return form

    def offered(self, request: HttpRequest) -> QuerySet[Permission]:
        """Return the permissions this person may give or take here."""
        everything = Permission.objects.select_related("content_type")
        if person(request).is_superuser:
            return everything
        return everything.exclude(content_type__app_label__in=MANAGEMENT)

    def save_model(self, request: HttpRequest, obj: WorkspaceGroup, form: Any, change: bool) -> None:
        actor = person(request)
        if not change:
            group = actions.group_create(obj.workspace, obj.label, actor=actor)
            obj.pk, obj.group, obj._state.adding = group.workspace_group.pk, group, False
        offered, wanted = self.offered(request), form.cleaned_data["permissions"]
        actions.group_permissions_set(obj.group, wanted=wanted, among=offered, actor=actor)
