"""``manage.py serve``: the whole site from one command, until Ctrl-C."""

import socket
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils.module_loading import import_string

from agentapp.config import Config, get_config, refuse
from agentapp.database import embedded_database
from agentapp.embedded import EmbeddedError
from agentapp.startup import prepare
from agentapp.supervision.child import Child
from agentapp.supervision.errors import CannotServe
from agentapp.supervision.health import answers
from agentapp.supervision.listening import endpoint, listen, visitor_address
from agentapp.supervision.supervisor import Supervisor

START_SECONDS = 60.0
WEB_CONNECTIONS = 20
#: Besides one for each job: the periodic tasks and the housekeeping.
SPARE_CONNECTIONS = 5


class Command(BaseCommand):
    help = "Run database (unless DATABASE_URL is set), web server and worker until Ctrl-C."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        config = get_config()
        try:
            with listen(config.host, config.port) as listener, embedded_database() as look_after:
                prepare(self._say)
                self._supervise(config, listener, look_after)
        except (CannotServe, EmbeddedError) as error:
            refuse([str(error)])

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()

    def _supervise(self, config: Config, listener: socket.socket, look_after: Callable[[], None]) -> None:
        with Supervisor(children(config, listener), look_after) as supervisor:
            address = visitor_address(listener)
            if supervisor.wait_until(lambda: answers(address, config.allowed_hosts), START_SECONDS):
                self._say(welcome(config, listener))
                supervisor.run()


def children(config: Config, listener: socket.socket) -> list[Child]:
    worker_pool = str(config.worker_concurrency + SPARE_CONNECTIONS)
    return [
        Child(
            "web server",
            ["web", "--endpoint", endpoint(listener)],
            {"DATABASE_POOL": str(config.database_pool or WEB_CONNECTIONS)},
            (listener.fileno(),),
        ),
        Child("worker", ["worker"], {"DATABASE_POOL": worker_pool}),
    ]


def welcome(config: Config, listener: socket.socket) -> str:
    """Where to go and, in the demonstration, who to be."""
    host = "localhost" if config.host in {"127.0.0.1", "0.0.0.0"} else config.host  # noqa: S104
    lines = [f"{settings.SITE_NAME} is ready: http://{host}:{listener.getsockname()[1]}/"]
    if settings.DEMO:
        sign_ins = import_string(settings.DEMO_SIGN_INS)()
        lines += ["Sign in as:", *(f"  {email}  {password}  ({role})" for email, password, role in sign_ins)]
    return "\n".join([*lines, "Ctrl-C ends it."])
