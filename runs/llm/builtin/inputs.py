"""Answering an InputTask: the open fields, from the words."""

from typing import Any

from runs.llm.base import InputTask
from runs.llm.builtin import filling
from runs.llm.builtin.fields import fill
from runs.llm.builtin.references import Lookup
from runs.llm.builtin.unread import add_unread_amount


def fill_inputs(task: InputTask) -> dict[str, Any]:
    """Return a value or None for every field; what is known already is not asked of the words again."""
    open_fields = [spec for spec in task.fields if task.known.get(spec.name) is None]
    started = filling.start(
        task.message,
        task.activity,
        open_fields,
        task.today,
        task.language,
        Lookup(task.search),
        is_answer=any(value is not None for value in task.known.values()),
    )
    fill(started)
    add_unread_amount(started)
    return {spec.name: started.values.get(spec.name) for spec in task.fields}
