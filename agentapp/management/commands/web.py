"""``manage.py web``: the web server alone."""

import argparse
from typing import Any

from daphne.cli import CommandLineInterface
from django.core.management.base import BaseCommand

from agentapp.config import Config, get_config
from agentapp.webserver import bound_daphne


class Command(BaseCommand):
    help = "Run the web server on HOST and PORT, or on a socket inherited from a supervisor."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--endpoint", help="a Twisted endpoint, for example fd:fileno=3")

    def handle(self, *args: Any, **options: Any) -> None:
        bound_daphne()
        CommandLineInterface().run(daphne_arguments(get_config(), options["endpoint"]))


def daphne_arguments(config: Config, endpoint: str | None) -> list[str]:
    where = ["--endpoint", endpoint] if endpoint else ["-b", config.host, "-p", str(config.port)]
    return [*where, "--verbosity", "0", "--no-server-name", "agentapp.asgi:application"]
