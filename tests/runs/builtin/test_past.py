"""A question about what was done never becomes the doing of it."""

from dataclasses import replace

import pytest

from activities.discovery.embedder import default_embedder
from runs.llm.base import CardSpec, RouteTask
from runs.llm.builtin.routing import choose

LEND = CardSpec(
    key="lend",
    name="Lend a book",
    summary="Lends a book to a reader.",
    aliases=("lend a book", "prêter un livre"),
    examples=("Lend Emma to Ada", "Lend the atlas to Mr Roux", "Prête le livre Emma à Ada"),
    writes=True,
)
ASKED = (
    "Was the book Emma lent to Ada?",
    "Did somebody lend Emma to Ada?",
    "Has Emma been lent to Ada?",
    "When was the atlas lent to Mr Roux?",
    "Est-ce que le livre Emma a été prêté à Ada ?",
    "A-t-on prêté le livre Emma à Ada ?",
    "Avons-nous prêté le livre Emma à Ada ?",
    "Le livre Emma a-t-il été prêté à Ada ?",
)
ORDERED = ("Lend the book Emma to Ada", "Prête le livre Emma à Ada", "Can you lend the book Emma to Ada?")


def decision(text: str, card: CardSpec = LEND) -> object:
    return choose(RouteTask(text, (card,), "en"), default_embedder())["decision"]


@pytest.mark.parametrize("text", ASKED)
def test_asking_is_not_ordering(text):
    assert decision(text) == "none"


@pytest.mark.parametrize("text", ORDERED)
def test_ordering_is(text):
    assert decision(text) == "activity"


def test_what_only_reads_may_answer_a_question_about_the_past():
    assert decision(ASKED[0], replace(LEND, writes=False)) == "activity"
