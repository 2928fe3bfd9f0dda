"""The ground of a benchmark: a database with the demonstration's data, dropped afterwards."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from tests import databases
from tests.environment import REPOSITORY


@contextmanager
def demo_database() -> Iterator[str]:
    """Point Django's connection at a fresh copy of the demo database; give its DATABASE_URL."""
    name = f"bench_mandate_{os.getpid()}"
    with databases.running() as server:
        server.drop(name)
        server.copy(server.demo_template(), name)
        usual = connection.settings_dict["NAME"]
        connection.settings_dict["NAME"] = name
        try:
            yield server.url(name)
        finally:
            connection.close()
            connection.settings_dict["NAME"] = usual
            server.drop(name)


@contextmanager
def loopback_model(*options: str) -> Iterator[str]:
    """Start the benchmark's model in its own process; give its base URL."""
    command = [sys.executable, "-m", "benchmarks.model", *options]
    process = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().strip() if process.stdout else ""
    finally:
        process.terminate()
        process.wait(10)
