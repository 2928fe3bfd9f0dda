"""Logging: one line an entry on stderr, ``key=value`` in front so that it can be searched."""

import logging
import time
from typing import Any

QUIET = ("daphne", "django.channels", "asyncio", "httpx2", "httpcore2", "openai", "procrastinate", "twisted")


LINE = "time={asctime}.{msecs:03.0f}Z level={levelname} logger={name} pid={process} {message}"


class UtcFormatter(logging.Formatter):
    """Times as the database has them."""

    def converter(self, seconds: float | None) -> time.struct_time:
        return time.gmtime(seconds)


def logging_settings(level: str) -> dict[str, Any]:
    quiet = "DEBUG" if level == "DEBUG" else "WARNING"
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "()": "agentapp.logs.UtcFormatter",
                "format": LINE,
                "datefmt": "%Y-%m-%dT%H:%M:%S",
                "style": "{",
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {name: {"level": quiet} for name in QUIET}
        # The SDK prints what a server wrote, and its own traces; what matters of a failure is told by us.
        | {"mcp": {"level": quiet if level == "DEBUG" else "CRITICAL"}}
        | {"django": {"handlers": [], "level": level, "propagate": True}},
    }
