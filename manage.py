#!/usr/bin/env python3
"""Django's commands, with the embedded database running while one of them needs it."""

import os
import signal
import sys
from contextlib import nullcontext
from types import FrameType

#: These do their work without a database; ``serve`` starts it itself, after its own checks.
WITHOUT_DATABASE = {"collectstatic", "compilemessages", "help", "makemessages", "serve", "version"}
#: Long-running ones share connections between their threads.
POOLED = {"web": "20", "worker": "30"}


def main() -> None:
    from agentapp.supervision.orphans import end_with_supervisor

    end_with_supervisor()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agentapp.settings")
    command = sys.argv[1] if len(sys.argv) > 1 else "help"
    if command in POOLED:
        os.environ.setdefault("DATABASE_POOL", POOLED[command])
    signal.signal(signal.SIGTERM, _leave_in_order)
    run(command)


def run(command: str) -> None:
    from agentapp.kernel.memory import loading

    with loading():
        import django
        from django.core.management import execute_from_command_line

        from agentapp.database import embedded_database

        django.setup()
    with nullcontext() if command in WITHOUT_DATABASE else embedded_database():
        execute_from_command_line(sys.argv)


def _leave_in_order(number: int, frame: FrameType | None) -> None:
    """SIGTERM unwinds the stack, so that a database started for this command is stopped."""
    sys.exit(128 + number)


if __name__ == "__main__":
    main()
