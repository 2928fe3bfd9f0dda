"""An admitted call's rows: its final arguments, its digest, the dialog that shows it."""

from typing import Any

from activities.tools import Preview
from agentapp.kernel.rows import insert
from runs.gate import Admitted
from runs.models import ToolArgument, ToolCall


def write_arguments(call: ToolCall, admitted: Admitted) -> None:
    """Store the final arguments with their origins."""
    insert(
        [
            ToolArgument(
                call=call,
                name=item.name,
                value=item.value,
                label=item.label,
                provenance=item.provenance,
                origin=item.ground.origin,
                detail=item.ground.detail[:300],
            )
            for item in admitted.arguments
        ]
    )


def admission(call: ToolCall, admitted: Admitted) -> dict[str, Any]:
    """Return what an admitted call's own row says of its admission."""
    return {
        "contract_hash": admitted.contract.hash,
        "risk": admitted.risk.value,
        "effect": admitted.contract.effect.value,
        "digest": admitted.digest,
        "idempotency_key": call.pk.hex,
    }


def preview_json(preview: Preview) -> dict[str, Any]:
    """Return the dialog as it is stored."""
    return {
        "summary": preview.summary,
        "recipient": preview.recipient,
        "amount": preview.amount,
        "lines": [{"label": str(line.label), "value": str(line.value)} for line in preview.lines],
        "warning": preview.warning,
    }


def named(call: ToolCall) -> dict[str, Any]:
    """Return how events name a call."""
    return {"call": str(call.pk), "tool": call.tool_key}
