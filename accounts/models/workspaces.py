"""Workspaces, who belongs to them, and their groups."""

from django.conf import settings
from django.contrib.auth.models import Group
from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models.people import Language
from agentapp.kernel.ids import uuid7


class Role(models.TextChoices):
    """What a member does here. One Django group per workspace and role."""

    BUSINESS = "business", _("Business user")
    DESIGNER = "designer", _("Designer")
    APPROVER = "approver", _("Approver")
    AUDITOR = "auditor", _("Auditor")


class Workspace(models.Model):
    """A tenant: a business unit with its own members, agents, tools and runs."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    slug = models.SlugField(_("short name"), max_length=50, unique=True)
    name = models.CharField(_("name"), max_length=120)
    default_language = models.CharField(
        _("default language"), max_length=2, choices=Language.choices, default=Language.ENGLISH
    )
    escalation_group = models.ForeignKey(
        Group,
        verbose_name=_("escalations go to"),
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
    )
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("workspace")
        verbose_name_plural = _("workspaces")
        ordering = ["name"]
        permissions = [
            ("view_all_runs", "Can see everybody's runs"),
            ("approve_runs", "Can decide other people's actions and escalations"),
            ("design_agents", "Can design and publish agents"),
            ("export_audit", "Can export the audit history"),
        ]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """That a person belongs to a workspace. What they may do there comes from its groups."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("user"),
        on_delete=models.CASCADE,
        related_name="memberships",
    )
    workspace = models.ForeignKey(
        Workspace, verbose_name=_("workspace"), on_delete=models.CASCADE, related_name="memberships"
    )
    active = models.BooleanField(_("active"), default=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("membership")
        verbose_name_plural = _("memberships")
        ordering = ["workspace", "user"]
        constraints = [
            models.UniqueConstraint(fields=["user", "workspace"], name="membership_once"),
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.workspace}"


class WorkspaceGroup(models.Model):
    """A Django group that belongs to one workspace: a role's group, or one the workspace made itself."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    workspace = models.ForeignKey(
        Workspace, verbose_name=_("workspace"), on_delete=models.CASCADE, related_name="workspace_groups"
    )
    group = models.OneToOneField(
        Group, verbose_name=_("group"), on_delete=models.CASCADE, related_name="workspace_group"
    )
    #: Empty for a custom group.
    role = models.CharField(_("role"), max_length=16, choices=Role.choices, blank=True, default="")
    label = models.CharField(_("label"), max_length=80)

    class Meta:
        verbose_name = _("workspace group")
        verbose_name_plural = _("workspace groups")
        ordering = ["workspace", "label"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "label"], name="workspace_group_label_once"),
            models.UniqueConstraint(
                fields=["workspace", "role"],
                condition=~models.Q(role=""),
                name="workspace_group_role_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.workspace} · {self.label}"
