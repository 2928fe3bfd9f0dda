"""What happens to runs when what they were pinned to is deleted."""

from typing import Any

from django.db import models
from django.db.models.deletion import Collector


def protect_but_for_trials(collector: Collector, field: Any, rows: Any, using: str) -> None:
    """Refuse to delete what a run was pinned to. A draft changes as it likes: its trials go with it."""
    name = "trial" if field.model._meta.model_name == "run" else "run__trial"
    kept = rows.filter(**{name: False})
    if kept.exists():
        models.PROTECT(collector, field, kept, using)
    models.CASCADE(collector, field, rows, using)
