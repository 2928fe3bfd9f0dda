"""What a designer does to agents and revisions. Every change is audited in its transaction."""

from activities.actions.agents import agent_create, agent_import, agent_update
from activities.actions.changes import EditedMeanwhile, revision_change
from activities.actions.drafts import draft_create, draft_discard, revision_draft_from, revision_settings
from activities.actions.groups import tool_group_change, tool_group_create, tool_group_remove
from activities.actions.prompts import prompt_delete, prompt_save, prompts_import
from activities.actions.publishing import revision_publish, revision_retire

__all__ = [
    "EditedMeanwhile",
    "agent_create",
    "agent_import",
    "agent_update",
    "draft_create",
    "draft_discard",
    "prompt_delete",
    "prompt_save",
    "prompts_import",
    "revision_change",
    "revision_draft_from",
    "revision_publish",
    "revision_retire",
    "revision_settings",
    "tool_group_change",
    "tool_group_create",
    "tool_group_remove",
]
