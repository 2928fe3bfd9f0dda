"""Failed sign-ins, counted so that guessing becomes slow."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class SignInThrottle(models.Model):
    """Failures since `since` for one key; keys are digests, so that no address is kept here."""

    key = models.CharField(primary_key=True, max_length=64)
    failures = models.PositiveIntegerField(default=0)
    since = models.DateTimeField()

    class Meta:
        verbose_name = _("failed sign-ins")
        verbose_name_plural = _("failed sign-ins")

    def __str__(self) -> str:
        return f"{self.failures} since {self.since:%Y-%m-%d %H:%M}"
