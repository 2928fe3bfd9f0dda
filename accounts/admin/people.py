"""People. Staff who are not superusers administrate ordinary people only, and never their own rights."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from django.db import transaction
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from unfold.forms import AdminPasswordChangeForm, UserCreationForm

from accounts import actions
from accounts.admin.base import NoDeletion, person
from accounts.models import User

#: Rights are given to the groups of a workspace, where they are checked and recorded.
admin.site.unregister(Group)

SUPERUSER_ONLY = ("is_staff", "is_superuser", "user_permissions")


class NewUserForm(UserCreationForm):
    class Meta:
        model = User
        fields = ("email", "full_name", "language", "time_zone")


class UserForm(forms.ModelForm):
    class Meta:
        model = User
        fields = (
            "email",
            "full_name",
            "language",
            "time_zone",
            "is_active",
            "is_staff",
            "is_superuser",
            "user_permissions",
        )


@admin.register(User)
class UserAdmin(DjangoUserAdmin, NoDeletion):
    form = UserForm
    add_form = NewUserForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("full_name", "email", "is_active", "is_staff", "last_login")
    list_filter = ("is_active", "is_staff", "language")
    search_fields = ("full_name", "email")
    ordering = ("full_name", "email")
    filter_horizontal = ("user_permissions",)
    readonly_fields = ("password_link", "raw_disclosure", "last_login", "date_joined")
    fieldsets = (
        (None, {"fields": ("email", "full_name", "language", "time_zone", "password_link")}),
        (_("Access"), {"fields": ("is_active", *SUPERUSER_ONLY)}),
        (_("For information"), {"fields": ("raw_disclosure", "last_login", "date_joined")}),
    )
    add_fieldsets = (
        (None, {"fields": ("email", "full_name", "language", "time_zone")}),
        (_("Password"), {"fields": ("usable_password", "password1", "password2")}),
    )

    @admin.display(description=_("Password"))
    def password_link(self, user: User) -> SafeString:
        url = reverse("admin:auth_user_password_change", args=[user.pk])
        return format_html('<a href="{}">{}</a>', url, _("Set a new password"))

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Whoever could set a superuser's password would be one."""
        reserved = isinstance(obj, User) and obj.is_staff and obj.pk != request.user.pk
        return super().has_change_permission(request, obj) and (person(request).is_superuser or not reserved)

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        mine_only = () if person(request).is_superuser else SUPERUSER_ONLY
        return (*super().get_readonly_fields(request, obj), *mine_only)

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        if change:
            changes = {name: form.cleaned_data[name] for name in form.changed_data}
            actions.user_administer(obj, changes, actor=person(request))
            return
        values = {name: form.cleaned_data[name] for name in NewUserForm.Meta.fields}
        password = form.cleaned_data.get("password1") or None
        created = actions.user_create(**values, password=password, actor=person(request))
        obj.pk, obj._state.adding = created.pk, False

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """The action has saved the permissions, and recorded them."""

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:  # noqa: A002
        with transaction.atomic():
            response = super().user_change_password(request, id, form_url)
            if request.method == "POST" and response.status_code == 302:
                actions.password_was_set(User.objects.get(pk=id), actor=person(request))
        return response
