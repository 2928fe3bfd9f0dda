"""Columns that several lists of the administration have, with titles in the reader's language."""

from typing import Any

from django.contrib import admin
from django.utils.translation import gettext_lazy as _


class Columns:
    """For lists of what has a key in a workspace."""

    @admin.display(description=_("key"), ordering="key")
    def shown_key(self, row: Any) -> str:
        return str(row.key)

    @admin.display(description=_("workspace"), ordering="workspace__name")
    def shown_workspace(self, row: Any) -> str:
        return str(row.workspace)
