from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules
from django.utils.translation import gettext_lazy as _


class ActivitiesConfig(AppConfig):
    """What may be done. At start, every installed app's `tools.py` is read and checked."""

    name = "activities"
    verbose_name = _("Activities")

    def ready(self) -> None:
        from accounts.standing import scope_permission
        from activities.mcp.source import source
        from activities.models import McpServer
        from activities.tools import registry

        autodiscover_modules("tools")
        registry.check()
        registry.add_source(source)
        scope_permission("use_mcpserver", McpServer)
