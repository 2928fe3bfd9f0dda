"""``manage.py serve``, as a real process: it starts everything, and leaves nothing."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from agentapp.supervision.child import Child
from agentapp.supervision.health import answers
from tests.databases import RUN_PREFIX, TestServer
from tests.environment import REPOSITORY, RUN_ID

pytestmark = [pytest.mark.processes, pytest.mark.timeout(180)]
SECONDS = 60


class Serving:
    """One ``serve`` process over a database of its own."""

    def __init__(self, environment: dict[str, str], log: Path) -> None:
        self.port = int(environment["PORT"])
        self.log = log
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "serve"],
                cwd=REPOSITORY,
                env=os.environ | environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self.tree = psutil.Process(self.process.pid)

    @property
    def output(self) -> str:
        return self.log.read_text()

    def wait_ready(self) -> None:
        wait_for(lambda: "Ctrl-C ends it." in self.output or self.process.poll() is not None)
        assert "Ctrl-C ends it." in self.output, self.output

    def is_healthy(self) -> bool:
        return answers(("127.0.0.1", self.port), ("localhost",))

    def command(self, name: str) -> psutil.Process | None:
        """Its living child that runs ``manage.py <name>``."""
        return next((one for one in self.tree.children() if name in _words_of(one)), None)

    def database(self) -> psutil.Process | None:
        """Its living child that is the embedded server."""
        programs = ((one, Path(next(iter(_words_of(one)), "")).name) for one in self.tree.children())
        return next((one for one, program in programs if program == "postgres"), None)


def _words_of(process: psutil.Process) -> list[str]:
    """Return the command line it runs; nothing once it has ended."""
    with suppress(psutil.NoSuchProcess):
        return process.cmdline()
    return []


def wait_for(condition: Callable[[], object], seconds: float = SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def all_gone(processes: list[psutil.Process]) -> bool:
    return not any(one.is_running() and _words_of(one) for one in processes)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def environment(database_server: TestServer) -> Iterator[dict[str, str]]:
    suffix = os.environ.get("PYTEST_XDIST_WORKER", "main")
    name = f"{RUN_PREFIX}{RUN_ID}_{suffix}_serve"
    database_server.copy(database_server.demo_template(), name)
    yield {"PORT": str(free_port()), "DATABASE_URL": database_server.url(name), "WORKER_CONCURRENCY": "2"}
    database_server.drop(name)


@pytest.fixture
def serving(environment: dict[str, str], tmp_path: Path) -> Iterator[Serving]:
    site = Serving(environment, tmp_path / "serve.log")
    processes = [site.tree]
    try:
        site.wait_ready()
        processes += site.tree.children(recursive=True)
        yield site
    finally:
        for one in processes:
            if one.is_running():
                one.kill()
        site.process.wait()


def test_it_starts_revives_and_ends_all_of_it(serving: Serving) -> None:
    assert f"http://localhost:{serving.port}/" in serving.output
    assert "Sign in as:" in serving.output
    for name in ("worker", "web"):
        first = serving.command(name)
        assert first is not None
        first.kill()
        wait_for(lambda name=name, first=first: serving.command(name) not in {None, first})
    wait_for(serving.is_healthy)

    family = [serving.tree, *serving.tree.children(recursive=True)]
    assert len(family) >= 3
    serving.process.send_signal(signal.SIGINT)
    assert serving.process.wait(SECONDS) == 0, serving.output
    assert all_gone(family)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", serving.port), timeout=2)


def test_a_child_that_ignores_the_signal_is_ended_with_force(serving: Serving) -> None:
    family = [serving.tree, *serving.tree.children(recursive=True)]
    worker = serving.command("worker")
    assert worker is not None
    worker.suspend()
    serving.process.send_signal(signal.SIGTERM)
    assert serving.process.wait(SECONDS) == 0
    assert all_gone(family)


def test_children_do_not_outlive_a_killed_supervisor(serving: Serving) -> None:
    family = serving.tree.children(recursive=True)
    serving.process.kill()
    wait_for(lambda: all_gone(family))


def test_a_database_that_is_not_there_is_told_in_one_sentence(
    environment: dict[str, str], tmp_path: Path
) -> None:
    nowhere = f"postgresql://ada:secret@127.0.0.1:{free_port()}/mandate"
    site = Serving(environment | {"DATABASE_URL": nowhere}, tmp_path / "serve.log")
    assert site.process.wait(SECONDS) == 2
    assert site.output.startswith("The database of DATABASE_URL cannot be used: ")
    assert "refused" in site.output
    assert "Traceback" not in site.output
    assert "secret" not in site.output


def test_a_port_in_use_is_told_in_one_sentence(environment: dict[str, str], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", int(environment["PORT"]))):
        site = Serving(environment, tmp_path / "serve.log")
        assert site.process.wait(SECONDS) == 2
    assert site.output == (
        f"PORT {site.port} on 127.0.0.1 is in use by another process. Stop that, or set PORT to a free one.\n"
    )


def test_its_own_database_ends_with_it(tmp_path: Path) -> None:
    """Without DATABASE_URL: the embedded server belongs to the site, which also brings it back."""
    var = Path(f"/var/tmp/mandate-serve-{os.getpid()}") if os.geteuid() == 0 else tmp_path / "var"
    environment = {"PORT": str(free_port()), "VAR_DIR": str(var), "DEMO": "0"}
    site = Serving(environment, tmp_path / "serve.log")
    try:
        site.wait_ready()
        family = site.tree.children(recursive=True)
        postgres = site.database()
        assert postgres is not None
        postgres.kill()
        wait_for(lambda: site.database() not in {None, postgres})
        wait_for(site.is_healthy)
        family += site.tree.children(recursive=True)
        site.process.send_signal(signal.SIGINT)
        assert site.process.wait(SECONDS) == 0, site.output
        assert all_gone(family)
        assert not (var / "pg" / "postmaster.pid").exists()
    finally:
        site.process.kill()
        subprocess.run(["rm", "-rf", str(var)], check=True)


def test_restarts_come_later_each_time(tmp_path: Path) -> None:
    dying = Child("nobody", ["version"], output=tmp_path / "log")
    delays = []
    for _ in range(2):
        dying.start()
        assert dying.process is not None
        dying.process.wait()
        delays.append(dying.delay)
        dying.revive()
    assert [*delays, dying.delay] == [0.5, 1.0, 2.0]
