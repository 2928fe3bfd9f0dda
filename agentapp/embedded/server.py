"""Start, find and stop the server process."""

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import psutil

from agentapp.embedded.cluster import server_environment
from agentapp.embedded.errors import EmbeddedError
from agentapp.embedded.places import PORT, Places, programs

START_SECONDS = 30.0
STOP_SECONDS = 20.0
POLL_SECONDS = 0.02
STATUS_LINE = 7

#: Modest: the server shares a small machine with the web server and the workers.
PARAMETERS = {
    "port": str(PORT),
    "listen_addresses": "",
    "shared_buffers": "128MB",
    "max_connections": "120",
    "max_parallel_workers_per_gather": "0",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "log_timezone": "UTC",
    "timezone": "UTC",
}
#: The sessions of a server that was killed need a moment to notice.
STILL_IN_USE = "shared memory block"
#: For data that is thrown away.
NOT_DURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def running_pid(places: Places) -> int | None:
    """The pid of the server on this data folder; None when there is none or it is somebody else's pid."""
    lines = _pid_lines(places)
    if not lines:
        return None
    pid = int(lines[0])
    return pid if _is_server(pid, places.data) else None


def start(places: Places, durable: bool = True) -> None:
    """Start and wait until it takes connections."""
    _drop_reused_pid_file(places)
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            return _start_once(places, durable)
        except EmbeddedError as error:
            if STILL_IN_USE not in str(error) or time.monotonic() > deadline:
                raise
        time.sleep(POLL_SECONDS)


def _start_once(places: Places, durable: bool) -> None:
    parameters = PARAMETERS | {"unix_socket_directories": str(places.socket_dir)}
    if not durable:
        parameters |= NOT_DURABLE
    arguments = [str(programs(places.account) / "postgres"), "-D", str(places.data)]
    for name, value in parameters.items():
        arguments += ["-c", f"{name}={value}"]
    with places.log.open("wb") as log:
        process = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", env=server_environment(),
            start_new_session=True, **places.account.process_options(),
        )  # fmt: skip
    _wait_ready(places, process)


def stop(places: Places) -> None:
    """Fast shutdown; open transactions roll back. An unwilling server is stopped at once."""
    pid = running_pid(places)
    if pid is None:
        return
    for number in (signal.SIGINT, signal.SIGQUIT):
        os.kill(pid, number)
        if _gone(pid, places.data, STOP_SECONDS):
            return
    raise EmbeddedError(f"The embedded PostgreSQL (process {pid}) does not stop. Its log is {places.log}.")


def _wait_ready(places: Places, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        lines = _pid_lines(places)
        if _is_ready(lines, process.pid):
            return
        if process.poll() is not None:
            raise EmbeddedError(f"The embedded PostgreSQL did not start: {_last_words(places.log)}")
        time.sleep(POLL_SECONDS)
    waited = f"{START_SECONDS:.0f} seconds"
    raise EmbeddedError(f"The embedded PostgreSQL was not ready after {waited}; see {places.log}.")


def _is_ready(lines: list[str], pid: int) -> bool:
    return len(lines) > STATUS_LINE and lines[STATUS_LINE].strip() == "ready" and int(lines[0]) == pid


def _last_words(log: Path) -> str:
    return " ".join(log.read_text(errors="replace").split())[-500:] or f"its log {log} is empty."


def _pid_lines(places: Places) -> list[str]:
    try:
        return (places.data / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return []


def _is_server(pid: int, data: Path) -> bool:
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return False
        command = process.cmdline()
    except psutil.Error:
        return False
    return bool(command) and Path(command[0]).name == "postgres" and str(data) in command


def _drop_reused_pid_file(places: Places) -> None:
    """A crash leaves ``postmaster.pid``; PostgreSQL removes it unless its pid now is another process's."""
    lines = _pid_lines(places)
    if lines and psutil.pid_exists(int(lines[0])) and not _is_server(int(lines[0]), places.data):
        (places.data / "postmaster.pid").unlink()


def _gone(pid: int, data: Path, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        _reap(pid)
        if not _is_server(pid, data):
            return True
        time.sleep(POLL_SECONDS)
    return False


def _reap(pid: int) -> None:
    """Collect the exit status if the server is our own child, so that no zombie stays."""
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
