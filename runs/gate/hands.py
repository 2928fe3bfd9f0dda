"""Calling a contract's own functions: what they refuse, the gate refuses."""

import logging
from collections.abc import Callable
from typing import Any, TypeVar

from django.db import InterfaceError, OperationalError

from activities.tools import (
    ToolArgumentError,
    ToolContext,
    ToolContract,
    ToolError,
    ToolParams,
)
from runs.gate.verdicts import Refused

logger = logging.getLogger(__name__)
T = TypeVar("T")


def in_contract_hands(
    function: Callable[[ToolContext, Any], T] | None,
    contract: ToolContract,
    context: ToolContext,
    params: ToolParams,
) -> Any:
    """Call one of the contract's own functions; what it refuses, the gate refuses."""
    if function is None:
        return None
    try:
        return function(context, params)
    except ToolArgumentError as error:
        raise Refused(error.code, error.message, error.params) from error
    except ToolError as error:
        raise Refused(error.code, error.message) from error
    except (OperationalError, InterfaceError):
        raise
    except Exception as error:
        logger.exception(
            "Tool %s failed in %s", contract.key, getattr(function, "__name__", "a declared function")
        )
        raise Refused("tool_bug", "The tool failed while checking this call. Nothing was started.") from error
