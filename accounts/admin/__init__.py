"""Administration of people, workspaces, rights and tokens. Every change goes through an action."""

from accounts.admin import history, people, tokens, workspaces

__all__ = ["history", "people", "tokens", "workspaces"]
