"""The typed inputs and outputs of an activity, and its answer."""

from collections.abc import Sequence

from accounts.models import User
from activities.blueprint import InputPart, OutputPart
from activities.drafting.base import changing
from activities.importing import output_row, write_input
from activities.models import Activity, ActivityOutput
from activities.models.fields import Texts


def inputs_change(activity: Activity, parts: Sequence[InputPart], *, actor: User, version: int) -> None:
    """Make these the inputs of an activity, in this order."""
    with changing(activity, actor, version) as found:
        found.inputs.all().delete()
        for position, part in enumerate(parts):
            write_input(found, part, position)


def answer_change(
    activity: Activity, parts: Sequence[OutputPart], template: Texts, *, actor: User, version: int
) -> None:
    """Make these the output fields of an activity, and this its response template."""
    with changing(activity, actor, version) as found:
        found.outputs.all().delete()
        ActivityOutput.objects.bulk_create(
            output_row(found, part, position) for position, part in enumerate(parts)
        )
        found.template = template
        found.save(update_fields=["template"])
