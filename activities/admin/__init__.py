"""The designer's desk in the administration: agent, revision, activities, steps, tools, in that order."""

from activities.admin.agents import AgentAdmin
from activities.admin.extensions import extensions

__all__ = ["AgentAdmin", "extensions"]
