"""What discovery missed: a card a request should have been led to, and was not."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import Workspace
from activities.models import DiscoveryLog, EvaluationResult
from activities.models.discovery import DiscoveryStage
from activities.models.fields import Identified
from runs.models.run import Run


class MissCause(models.TextChoices):
    """How it became known."""

    FOUND_LATER = "found_later", _("found later")  #: The model or the person got there by other words.
    NAMED = "named", _("named by a person")  #: Somebody said that there was something for it.
    EXPECTED = "expected", _("expected by a test prompt")  #: An evaluation expected what was not shown.


class Missed(Identified):
    """One false negative. A request misses a card once, however often and in whatever way it becomes known.

    `cause` is how it became known first; `named_by` is who said so, then or later. `query` and `language` are
    the search's, with protected values as tokens. `log` is the search that missed; empty where no search took
    place or none is kept, as in trials.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    run = models.ForeignKey(Run, null=True, on_delete=models.SET_NULL, related_name="missed")
    log = models.ForeignKey(DiscoveryLog, null=True, on_delete=models.CASCADE, related_name="missed")
    result = models.ForeignKey(EvaluationResult, null=True, on_delete=models.CASCADE, related_name="missed")
    stage = models.CharField(max_length=6, choices=DiscoveryStage.choices)
    key = models.CharField(max_length=200)
    #: The card's name as it was read then.
    label = models.CharField(max_length=200, blank=True)
    query = models.TextField()
    language = models.CharField(max_length=8)
    cause = models.CharField(max_length=12, choices=MissCause.choices)
    named_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    named_at = models.DateTimeField(null=True)
    #: Who looked at it and said that it was another request after all: then it counts nowhere.
    struck_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    struck_at = models.DateTimeField(null=True)
    #: When the search was made, or the prompt was run.
    searched_at = models.DateTimeField()
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("missed card")
        verbose_name_plural = _("missed cards")
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["run", "stage", "key"], name="missed_once_per_run")]
        indexes = [models.Index(fields=["workspace", "-searched_at"], name="missed_lately")]

    def __str__(self) -> str:
        return f"{self.key}: {self.cause}"
