"""Agents and their numbered revisions."""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import Workspace
from activities.models.fields import Identified, TextsField, in_language


class Agent(Identified):
    """A named set of activities of one workspace."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="agents")
    key = models.SlugField(max_length=64)
    name = TextsField()
    description = TextsField()
    second_person = models.BooleanField(
        default=False,
        verbose_name=_("a second person publishes"),
        help_text=_("A draft is published by somebody who has not worked on it."),
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("agent")
        verbose_name_plural = _("agents")
        constraints = [
            models.UniqueConstraint(fields=["workspace", "key"], name="agent_key_once_per_workspace")
        ]
        permissions = [
            ("use_agent", _("may use every activity of this agent")),
            ("design_agent", _("may change this agent's drafts")),
            ("publish_agent", _("may publish and retire this agent's revisions")),
            ("approve_agent", _("may decide other people's confirmations and escalations of this agent")),
        ]

    def __str__(self) -> str:
        return in_language(self.name, "en") or self.key


class RevisionState(models.TextChoices):
    DRAFT = "draft", _("draft")  #: Can be changed; only trials run on it.
    PUBLISHED = "published", _("published")  #: Frozen; at most one per agent; new runs are pinned to it.
    RETIRED = "retired", _("retired")  #: Frozen; runs that are pinned to it finish on it.


class Revision(Identified):
    """A numbered snapshot of an agent. Published and retired ones are frozen, also by the database."""

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=RevisionState.choices, default=RevisionState.DRAFT)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    published_at = models.DateTimeField(null=True, blank=True)
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    note = models.TextField(blank=True)
    #: Counts the changes; a change made on an older version is refused.
    version = models.PositiveIntegerField(default=1, editable=False)
    changed_at = models.DateTimeField(null=True, blank=True, editable=False)
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        editable=False,
        on_delete=models.SET_NULL,
        related_name="+",
    )
    required_pass_rate = models.DecimalField(
        max_digits=5,
        decimal_places=2,
        null=True,
        blank=True,
        validators=[MinValueValidator(0), MaxValueValidator(100)],
        verbose_name=_("required pass rate"),
        help_text=_("In percent of the test prompts. Below it, the revision cannot be published."),
    )

    class Meta:
        verbose_name = _("revision")
        verbose_name_plural = _("revisions")
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["agent", "number"], name="revision_number_once_per_agent"),
            models.UniqueConstraint(
                fields=["agent"],
                condition=models.Q(state="published"),
                name="one_published_revision_per_agent",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=RevisionState.values), name="revision_state_is_known"
            ),
            models.CheckConstraint(
                condition=models.Q(required_pass_rate__isnull=True)
                | models.Q(required_pass_rate__gte=0, required_pass_rate__lte=100),
                name="required_pass_rate_is_a_percentage",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.agent} #{self.number}"


class ActivityIdentity(Identified):
    """What stays the same of an activity across revisions: rights are granted on this."""

    #: How a right on this row leads to the workspace whose membership it needs.
    workspace_path = "agent__workspace"

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="identities")
    key = models.SlugField(max_length=64)

    class Meta:
        verbose_name = _("activity identity")
        verbose_name_plural = _("activity identities")
        constraints = [models.UniqueConstraint(fields=["agent", "key"], name="activity_key_once_per_agent")]
        permissions = [
            ("use_activity", _("may use this activity")),
            ("design_activity", _("may change this activity in drafts")),
            (
                "approve_activity",
                _("may decide other people's confirmations and escalations of this activity"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.agent.key}.{self.key}"
