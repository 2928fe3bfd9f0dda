"""The second start: from the command to a page that answers, as `make run` does it."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
from time import perf_counter
from urllib.error import URLError
from urllib.request import urlopen

from benchmarks.table import Row
from tests.environment import REPOSITORY

PATIENCE_SECONDS = 120.0


def measure() -> list[Row]:
    """Return the rows of the first and the second start, in a folder of their own."""
    with tempfile.TemporaryDirectory() as folder:
        first, second = _start(folder), _start(folder)
    return [
        Row("start: the first, database and demo data included", f"{first:.1f} s"),
        Row("start: the second", f"{second:.1f} s", "aim 6 s"),
    ]


def _start(folder: str) -> float:
    port = _free_port()
    environment = {**os.environ, "VAR_DIR": folder, "DEMO": "1", "PORT": str(port)}
    started = perf_counter()
    process = subprocess.Popen(
        [sys.executable, "manage.py", "serve"],
        cwd=REPOSITORY,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while not _answers(port):
            if process.poll() is not None or perf_counter() - started > PATIENCE_SECONDS:
                raise SystemExit("The site did not start; `make run` says why.")
        return perf_counter() - started
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


def _answers(port: int) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/accounts/sign-in/", timeout=2) as page:
            return bool(page.status == 200)
    except (URLError, OSError):
        return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
