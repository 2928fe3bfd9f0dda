"""What a designer does with MCP servers and their tools."""

from activities.mcp.removing import server_delete
from activities.mcp.reviewing import ParamPart, ReviewPart, tool_quarantine, tool_review, tools_review
from activities.mcp.servers import SecretPart, server_create, server_update

__all__ = [
    "ParamPart",
    "ReviewPart",
    "SecretPart",
    "server_create",
    "server_delete",
    "server_update",
    "tool_quarantine",
    "tool_review",
    "tools_review",
]
