"""The engine beside its floor: five model calls, four tool calls, one confirmation, every step durable.

The floor is the bare openai SDK in a loop over the same requests, executing the same tools' SQL and keeping
nothing. Both run against the same zero-latency model, turn by turn, in one process.
"""

import json
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import openai
from django.db import connection, transaction

from accounts import access
from accounts.models import User
from activities.actions import agent_import, revision_publish
from activities.blueprint import AgentBlueprint
from activities.models import Agent
from activities.tools import ToolContext, registry
from agentapp.kernel.ids import uuid7
from agentapp.kernel.memory import keep_what_is_loaded
from benchmarks import tools  # noqa: F401 - declares the benchmark's tools
from benchmarks.model import CUSTOMER
from benchmarks.table import Row, median, milliseconds, percentile
from runs.actions import confirmation_decide, conversation_create, message_post
from runs.jobs import run_drain
from runs.llm import use_model
from runs.llm.base import Message, ModelRequest
from runs.llm.openai import OpenAIModel
from runs.models import Confirmation, Conversation, Run
from runs.view import RunView

WARM_UP = 5
ASKED = f"Mark the customer {CUSTOMER}"


def measure(base_url: str, rounds: int) -> list[Row]:
    """Return the engine's rows. Prepares the agent, warms up, then takes turns with the floor."""
    user = User.objects.get(email="alice@example.com")
    _publish(user)
    requests = _Recorder(OpenAIModel(model="bench", api_key="none", base_url=base_url))
    with use_model(requests):
        _one_run(user)
    requests.recording = False
    floor = _floor(base_url, requests.seen, user)
    engine_times, floor_times = [], []
    with use_model(requests):
        for _round in range(WARM_UP):
            floor()
            _one_run(user)
        keep_what_is_loaded()  # as a worker does once it is loaded
        before = _log_position()
        for _round in range(rounds):
            floor_times.append(_timed(floor))
            engine_times.append(_timed(lambda: _one_run(user)))
        written = (_log_position() - before) / rounds
    return _rows(engine_times, floor_times, written)


def _rows(engine: Sequence[float], floor: Sequence[float], written: float) -> list[Row]:
    last = Run.objects.latest("id")
    rows = sum(relation.count() for relation in (last.calls, last.facts, last.steps, last.model_call_rows))
    ratios = [one / other for one, other in zip(engine, floor, strict=True)]
    return [
        Row("floor: SDK loop, same SQL, nothing kept", milliseconds(median(floor))),
        Row(
            "engine: every step durable",
            milliseconds(median(engine)),
            f"{median(ratios):.2f} x floor (aim 2.0)",
        ),
        Row("engine, 95th percentile", milliseconds(percentile(engine, 0.95))),
        Row(
            "engine: write-ahead log per run",
            f"{written / 1024:.0f} kB",
            f"{rows} rows of calls, facts and steps",
        ),
    ]


class _Recorder:
    """Passes requests on to the endpoint and keeps the first run's, for the floor to send."""

    def __init__(self, inner: OpenAIModel) -> None:
        self.name = inner.name
        self.seen: list[ModelRequest] = []
        self.recording = True
        self._inner = inner

    def stream(self, request: ModelRequest) -> Any:
        if self.recording:
            self.seen.append(request)
        return self._inner.stream(request)


def _one_run(user: User) -> None:
    conversation = Conversation.objects.filter(user=user).first() or conversation_create(
        user=user, workspace=Agent.objects.get(key="bench").workspace
    )
    posted = message_post(user=user, conversation_id=conversation.pk, text=ASKED, client_id=uuid7())
    run_drain(posted.run.pk)
    pending = Confirmation.objects.get(run=posted.run)
    confirmation_decide(user=user, confirmation_id=pending.pk, decision="confirm", digest=pending.digest)
    run = run_drain(posted.run.pk)
    if run.outcome != "succeeded" or (run.model_calls, run.tool_calls) != (5, 4):
        raise SystemExit(f"The benchmark's run ended as {run.outcome} ({run.error_code}): {run.answer}")


def _floor(base_url: str, requests: Sequence[ModelRequest], user: User) -> Callable[[], None]:
    client = openai.OpenAI(api_key="none", base_url=base_url, max_retries=0)
    bodies = [_body(request) for request in requests]
    context = RunView.load(Run.objects.latest("id").pk).context()

    def loop() -> None:
        for body in bodies:
            for name, arguments in _streamed(client, body):
                _execute(name, arguments, context)

    return loop


def _body(request: ModelRequest) -> dict[str, Any]:
    return {
        "model": "bench",
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": [_wire(message) for message in request.messages],
        "tools": [
            {
                "type": "function",
                "function": {"name": f.name, "description": f.description, "parameters": f.parameters},
            }
            for f in request.functions
        ],
        "tool_choice": request.tool_choice,
    }


def _wire(message: Message) -> dict[str, Any]:
    wired: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.calls:
        wired["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.calls
        ]
    if message.call_id:
        wired["tool_call_id"] = message.call_id
    return wired


def _streamed(client: openai.OpenAI, body: dict[str, Any]) -> list[tuple[str, str]]:
    calls: dict[int, list[str]] = {}
    for part in client.chat.completions.create(**body):
        for choice in part.choices:
            for delta in choice.delta.tool_calls or ():
                entry = calls.setdefault(delta.index, ["", ""])
                if delta.function:
                    entry[0] += delta.function.name or ""
                    entry[1] += delta.function.arguments or ""
    return [(name, arguments) for name, arguments in calls.values()]


def _execute(name: str, arguments: str, context: ToolContext) -> None:
    contract = registry.by_wire_name(name)
    if contract is None:
        return
    with transaction.atomic():
        contract.function(
            context, contract.params_model.model_validate({"customer": CUSTOMER, **json.loads(arguments)})
        )


def _log_position() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn")
        return int(cursor.fetchone()[0])


def _timed(work: Callable[[], object]) -> float:
    started = perf_counter()
    work()
    return perf_counter() - started


def _publish(user: User) -> None:
    designer = User.objects.get(email="daniel@example.com")
    workspace = Agent.objects.get(key="billing").workspace
    revision = agent_import(AgentBlueprint.model_validate(_BLUEPRINT), workspace=workspace, actor=designer)
    access.grant("activities.use_agent", user, revision.agent)
    revision_publish(revision, actor=designer)


def _step(key: str, *names: str) -> dict[str, Any]:
    return {
        "key": key,
        "name": {"en": key},
        "goal": f"Carry out {key}.",
        "tools": [f"bench.{name}" for name in names],
        "passes_when": " && ".join(f"has(facts.{name})" for name in names),
    }


_CUSTOMER = {"source": "input", "input": "customer"}
_TOOLS = ("get_customer", "count_invoices", "last_invoice", "mark")
_BLUEPRINT: dict[str, Any] = {
    "key": "bench",
    "name": {"en": "Benchmark"},
    "activities": [
        {
            "key": "five_calls",
            "name": {"en": "Five calls"},
            "summary": {"en": "Reads three records and marks one."},
            "aliases": {"en": ["five calls"]},
            "inputs": [
                {
                    "name": "customer",
                    "type": "reference",
                    "reference": "bench.customer",
                    "label": {"en": "Customer"},
                },
            ],
            "tools": [{"tool": f"bench.{name}", "params": {"customer": _CUSTOMER}} for name in _TOOLS],
            "steps": [
                _step("read", "get_customer", "count_invoices"),
                _step("check", "last_invoice"),
                _step("mark", "mark"),
            ],
            "template": {"en": "{{ facts.mark.text }}"},
        }
    ],
}
