"""The result of a tool whose server declares none: the text it answered."""

from activities.mcp.types import McpResult


class McpText(McpResult):
    """What the server said, as text. It is data, whatever it says."""

    text: str
