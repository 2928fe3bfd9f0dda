"""The public API for tool authors: everything a `tools.py` needs comes from here."""

from activities.tools.contract import (
    Control,
    ControlledBy,
    Effect,
    Preview,
    PreviewLine,
    Protected,
    Ref,
    Reference,
    ReferenceType,
    Risk,
    ToolContext,
    ToolContract,
    ToolParams,
    ToolResult,
)
from activities.tools.declaring import tool
from activities.tools.errors import (
    ToolArgumentError,
    ToolError,
    ToolOutcomeUnknown,
    ToolRefused,
    ToolUnavailable,
)
from activities.tools.registry import reference, registry

__all__ = [
    "Control",
    "ControlledBy",
    "Effect",
    "Preview",
    "PreviewLine",
    "Protected",
    "Ref",
    "Reference",
    "ReferenceType",
    "Risk",
    "ToolArgumentError",
    "ToolContext",
    "ToolContract",
    "ToolError",
    "ToolOutcomeUnknown",
    "ToolParams",
    "ToolRefused",
    "ToolResult",
    "ToolUnavailable",
    "reference",
    "registry",
    "tool",
]
