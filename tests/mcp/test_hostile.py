"""Dead, slow, lying and huge servers cost themselves only, and nothing goes where it was not allowed to."""

import sys
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest

from activities.mcp import session, stdio, waiting
from activities.mcp.failures import NoAnswer, NotConnected, TooMuch
from activities.mcp.target import Target
from activities.mcp.waiting import Stopped, wait_for
from tests.mcp.hostile import (
    Behaviour,
    Hostile,
    away,
    dripping,
    endless,
    endless_events,
    hostile,
    no_json,
    packed,
    polite,
    silent,
    turning,
)

LIMIT = 100_000


def at(server: Hostile, **more: Any) -> Target:
    return Target(**{"url": server.url, "hosts": ("127.0.0.1",), "private": True, **more})


def list_tools(target: Target, seconds: float = 1.0) -> Any:
    return wait_for(partial(session.list_tools, target, seconds, LIMIT))


def call(target: Target, seconds: float = 10.0, **more: Any) -> Any:
    sent: list[bool] = []
    do = partial(
        session.call,
        target,
        seconds,
        LIMIT,
        name="do",
        arguments={},
        meta={},
        sent=lambda: sent.append(True),
    )
    return wait_for(do, **more)


@pytest.mark.parametrize(
    ("behaviour", "failure"),
    [
        (silent, NoAnswer),
        (dripping, NoAnswer),
        (endless, TooMuch),
        (endless_events, TooMuch),
        (no_json, NoAnswer),
        (packed, NoAnswer),
        (away("http://127.0.0.1:9/"), NoAnswer),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_call_that_left_and_came_to_nothing_is_an_outcome_nobody_knows(
    behaviour: Behaviour, failure: type[Exception]
) -> None:
    waits = behaviour in (silent, dripping)
    with hostile(polite(behaviour)) as server, pytest.raises(failure):
        call(at(server), 0.3 if waits else 10.0)


@pytest.mark.parametrize("behaviour", [no_json, packed, endless, away("http://127.0.0.1:9/")])
def test_a_server_that_cannot_be_greeted_was_asked_nothing(behaviour: Behaviour) -> None:
    with hostile(behaviour) as server:
        with pytest.raises((NotConnected, TooMuch)):
            call(at(server))
        assert "tools/call" not in server.methods


def test_a_huge_answer_is_not_read_to_its_end() -> None:
    with hostile(polite(endless)) as server:
        with pytest.raises(TooMuch):
            call(at(server))
        assert server.broken_off.wait(5)


def test_a_list_that_turns_in_circles_ends() -> None:
    with hostile(polite(turning)) as server:
        with pytest.raises(NoAnswer, match="does not end"):
            list_tools(at(server), 5.0)
        assert server.methods.count("tools/list") == 2


def test_who_stops_waiting_is_free_within_moments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "LOOK_UP_SECONDS", 0.1)
    with hostile(polite(silent)) as server, pytest.raises(Stopped):
        call(at(server), 60.0, stopped=lambda: True)


@pytest.mark.parametrize(
    "location", ["http://10.0.0.1/mcp", "http://169.254.169.254/latest", "http://localhost/"]
)
def test_a_redirect_elsewhere_is_not_followed(location: str) -> None:
    with hostile(away(location)) as server, pytest.raises(NotConnected):
        call(at(server))


def test_a_redirect_on_the_same_host_is_checked_hop_by_hop() -> None:
    hops: list[str] = []

    def turn(handler: Any, body: Any) -> None:
        hops.append(handler.path)
        away(f"/mcp/{len(hops)}")(handler, body)

    with hostile(turn) as server:
        with pytest.raises(NotConnected):
            call(at(server))
        assert 1 < len(hops) < 100


def test_an_address_of_our_own_is_refused_unless_allowed() -> None:
    with hostile(polite(turning)) as server:
        with pytest.raises(NotConnected, match="private"):
            call(at(server, private=False))
        with pytest.raises(NotConnected, match="allowed hosts"):
            call(at(server, hosts=("example.org", "127.0.0.1:1")))
        assert not server.messages


def test_secrets_are_sent_and_said_nowhere() -> None:
    with hostile(polite(turning)) as server:
        target = at(server, secrets=(("Authorization", "Bearer hush"),))
        with pytest.raises(NoAnswer) as failure:
            list_tools(target, 5.0)
        assert all(headers["Authorization"] == "Bearer hush" for _method, headers in server.messages)
        assert "hush" not in f"{failure.value!r} {failure.value.__cause__!r} {target!r}"


NEVER = "import time; time.sleep(60)"
HUGE = "import sys\nwhile True: sys.stdout.write('{' + 'a' * 65536)"
CHATTER = "import sys; print('Welcome!', flush=True); print('{broken', flush=True); sys.stdin.read()"
STUBBORN = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open(sys.argv[1], "w").write(f"{os.getpid()} {child.pid}")
time.sleep(60)
"""


def program(script: str, *args: str) -> Target:
    return Target(command=sys.executable, args=("-c", script, *args))


@pytest.mark.parametrize(
    ("script", "failure"),
    [(HUGE, TooMuch), (CHATTER, NotConnected), ("", NotConnected), ("import sys; sys.exit(3)", NotConnected)],
)
def test_a_program_that_is_no_server_costs_itself(script: str, failure: type[Exception]) -> None:
    with pytest.raises(failure):
        call(program(script))


def test_a_program_that_does_not_exist_is_not_reached() -> None:
    with pytest.raises(NotConnected):
        call(Target(command="/nowhere/at/all"))


def test_a_program_and_what_it_started_are_gone_afterwards(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(session, "CONNECT_SECONDS", 1.0)
    monkeypatch.setattr(stdio, "GRACE_SECONDS", 0.2)
    with pytest.raises(NotConnected):
        call(program(STUBBORN, str(tmp_path / "pids")))
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert len(pids) == 2
    _gone, alive = psutil.wait_procs([psutil.Process(pid) for pid in pids if psutil.pid_exists(pid)], 5)
    assert not alive
    assert not [child for child in psutil.Process().children() if child.status() == psutil.STATUS_ZOMBIE]


def test_a_program_gets_little_of_our_environment(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("SECRET_KEY", "ours")
    script = "import json, os, sys; open(sys.argv[1], 'w').write(json.dumps(dict(os.environ)))"
    target = Target(
        command=sys.executable, args=("-c", script, str(tmp_path / "env")), secrets=(("TOKEN", "theirs"),)
    )
    with pytest.raises(NotConnected):
        call(target)
    found = (tmp_path / "env").read_text()
    assert "theirs" in found
    assert "ours" not in found
