"""A model with no latency, in a process of its own: `python -m benchmarks.model`."""

import signal
import sys
import time
from collections.abc import Mapping
from typing import Any

from tests.loopback import turns
from tests.loopback.answers import joined
from tests.loopback.server import ModelServer
from tests.loopback.turns import Turn

CUSTOMER = "C-0102"
_SLOW_SECONDS = 60
#: The first function of a request that is named here decides the answer.
_ANSWERS: Mapping[str, list[tuple[str, dict[str, Any]]]] = {
    "choose_activity": [
        ("choose_activity", {"decision": "activity", "activity": "bench.five_calls", "alternatives": []})
    ],
    "fill_inputs": [("fill_inputs", {"customer": CUSTOMER})],
    "bench_get_customer": [("bench_get_customer", {}), ("bench_count_invoices", {})],
    "bench_last_invoice": [("bench_last_invoice", {})],
    "bench_mark": [("bench_mark", {})],
}
_TURNS = {name: joined(turns.calls(*calls)) for name, calls in _ANSWERS.items()}


def answer(payload: Mapping[str, Any]) -> Turn:
    """Return the prepared answer to a request."""
    offered = [tool["function"]["name"] for tool in payload.get("tools") or ()]
    return next(_TURNS[name] for name in offered if name in _TURNS)


def answer_slowly(payload: Mapping[str, Any]) -> Turn:
    """Keep a run working for as long as the measurement takes."""
    time.sleep(_SLOW_SECONDS)
    return answer(payload)


def main() -> None:
    ends = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, ends)
    server = ModelServer(answer=answer_slowly if "--slow" in sys.argv else answer).start()
    sys.stdout.write(f"{server.base_url}\n")
    sys.stdout.flush()
    signal.sigwait(ends)
    server.stop()


if __name__ == "__main__":
    main()
