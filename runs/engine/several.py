"""Several requests in one message: which activities, about which part of it, and what builds on what."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from activities.models import Activity
from agentapp.kernel.text import clean_text, contains_words
from runs.journal import Journal
from runs.models import Plan, PlanPart
from runs.specs import card_key
from runs.states import PartState

#: Of one message, no more parts than this are planned.
MAX_PARTS = 6


@dataclass(frozen=True)
class Part:
    """One thing asked for, in the person's own words. `needs_earlier`: it builds on the part before it."""

    activity: Activity
    words: str
    needs_earlier: bool = False


def read_parts(answer: Mapping[str, Any], offered: Mapping[str, Activity], said: Sequence[str]) -> list[Part]:
    """Return the parts a model found. One whose words do not stand in the message is none."""
    listed = answer.get("several")
    parts: list[Part] = []
    for item in listed[:MAX_PARTS] if isinstance(listed, list) else ():
        part = _part(item, offered, said)
        if part is not None and part not in parts:
            parts.append(part)
    return parts


def _part(item: Any, offered: Mapping[str, Activity], said: Sequence[str]) -> Part | None:
    if not isinstance(item, dict):
        return None
    activity = offered.get(str(item.get("activity")))
    words = clean_text(item["words"]).strip() if isinstance(item.get("words"), str) else ""
    if activity is None or not any(contains_words(text, words) for text in said):
        return None
    return Part(activity, words, item.get("needs_earlier") is True)


def write_plan(plan: Plan, parts: Sequence[Part], journal: Journal) -> None:
    """Put the plan and its parts on record, before anything of it is done. The first part begins with it."""
    plan.save(force_insert=True)
    rows = [
        PlanPart(
            plan=plan,
            position=position,
            activity=part.activity,
            words=part.words,
            needs=position - 1 if part.needs_earlier and position > 1 else None,
            state=PartState.STARTED if position == 1 else PartState.PENDING,
        )
        for position, part in enumerate(parts, start=1)
    ]
    PlanPart.objects.bulk_create(rows)
    told = [
        {"position": row.position, "activity": card_key(row.activity), "words": row.words, "needs": row.needs}
        for row in rows
    ]
    journal.event("run.planned", {"plan": str(plan.pk), "parts": told})
