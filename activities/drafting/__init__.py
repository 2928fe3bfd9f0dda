"""What a designer changes in a draft, part by part.

Each change names the version of the draft it was made on and goes through `revision_change`:
rights, versions and history are settled there. Rows that trials point at are changed in place.
"""

from activities.drafting.activities import (
    activities_ordered,
    activity_add,
    activity_remove,
    card_change,
    limits_change,
)
from activities.drafting.contract import answer_change, inputs_change
from activities.drafting.learned import learned_take_over, learned_words
from activities.drafting.procedure import handover_change, step_remove, step_save, steps_ordered
from activities.drafting.tools import tool_change, tools_change

__all__ = [
    "activities_ordered",
    "activity_add",
    "activity_remove",
    "answer_change",
    "card_change",
    "handover_change",
    "inputs_change",
    "learned_take_over",
    "learned_words",
    "limits_change",
    "step_remove",
    "step_save",
    "steps_ordered",
    "tool_change",
    "tools_change",
]
