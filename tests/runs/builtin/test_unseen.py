"""The whole of it, on a business that exists nowhere but here, and the promise that it knows none."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import activities.discovery
import runs.llm.builtin
from activities.discovery.embedding.chosen import warm
from runs.llm.base import (
    CHOOSE_ACTIVITY,
    FILL_INPUTS,
    WRITE_PROSE,
    Candidate,
    CardSpec,
    Choice,
    FieldSpec,
    FieldType,
    FinishDelta,
    InputTask,
    ModelRequest,
    ProseField,
    ProseTask,
    Purpose,
    RouteTask,
    StepTask,
    StepTool,
    Task,
    drain,
)
from runs.llm.builtin import BuiltinModel
from tests.runs.builtin.helpers import TODAY, field
from tests.support.ends import comes_to_an_end

CHARTER = CardSpec(
    "marina.charter_boat",
    "Charter a boat",
    "Books a boat for a crew between two days.",
    ("boat rental", "louer un bateau", "location de bateau"),
    (
        "Charter the Albatross for the Miller crew from 3 to 9 May",
        "I would like to rent a boat next week",
        "Loue l'Albatros pour l'équipage Martin du 3 au 9 mai",
        "Je voudrais louer un bateau la semaine prochaine",
    ),
)
MOOR = CardSpec(
    "marina.assign_berth",
    "Assign a berth",
    "Gives a boat a place in the harbour.",
    ("mooring", "berth", "place au port", "amarrage"),
    ("Give the Albatross a berth", "Where can the Heron moor?", "Trouve une place pour l'Albatros"),
)
BOAT = field("boat", FieldType.REFERENCE, reference="marina.boat", cues=("boat", "bateau", "charter", "loue"))
FROM, TO = field("from_day", FieldType.DATE), field("to_day", FieldType.DATE)
CREW = field("crew_size", FieldType.INTEGER, cues=("crew of", "équipage de"))
SAIL = field(
    "sail",
    FieldType.CHOICE,
    required=False,
    choices=(Choice("light", ("light wind", "petit temps")), Choice("storm", ("storm", "tempête"))),
)
BOATS = {"B1": "Albatross", "B2": "Heron", "B3": "Étoile du Nord"}


def search(kind: str, text: str) -> list[Candidate]:
    return [Candidate(code, name, exact=True) for code, name in BOATS.items() if name.lower() == text.lower()]


def request(task: Task, purpose: Purpose = Purpose.ROUTE) -> ModelRequest:
    return ModelRequest(purpose, task, (), (), "required", 500)


def answer(task: Task) -> tuple[str, dict[str, Any]]:
    reply = drain(BuiltinModel().stream(request(task)), "")
    assert reply.finish_reason == "tool_calls"
    assert reply.model == "built-in interpreter"
    assert len(reply.calls) == 1
    return reply.calls[0].name, json.loads(reply.calls[0].arguments)


@pytest.mark.parametrize(
    ("language", "message", "activity", "inputs"),
    [
        (
            "en",
            "Please charter the Heron from 3 to 9 August with a crew of six, storm sail",
            "marina.charter_boat",
            {
                "boat": "Heron",
                "from_day": "2025-08-03",
                "to_day": "2025-08-09",
                "crew_size": 6,
                "sail": "storm",
            },
        ),
        (
            "fr",
            "Loue l'Étoile du Nord du 3 au 9 août pour un équipage de 6, voile de tempête",
            "marina.charter_boat",
            {
                "boat": "Étoile du Nord",
                "from_day": "2025-08-03",
                "to_day": "2025-08-09",
                "crew_size": 6,
                "sail": "storm",
            },
        ),
        (
            "en",
            "Assign a berth to the albatross",
            "marina.assign_berth",
            {"boat": "albatross", "from_day": None, "to_day": None, "crew_size": None, "sail": None},
        ),
    ],
)
def test_it_serves_a_business_it_has_never_seen(
    language: str, message: str, activity: str, inputs: dict[str, Any]
) -> None:
    assert answer(RouteTask(message, (CHARTER, MOOR), language)) == (
        CHOOSE_ACTIVITY,
        {"decision": "activity", "activity": activity, "alternatives": []},
    )
    task = InputTask(message, CHARTER, (BOAT, FROM, TO, CREW, SAIL), {}, TODAY, language, search)
    assert answer(task) == (FILL_INPUTS, inputs)


def test_it_writes_no_prose_of_its_own() -> None:
    fields = (ProseField("introduction", "", 200, "The Heron is yours."), ProseField("end", "", 200, ""))
    assert answer(ProseTask("x", fields, {}, {}, "en")) == (
        WRITE_PROSE,
        {"introduction": "The Heron is yours.", "end": ""},
    )


def test_the_same_request_has_the_same_answer() -> None:
    message = "Charter the Heron or the Albatross, with 3 or 4 people, next week or in June"
    tasks: tuple[Task, ...] = (
        RouteTask(message, (CHARTER, MOOR), "en"),
        InputTask(message, CHARTER, (BOAT, FROM, TO, CREW, SAIL), {}, TODAY, "en", search),
    )
    for task in tasks:
        first = list(BuiltinModel().stream(request(task)))
        assert all(list(BuiltinModel().stream(request(task))) == first for _ in range(5))
        assert isinstance(first[-1], FinishDelta)


#: Words of the example business and of the tests' domains. "Avoir" is left out: it is also the verb.
FORBIDDEN = (
    r"billing|invoice|refund|customer|credit|reminder|dunning|payment|facture|rembours|relance|client|paiement|helpdesk|"
    r"ticket|password|holiday|vacation|marina|charter"
)


def test_it_knows_no_business() -> None:
    folders = [Path(package.__file__).parent for package in (runs.llm.builtin, activities.discovery)]
    files = [file for folder in folders for file in folder.glob("*.py")]
    assert len(files) > 10
    for file in files:
        text = "\n".join(_without_prototypes(file.read_text(encoding="utf-8")))
        assert not re.search(FORBIDDEN, text, re.IGNORECASE), file.name


def _without_prototypes(source: str) -> list[str]:
    """The examples of what no activity does are made of everyday words."""
    return [line for line in source.splitlines() if not line.lstrip().startswith('"')]


FIELDS: tuple[FieldSpec, ...] = (
    BOAT,
    FROM,
    CREW,
    SAIL,
    field("period", FieldType.PERIOD),
    field("price", FieldType.DECIMAL),
    field("mail", FieldType.EMAIL),
    field("insured", FieldType.BOOLEAN),
    field("reason", FieldType.TEXT),
    field("code", FieldType.TEXT, pattern=r"[A-Z]+\d+"),
    field("boats", FieldType.REFERENCE, reference="marina.boat", reference_pattern=r"B\d", is_list=True),
)
PIECES = st.sampled_from(
    [
        "12/03/2025",
        "since",
        "depuis",
        "le",
        "1er",
        "mars",
        "March",
        "2025",
        "Q2",
        "from",
        "to",
        "du",
        "au",
        "-",
        "—",
        ",",
        ".",
        "«",
        "»",
        '"',
        "'",
        "1,234.50",
        "1 234,50",
        "€",
        "vingt",
        "cent",
        "mille",
        "and",
        "et",
        "not",
        "pas",
        "Heron",
        "because",
        "car",
        "l'",
        "œuvre",
        "e\u0301",
        "\u202e",
        "مرحبا",
        "😀",
        "\x00",
        "\ud83d",
        "\n",
        "last",
        "999",
        "years",
        "0",
        "-5",
        "B1",
        "a@b.fr",
        "next",
        "Friday",
        "in",
        "quatre-vingt-dix",
        "%",
        "(",
        ")",
        "٣",
        "²",
        "ß",
        "İ",
        "\u00a0",
    ]
)


def everything_about(text: str) -> None:
    for language in ("en", "fr"):
        task = InputTask(text, CHARTER, FIELDS, {}, TODAY, language, search)
        name, values = answer(task)
        assert name == FILL_INPUTS
        assert set(values) == {spec.name for spec in FIELDS}
    tool = StepTool("x__y", CHARTER, FIELDS)
    step = StepTask(
        text,
        "",
        (tool,),
        ("x__y",),
        {},
        {},
        {"marina.boat": (Candidate("B1", text),)},
        TODAY,
        "fr",
        search=search,
    )
    assert answer(step)
    assert answer(RouteTask(text, (CHARTER, MOOR), "en"))[0] == CHOOSE_ACTIVITY


@settings(max_examples=60, deadline=None)
@given(st.lists(PIECES, max_size=25).map(" ".join) | st.lists(PIECES, max_size=25).map("".join))
def test_no_combination_of_what_it_reads_breaks_it(text: str) -> None:
    everything_about(text)


@settings(max_examples=40, deadline=None)
@given(st.text(st.characters(codec=None), max_size=200))
def test_no_text_breaks_it(text: str) -> None:
    everything_about(text)


@pytest.mark.parametrize(
    "unit", ["a", "1 2 3 ", "12/03/2025 to March 3 and ", "John Doe and ", "A-1 ", '"', "مرحبا ", "\n"]
)
def test_a_hundred_thousand_characters_take_bounded_time(unit: str) -> None:
    text = (unit * (100_000 // len(unit) + 1))[:100_000]
    warm()
    with comes_to_an_end():
        everything_about(text)


def test_a_request_below_a_long_preamble_is_not_read() -> None:
    """The first four thousand characters are read; the rest is not, and costs nothing."""
    task = InputTask("word " * 2000 + " charter the Heron", CHARTER, (BOAT,), {}, TODAY, "en", search)
    assert answer(task) == (FILL_INPUTS, {"boat": None})
