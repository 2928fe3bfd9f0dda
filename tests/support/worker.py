"""A worker in a process of its own that never comes back from a tool.

    python -m tests.support.worker RUN TOOL

It says "in the tool" on its output and then waits to be killed.
"""

# ruff: noqa: E402 - Django is set up before anything of it is imported

import os
import sys
import threading
from uuid import UUID

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agentapp.settings")
django.setup()

from activities.tools import ToolContext
from runs import jobs
from runs.llm import use_model
from runs.llm.scripted import ScriptedModel
from tests.support import store
from tests.support.stage import stage
from tests.support.world import act


def hang(_context: ToolContext, _params: object) -> None:
    print("in the tool", flush=True)  # noqa: T201
    threading.Event().wait(120)


def main() -> None:
    run_id, tool = sys.argv[1:]
    store.register()
    stage.on(tool, hang)
    with use_model(ScriptedModel([act(tool, {"item": "A-100", "quantity": 1})])):
        jobs.run_drain(UUID(run_id))


if __name__ == "__main__":
    main()
