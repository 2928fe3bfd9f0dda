from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules
from django.utils.translation import gettext_lazy as _


class ActivitiesConfig(AppConfig):
    """What may be done. At start, every installed app's `tools.py` is read and checked."""

    name = "activities"
    verbose_name = _("Activities")

    def ready(self) -> None:
        from activities.tools import registry

        autodiscover_modules("tools")
        registry.check()
