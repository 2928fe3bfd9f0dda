"""One supervised process: started, watched, restarted when it dies, stopped."""

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

from agentapp.config import REPOSITORY
from agentapp.supervision.orphans import SUPERVISOR

logger = logging.getLogger(__name__)

FIRST_DELAY_SECONDS = 0.5
LONGEST_DELAY_SECONDS = 30.0
#: A process that lived this long has no history any more.
HEALTHY_SECONDS = 60.0


@dataclass
class Child:
    """A ``manage.py`` command in a process, and a process group, of its own."""

    name: str
    arguments: list[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    inherited: tuple[int, ...] = ()
    #: Where its output is appended; None: to ours.
    output: Path | None = None
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    delay: float = FIRST_DELAY_SECONDS
    due: float | None = None

    def start(self) -> None:
        """The terminal's Ctrl-C does not reach it: the supervisor decides when and in which order."""
        command = [sys.executable, str(REPOSITORY / "manage.py"), *self.arguments]
        environment = os.environ | self.environment | {SUPERVISOR: str(os.getpid())}
        with ExitStack() as stack:
            output = stack.enter_context(self.output.open("ab")) if self.output else None
            self.process = subprocess.Popen(
                command,
                cwd=REPOSITORY,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=self.inherited,
                start_new_session=True,
            )
        self.started, self.due = time.monotonic(), None

    @property
    def exit_code(self) -> int | None:
        """None while it runs."""
        return self.process.poll() if self.process else None

    def revive(self) -> None:
        """Start it again when it has died: soon the first time, later every time it dies young."""
        now = time.monotonic()
        if self.exit_code is None:
            return
        if self.due is None:
            self._plan_restart(now)
        elif now >= self.due:
            self.start()

    def _plan_restart(self, now: float) -> None:
        if now - self.started > HEALTHY_SECONDS:
            self.delay = FIRST_DELAY_SECONDS
        self.due = now + self.delay
        what = (self.name, self.exit_code, self.delay)
        logger.error("event=process_died process=%s exit_code=%s restart_in=%.1f", *what)
        self.delay = min(self.delay * 2, LONGEST_DELAY_SECONDS)

    def stop(self, seconds: float) -> None:
        """Gone when this returns: in order within ``seconds``, or with force."""
        self.ask_to_stop()
        self.wait_or_kill(time.monotonic() + seconds)

    def ask_to_stop(self) -> None:
        if self.process and self.exit_code is None:
            self.process.send_signal(signal.SIGTERM)

    def wait_or_kill(self, deadline: float) -> None:
        """Gone when this returns: the whole process group, with force after the deadline."""
        if self.process is None:
            return
        try:
            self.process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            logger.warning("event=process_killed process=%s reason=does_not_stop", self.name)
        self._kill_group(self.process)

    def _kill_group(self, process: subprocess.Popen[bytes]) -> None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
