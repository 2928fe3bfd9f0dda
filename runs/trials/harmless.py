"""Which tools a trial may really run, and how: those that only read, where the database refuses a write."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction

from activities.tools import Effect, Risk, ToolContext, ToolContract, ToolResult
from agentapp.kernel.errors import Misconfigured


class TrialMustNotExecute(Misconfigured):
    """A trial was about to execute something that has an effect. Nothing was started."""

    code = "trial_must_not_execute"


def may_run_in_trial(contract: ToolContract) -> bool:
    """True for an app's tool of low risk without effect. Everything else is simulated.

    A server's tool runs in another system, where no read-only transaction keeps its word.
    """
    return contract.effect is Effect.NONE and contract.risk is Risk.LOW and not contract.definition


def forbid_effects(contract: ToolContract) -> None:
    """Raise TrialMustNotExecute for a tool that a trial may not run."""
    if not may_run_in_trial(contract):
        raise TrialMustNotExecute(f"A trial does not execute {contract.key}.")


def run_in_trial(contract: ToolContract, context: ToolContext, params: Any) -> ToolResult:
    """Run a reading tool in a read-only transaction: one that writes although it declares not to, fails.

    Raises TrialMustNotExecute for every other tool, whoever asks.
    """
    forbid_effects(contract)
    with reading_only():
        return contract.function(context, params)


@contextmanager
def reading_only(wanted: bool = True) -> Iterator[None]:
    """A transaction in which the database refuses every write; without `wanted`, nothing."""
    if not wanted:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL transaction_read_only = on")
        yield
