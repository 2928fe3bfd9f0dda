"""Runs in the administration: the history to look at, and the desk's pages that run something."""

from runs.admin import desk, history

__all__ = ["desk", "history"]
