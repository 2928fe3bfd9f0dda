from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RunsConfig(AppConfig):
    """What is done."""

    name = "runs"
    verbose_name = _("Runs")
