"""A free text ends where another field of the same message begins."""

from typing import Any

import pytest

from runs.llm.base import CardSpec, FieldType
from tests.runs.builtin.helpers import AMOUNT, READER, field, fill

PLACE = field("place", FieldType.TEXT, cues=("in", "at"))
PARCELS = field("parcels", FieldType.INTEGER, cues=("parcels",))
DAY = field("day", FieldType.DATE, required=False)
NOTE = field("note", FieldType.TEXT, required=False, cues=("saying",))
PICKUP = CardSpec("post.pickup", "Book a pickup", examples=("Book a pickup in Paris for 3 parcels",))
REASON = field("reason", FieldType.TEXT, cues=("because", "since", "reason", "as"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Book a pickup in Lyon for 2 parcels", {"place": "Lyon", "parcels": 2}),
        ("Book a pickup in Saint-Étienne, parcels: 4", {"place": "Saint-Étienne", "parcels": 4}),
        (
            "Book a pickup at Le Havre on Friday, 3 parcels",
            {"place": "Le Havre", "parcels": 3, "day": "2025-06-20"},
        ),
        (
            "Book a pickup in Lyon for two parcels saying ring twice",
            {"place": "Lyon", "parcels": 2, "note": "ring twice"},
        ),
        ("Pickup of 3 parcels at 12 rue de Lyon", {"place": "12 rue de Lyon", "parcels": 3}),
    ],
)
def test_a_place_ends_where_another_field_begins(text: str, expected: dict[str, Any]) -> None:
    found = fill(text, PLACE, PARCELS, DAY, NOTE, card=PICKUP)
    assert {name: value for name, value in found.items() if value is not None} == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Refund R-0003, reason: wrong address, amount 50", "wrong address"),
        ("Refund R-0003 because it broke and the amount 50", "it broke"),
        ("Refund R-0003 because it broke, 50 euros", "it broke"),
        ("Refund R-0003 because he was charged 50 euros too much", "he was charged 50 euros too much"),
        ("Refund 50 euros to R-0003 because he paid 50 euros twice", "he paid 50 euros twice"),
        ("Refund R-0003 since he told us to, amount 50", "he told us to"),
    ],
)
def test_a_reason_ends_only_where_another_field_begins_a_clause(text: str, reason: str) -> None:
    assert fill(text, READER, AMOUNT, REASON) == {"reader": "R-0003", "amount": "50", "reason": reason}
