"""`python -m tests.loopback [--port N] [--answers FILE.json]`: a model with no latency, for benchmarks."""

import argparse
import json
import signal
import sys
from pathlib import Path

from tests.loopback.answers import TableModel
from tests.loopback.server import ModelServer

ENDS = {signal.SIGINT, signal.SIGTERM}


def main() -> None:
    parser = argparse.ArgumentParser(description="A chat completions endpoint that answers at once.")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--answers", type=Path, help="JSON object: function name to arguments")
    options = parser.parse_args()
    table = json.loads(options.answers.read_text("utf-8")) if options.answers else {}
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
    server = ModelServer(answer=TableModel(table), port=options.port).start()
    sys.stdout.write(f"OPENAI_BASE_URL={server.base_url}\n")
    sys.stdout.flush()
    signal.sigwait(ENDS)
    server.stop()


if __name__ == "__main__":
    main()
