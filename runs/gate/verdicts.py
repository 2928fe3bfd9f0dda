"""What the gate says of a call: refused with a reason, or admitted with its final arguments."""

from dataclasses import dataclass
from typing import Any

from activities.tools import (
    Preview,
    Risk,
    ToolContract,
    ToolParams,
)
from runs.grounding import Ground


class Refused(Exception):
    """The call may not run. `code` is stable; `message` is for the model and the record.

    `params` names the parameters whose values are wrong, where it is about values.
    """

    def __init__(self, code: str, message: str, params: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.params = params


@dataclass(frozen=True)
class FinalArgument:
    """One argument as it will be executed, as the dialog shows it, and where it came from."""

    name: str
    value: Any
    label: str
    provenance: str
    ground: Ground


@dataclass(frozen=True)
class Admitted:
    """A call that may run, now or, when it `asks`, after its confirmation.

    A trial simulates what has an effect, and is given the preview of that also where nobody is asked.
    """

    contract: ToolContract
    params: ToolParams
    arguments: tuple[FinalArgument, ...]
    digest: str
    risk: Risk
    preview: Preview | None = None
    asks: bool = False
