"""How a server is doing, in its row, so that all workers know: seen, failing, left alone for a while."""

from datetime import timedelta

from django.db.models import F, Q
from django.utils import formats, timezone
from django.utils.translation import gettext as _

from activities.models import McpServer
from activities.tools import ToolUnavailable

FIRST_PAUSE = timedelta(seconds=10)
LONGEST_PAUSE = timedelta(minutes=10)


def require_turn(server: McpServer) -> None:
    """Raise ToolUnavailable while the server is left alone. When a pause is over, one caller tries first."""
    now = timezone.now()
    if server.retry_at is None:
        return
    due = McpServer.objects.filter(pk=server.pk, retry_at=server.retry_at, retry_at__lte=now)
    if not due.update(retry_at=now + FIRST_PAUSE):
        until = formats.date_format(timezone.localtime(server.retry_at), "TIME_FORMAT")
        raise ToolUnavailable(
            _("%(server)s did not answer lately. It is tried again after %(time)s.")
            % {"server": server.name, "time": until}
        )


def was_well(server: McpServer) -> None:
    """Note that the server answered. Written at most once a minute while all is well."""
    now = timezone.now()
    stale = Q(failures__gt=0) | Q(seen_at=None) | Q(seen_at__lt=now - timedelta(minutes=1))
    McpServer.objects.filter(stale, pk=server.pk).update(
        seen_at=now, failures=0, retry_at=None, last_error=""
    )


def was_ill(server: McpServer, why: str) -> None:
    """Note a failure; the more in a row, the longer the server is left alone."""
    failures = McpServer.objects.values_list("failures", flat=True).get(pk=server.pk)
    pause = min(FIRST_PAUSE * 2 ** min(failures, 10), LONGEST_PAUSE)
    McpServer.objects.filter(pk=server.pk).update(
        failures=F("failures") + 1, retry_at=timezone.now() + pause, last_error=why[:500]
    )
