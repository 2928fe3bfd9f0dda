"""The designer's desk in the administration: agent, revision, activities, steps, tools, in that order."""

from activities.admin.agents import AgentAdmin
from activities.admin.extensions import extensions
from activities.admin.groups import ToolGroupAdmin
from activities.admin.servers import McpServerAdmin

__all__ = ["AgentAdmin", "McpServerAdmin", "ToolGroupAdmin", "extensions"]
