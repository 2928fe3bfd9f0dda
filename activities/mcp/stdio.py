"""A server that is a program on this machine: the SDK's transport with a byte limit and a clean end.

The SDK's own keeps whatever the program writes until a line ends, and passes much of our environment on.
"""

import os
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import anyio
from anyio.abc import Process
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

Incoming = SessionMessage | Exception
Streams = tuple[MemoryObjectReceiveStream[Incoming], MemoryObjectSendStream[SessionMessage]]
#: How long a program may take to end by itself when its input ends, and again after SIGTERM.
GRACE_SECONDS = 1.0
#: What a program gets of our environment; secrets are added by name.
PASSED_ON = ("PATH", "HOME", "LANG", "TZ")


@dataclass
class Program:
    """What to start, with which variables, and how many bytes it may write in all."""

    command: str
    args: list[str]
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    max_bytes: int = 1_000_000
    overspent: bool = False

    @property
    def environment(self) -> dict[str, str]:
        return {name: os.environ[name] for name in PASSED_ON if name in os.environ} | dict(self.variables)


@asynccontextmanager
async def program_transport(program: Program) -> AsyncIterator[Streams]:
    """Start the program and exchange lines of JSON with it; at the end its whole process group is gone.

    Raises OSError when it cannot be started.
    """
    process = await anyio.open_process(
        [program.command, *program.args],
        env=program.environment,
        stderr=subprocess.DEVNULL,
        cwd=tempfile.gettempdir(),
        start_new_session=True,
    )
    arrived, incoming = anyio.create_memory_object_stream[Incoming](0)
    outgoing, written = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_read, process, program, arrived)
        tasks.start_soon(_write, process, written)
        try:
            yield incoming, outgoing
        finally:
            with anyio.CancelScope(shield=True):
                await _end(process)
            tasks.cancel_scope.cancel()
            for stream in (incoming, outgoing):
                stream.close()


async def _read(process: Process, program: Program, arrived: MemoryObjectSendStream[Incoming]) -> None:
    """Pass on what the program writes, line by line, until it ends, breaks the form or writes too much."""
    assert process.stdout is not None, "started with pipes"  # noqa: S101 - narrows the type
    buffered, left = bytearray(), program.max_bytes
    async with arrived:
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, ConnectionError):
            async for chunk in process.stdout:
                left -= len(chunk)
                if left < 0:
                    program.overspent = True
                    return
                buffered += chunk
                *lines, rest = buffered.split(b"\n")
                buffered = bytearray(rest)
                for line in lines:
                    # What is no object is chatter on the wrong channel; what begins as one must be a message.
                    if line.lstrip().startswith(b"{"):
                        await arrived.send(_message(bytes(line)))


def _message(line: bytes) -> SessionMessage:
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        raise anyio.BrokenResourceError from error


async def _write(process: Process, written: MemoryObjectReceiveStream[SessionMessage]) -> None:
    assert process.stdin is not None, "started with pipes"  # noqa: S101 - narrows the type
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
        async with written:
            async for item in written:
                text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                await process.stdin.send(text.encode() + b"\n")


async def _end(process: Process) -> None:
    """End the program and everything it started: by the end of its input, then SIGTERM, then SIGKILL."""
    with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        if process.stdin is not None:
            await process.stdin.aclose()
    if not await _ended(process):
        _signal(process, signal.SIGTERM)
        await _ended(process)
    _signal(process, signal.SIGKILL)  # also what it started and left behind
    await _ended(process)
    with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        if process.stdout is not None:
            await process.stdout.aclose()
    _let_go(process)


def _let_go(process: Process) -> None:
    """Close what asyncio keeps of the process: nothing public does, and pipes may be held open elsewhere."""
    transport = getattr(getattr(process, "_process", None), "_transport", None)
    if transport is not None:
        with suppress(PermissionError, ProcessLookupError):
            transport.close()


async def _ended(process: Process) -> bool:
    # Not process.wait(): it also waits for pipes that a grandchild may hold open.
    with anyio.move_on_after(GRACE_SECONDS):
        while process.returncode is None:  # noqa: ASYNC110 - the process sets no event
            await anyio.sleep(0.01)
    return process.returncode is not None


def _signal(process: Process, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
