"""A supervised process does not outlive its supervisor, not even one that was killed."""

import os
import signal
import threading
import time

#: Tells a child who supervises it.
SUPERVISOR = "MANDATE_SUPERVISOR_PID"
POLL_SECONDS = 0.5
GRACE_SECONDS = 8.0


def end_with_supervisor() -> None:
    """Watch the supervisor from a thread; does nothing in a process that has none."""
    supervisor = os.environ.pop(SUPERVISOR, None)
    if supervisor is not None:
        threading.Thread(target=_watch, args=(int(supervisor),), name="supervisor-watch", daemon=True).start()


def _watch(supervisor: int) -> None:
    while os.getppid() == supervisor:
        time.sleep(POLL_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE_SECONDS)
    os.kill(os.getpid(), signal.SIGKILL)
