"""Protected values and the tokens that stand for them."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from activities.models.fields import Identified
from runs.models.run import Run


class ProtectedValue(Identified):
    """A value a model may not see, and the stable token it sees instead, within one run."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="protected_values")
    kind = models.CharField(max_length=40)
    token = models.CharField(max_length=60)
    value = models.TextField()

    class Meta:
        verbose_name = _("protected value")
        verbose_name_plural = _("protected values")
        constraints = [
            models.UniqueConstraint(fields=["run", "token"], name="token_once_per_run"),
            models.UniqueConstraint(fields=["run", "kind", "value"], name="protected_value_once_per_run"),
        ]

    def __str__(self) -> str:
        return self.token
