"""Several connections at once, a database that goes away, and workers that are really killed."""

import os
import signal
import subprocess
import sys
from uuid import UUID

import pytest
from django.db import OperationalError, connection, connections

from agentapp.kernel.errors import Conflict
from agentapp.kernel.ids import uuid7
from runs import actions, jobs
from runs.chat.starting import conversation_start
from runs.engine.loop import take_lease
from runs.llm import use_model
from runs.llm.scripted import ScriptedModel
from runs.models import Conversation, Message, Run
from runs.sweeping import sweep
from tests.environment import REPOSITORY
from tests.support.blueprints import activity, use
from tests.support.stage import effects, stage
from tests.support.threads import together
from tests.support.world import World, act, drop_lease, event_types, states_of

NOTIFY = act("notify", {"item": "A-100", "quantity": 1})
RESERVE = act("reserve", {"item": "A-100", "quantity": 1})


def test_twenty_messages_at_once_are_one_run(shared_world: World) -> None:
    world = shared_world
    world.publish(activity(use("find_items")))
    conversation = actions.conversation_create(user=world.owner, workspace=world.workspace)

    def post(index: int) -> object:
        return actions.message_post(
            user=world.owner, conversation_id=conversation.pk, text=f"message {index}", client_id=uuid7()
        )

    results = together(20, post)
    refused = [item for item in results if isinstance(item, Conflict)]
    assert len(refused) == 19, results
    assert {item.data["reason"] for item in refused} == {"run_active"}
    assert Run.objects.count() == Message.objects.count() == 1


def test_the_same_message_at_once_is_one_message(shared_world: World) -> None:
    world = shared_world
    world.publish(activity(use("find_items")))
    conversation = actions.conversation_create(user=world.owner, workspace=world.workspace)
    client_id = uuid7()

    def post(_index: int) -> UUID:
        return actions.message_post(
            user=world.owner, conversation_id=conversation.pk, text="hello", client_id=client_id
        ).run.pk

    results = together(10, post)
    assert len(set(results)) == 1, results
    assert Message.objects.count() == 1


def test_the_same_first_message_at_once_is_one_conversation(shared_world: World) -> None:
    world = shared_world
    world.publish(activity(use("find_items")))
    client_id = uuid7()

    def start(_index: int) -> UUID:
        return conversation_start(
            user=world.owner, workspace=world.workspace, text="hello", client_id=client_id
        )

    results = together(10, start)
    assert len(set(results)) == 1, results
    assert Conversation.objects.count() == Message.objects.count() == Run.objects.count() == 1


def test_one_of_many_workers_takes_a_run(shared_world: World) -> None:
    world = shared_world
    world.publish(activity(use("find_items")))
    run = world.start()
    assert sum(map(bool, together(8, lambda _index: take_lease(run.pk)))) == 1
    drop_lease(run)
    assert sum(map(bool, together(8, lambda _index: take_lease(run.pk)))) == 1
    run.refresh_from_db()
    assert run.fence == 2


def terminate_own_backend(_context: object, _params: object) -> None:
    """The database restarts under the worker."""
    own = connection.connection.info.backend_pid
    other = connections.create_connection("default")
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s)", [own])
    finally:
        other.close()
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


@pytest.mark.parametrize("tool", ["reserve", "find_items"])
def test_a_database_that_goes_away_costs_nothing_local(shared_world: World, tool: str) -> None:
    world = shared_world
    world.publish(activity(use(tool)))
    run = world.start()
    stage.on(tool, terminate_own_backend)
    line = RESERVE if tool == "reserve" else act("find_items", {"words": None})
    with pytest.raises(OperationalError):
        world.play(run, line)
    connection.close()
    stage.hooks.clear()
    assert states_of(run) == ["proposed"]
    drop_lease(run)
    sweep()
    run = world.play(run)
    assert (run.outcome, states_of(run)) == ("succeeded", ["succeeded"])
    assert effects() == (["reserve A-100 x1"] if tool == "reserve" else [])
    assert event_types(run).count("run.finished") == 1


def test_a_database_that_goes_away_under_an_external_call_leaves_it_unknown(shared_world: World) -> None:
    world = shared_world
    world.publish(activity(use("notify")))
    run = world.start()
    stage.on("notify", terminate_own_backend)
    with pytest.raises(OperationalError):
        world.play(run, NOTIFY)
    connection.close()
    stage.hooks.clear()
    assert states_of(run) == ["executing"]
    drop_lease(run)
    run = world.play(run)
    assert (run.state, states_of(run)) == ("escalated", ["unknown"])
    assert len(stage.sent) == 1


@pytest.mark.processes
@pytest.mark.parametrize("tool", ["notify", "reserve"])
def test_a_worker_killed_in_the_middle_of_a_tool(shared_world: World, tool: str) -> None:
    """kill -9: an external call is unknown and never repeated, a local one is executed once, by another."""
    world = shared_world
    world.publish(activity(use(tool)))
    run = world.start()
    environment = {**os.environ, "DATABASE_URL": database_url()}
    command = [sys.executable, "-m", "tests.support.worker", str(run.pk), tool]
    worker = subprocess.Popen(command, cwd=REPOSITORY, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert worker.stdout is not None
        assert worker.stdout.readline().strip() == "in the tool"
        os.kill(worker.pid, signal.SIGKILL)
    finally:
        worker.kill()
        worker.wait(20)
    with use_model(ScriptedModel()):
        assert jobs.run_drain(run.pk).state == "working"  # the lease is respected
        drop_lease(run)
        sweep()
        done = jobs.run_drain(run.pk)
    if tool == "notify":
        assert (done.state, states_of(run)) == ("escalated", ["unknown"])
        assert stage.calls == []
    else:
        assert (done.outcome, states_of(run)) == ("succeeded", ["succeeded"])
        assert effects() == ["reserve A-100 x1"]


def database_url() -> str:
    """The test database's address, for another process."""
    given = connection.settings_dict
    host = str(given["HOST"]).replace("/", "%2F")
    return f"postgresql://{given['USER']}@{host}:{given['PORT']}/{given['NAME']}"
