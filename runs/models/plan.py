"""What one message asks for, when it asks for several things: a short plan, carried out run by run."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from activities.models import Activity
from activities.models.fields import Identified
from runs.models.conversation import Conversation
from runs.states import PartState


class Plan(Identified):
    """The parts of one message, in order. Each is a run of its own; one works at a time."""

    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="plans")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("plan")
        verbose_name_plural = _("plans")
        ordering = ["id"]

    def __str__(self) -> str:
        return str(self.pk)


class PlanPart(Identified):
    """One thing asked for: the activity, the words it stands in, the earlier part it builds on, if any."""

    plan = models.ForeignKey(Plan, on_delete=models.CASCADE, related_name="parts")
    position = models.PositiveSmallIntegerField()
    activity = models.ForeignKey(Activity, on_delete=models.PROTECT, related_name="+")
    words = models.TextField()
    needs = models.PositiveSmallIntegerField(null=True, help_text=_("The position of the part it builds on."))
    state = models.CharField(max_length=8, choices=PartState.choices, default=PartState.PENDING)

    class Meta:
        verbose_name = _("part of a plan")
        verbose_name_plural = _("parts of a plan")
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["plan", "position"], name="plan_part_once_per_position")
        ]
        indexes = [
            models.Index(
                fields=["plan"],
                name="plan_part_to_come",
                condition=models.Q(state__in=(PartState.PENDING, PartState.HELD)),
            )
        ]

    def __str__(self) -> str:
        return f"{self.position}: {self.state}"
