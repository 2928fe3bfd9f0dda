"""The three ways in which a model leaves the legitimate path, each occurrence on record by its name."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from activities.models.fields import Identified
from runs.models.calls import ModelCall, ToolCall
from runs.models.run import Run, RunStep


class FailureKind(models.TextChoices):
    PREMATURE_END = "premature_end", _("premature end")  #: It stops while a step is open.
    IMAGINED_RESULT = "imagined_result", _("imagined result")  #: It speaks of a result no fact holds.
    SCOPE = "scope", _("outside the step")  #: It asks for a tool or a value the step does not give it.


class RunFailure(Identified):
    """One occurrence, with the model call it came with. It takes nothing from a verdict, and adds nothing."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="failures")
    step = models.ForeignKey(RunStep, null=True, on_delete=models.CASCADE, related_name="failures")
    model_call = models.ForeignKey(ModelCall, null=True, on_delete=models.SET_NULL, related_name="failures")
    call = models.ForeignKey(ToolCall, null=True, on_delete=models.SET_NULL, related_name="failures")
    kind = models.CharField(max_length=16, choices=FailureKind.choices)
    detail = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("failure of the model")
        verbose_name_plural = _("failures of the model")
        ordering = ["id"]

    def __str__(self) -> str:
        return self.kind
