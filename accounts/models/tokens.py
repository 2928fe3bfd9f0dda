"""Personal tokens for programs."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from agentapp.kernel.ids import uuid7


class Scope(models.TextChoices):
    """What a token may be used for. Each stands alone: `decide` does not include `write`."""

    READ = "read", _("Read conversations, runs and events")
    WRITE = "write", _("Post messages, answer questions, stop runs")
    DECIDE = "decide", _("Confirm or refuse actions")


class ApiToken(models.Model):
    """A secret that stands for a person. Only its hash is kept; the secret is shown once."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, verbose_name=_("user"), on_delete=models.CASCADE, related_name="api_tokens"
    )
    name = models.CharField(_("name"), max_length=80)
    #: The readable beginning of the secret, by which the row is found.
    prefix = models.CharField(_("begins with"), max_length=24, unique=True, editable=False)
    #: SHA-256 of the whole secret. Enough without a salt: the secret has 256 random bits.
    hash = models.CharField(max_length=64, editable=False)
    scopes = models.JSONField(_("scopes"), default=list)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True, blank=True, editable=False)
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True, editable=False)

    class Meta:
        verbose_name = _("API token")
        verbose_name_plural = _("API tokens")
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"
