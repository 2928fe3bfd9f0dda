"""Steps: the interpreter acts with activities and tools it has never seen."""

import json
from typing import Any

from runs.llm.base import (
    ASK_PERSON,
    ESCALATE,
    Candidate,
    CardSpec,
    Choice,
    FieldSpec,
    FieldType,
    ModelRequest,
    Purpose,
    StepTask,
    StepTool,
)
from runs.llm.builtin import BuiltinModel
from tests.runs.builtin.helpers import TODAY, field

ANIMAL = field("animal", FieldType.REFERENCE, reference="zoo.animal", reference_pattern=r"ZA-\d+")
LEO, MIA = Candidate("ZA-7", "Leo (ZA-7)"), Candidate("ZA-8", "Mia (ZA-8)")


def tool(key: str, *fields: FieldSpec, summary: str = "") -> StepTool:
    return StepTool(
        key.replace(".", "__"), CardSpec(key, key.split(".")[1].replace("_", " "), summary), fields
    )


OPENING_HOURS = tool("zoo.opening_hours")
GET_ANIMAL = tool("zoo.get_animal", ANIMAL)
FIND_ANIMALS = tool("zoo.find_animals", field("query", FieldType.TEXT), summary="Search animals by name.")
FEED = tool(
    "zoo.feed",
    ANIMAL,
    field("portions", FieldType.INTEGER),
    field(
        "food", FieldType.CHOICE, required=False, choices=(Choice("fish", ("fish", "poisson")), Choice("hay"))
    ),
    field("note", FieldType.TEXT, required=False, cues=("note",)),
)


def calls(
    message: str, *tools: StepTool, wanted: tuple[str, ...] | None = None, **task: Any
) -> list[tuple[str, dict[str, Any]]]:
    names = tuple(one.name for one in tools) if wanted is None else wanted
    settings: dict[str, Any] = {"inputs": {}, "facts": {}, "known_references": {}, "language": "en", **task}
    step = StepTask(message, "Do it.", tools, names, today=TODAY, **settings)
    request = ModelRequest(Purpose.STEP, step, (), (), "required", 500)
    deltas = list(BuiltinModel().stream(request))
    return [(delta.name, json.loads(delta.arguments)) for delta in deltas if hasattr(delta, "arguments")]


def test_a_tool_without_agent_parameters_is_simply_called() -> None:
    assert calls("When do you open?", OPENING_HOURS) == [("zoo__opening_hours", {})]


def test_all_wanted_tools_that_can_be_called_are_called_together() -> None:
    known = {"zoo.animal": (LEO,)}
    assert calls("How is Leo?", OPENING_HOURS, GET_ANIMAL, known_references=known) == [
        ("zoo__opening_hours", {}),
        ("zoo__get_animal", {"animal": "ZA-7"}),
    ]


def test_only_wanted_tools_are_called() -> None:
    assert calls("Leo", OPENING_HOURS, FEED, wanted=("zoo__opening_hours",)) == [("zoo__opening_hours", {})]


def test_an_input_of_the_same_name_comes_first() -> None:
    known = {"zoo.animal": (LEO, MIA)}
    assert calls("Feed Mia", GET_ANIMAL, inputs={"animal": "ZA-7"}, known_references=known) == [
        ("zoo__get_animal", {"animal": "ZA-7"})
    ]


def test_of_several_known_records_the_one_that_was_named() -> None:
    known = {"zoo.animal": (LEO, MIA)}
    assert calls("How is Mia today?", GET_ANIMAL, known_references=known) == [
        ("zoo__get_animal", {"animal": "ZA-8"})
    ]
    assert calls("How is za-8?", GET_ANIMAL, known_references=known) == [
        ("zoo__get_animal", {"animal": "ZA-8"})
    ]


def test_of_several_known_records_none_is_preferred() -> None:
    for language, question in (
        ("en", "Which animal do you mean?"),
        ("fr", "De quel élément s’agit-il pour « animal » ?"),
    ):
        asked = calls(
            "How is it?", GET_ANIMAL, known_references={"zoo.animal": (LEO, MIA)}, language=language
        )
        assert asked == [(ASK_PERSON, {"parameter": "animal", "question": question})]


def test_a_missing_record_is_searched_by_a_tool_that_speaks_of_it() -> None:
    tools = (GET_ANIMAL, FIND_ANIMALS)
    wanted = ("zoo__get_animal",)
    assert calls("How is Leo the Lion since March?", *tools, wanted=wanted) == [
        ("zoo__find_animals", {"query": "Leo the Lion"})
    ]
    found = calls(
        "How is Leo?",
        *tools,
        wanted=wanted,
        facts={"find_animals": {"items": []}},
        known_references={"zoo.animal": (LEO,)},
    )
    assert found == [("zoo__get_animal", {"animal": "ZA-7"})]
    assert (
        calls("How is Leo?", *tools, wanted=wanted, facts={"find_animals": {"items": []}})[0][0] == ASK_PERSON
    )


def test_an_identifier_in_the_words_is_used_when_the_record_exists() -> None:
    def search(kind: str, text: str) -> list[Candidate]:
        return [LEO] if (kind, text.upper()) == ("zoo.animal", "ZA-7") else []

    assert calls("How is za-7?", GET_ANIMAL, search=search) == [("zoo__get_animal", {"animal": "ZA-7"})]
    assert calls("How is za-9?", GET_ANIMAL, search=search)[0][0] == ASK_PERSON


def test_a_name_that_only_the_search_knows_is_not_an_identifier_that_was_said() -> None:
    """The identifier would come from nowhere in this run."""
    assert calls("How is Leo?", GET_ANIMAL, search=lambda kind, text: [LEO])[0][0] == ASK_PERSON


def test_values_are_filled_from_the_words_and_optional_ones_only_then() -> None:
    known = {"zoo.animal": (LEO,)}
    assert calls("Feed Leo with 3 portions of fish", FEED, known_references=known) == [
        ("zoo__feed", {"animal": "ZA-7", "portions": 3, "food": "fish"})
    ]
    assert calls("Feed Leo 3 portions", FEED, known_references=known) == [
        ("zoo__feed", {"animal": "ZA-7", "portions": 3})
    ]


def test_a_required_value_is_asked_for_and_never_guessed() -> None:
    asked = calls("Feed Leo", FEED, known_references={"zoo.animal": (LEO,)})
    assert asked == [(ASK_PERSON, {"parameter": "portions", "question": "What should I use for “portions”?"})]


def test_a_required_value_may_stand_in_the_facts_by_its_name() -> None:
    facts = {"get_diet": {"portions": 4}}
    known = {"zoo.animal": (LEO,)}
    assert calls("Feed Leo", FEED, facts=facts, known_references=known)[0] == (
        "zoo__feed",
        {"animal": "ZA-7", "portions": 4},
    )
    conflicting = {"get_diet": {"portions": 4}, "get_plan": {"portions": 5}}
    assert calls("Feed Leo", FEED, facts=conflicting, known_references=known)[0][0] == ASK_PERSON


def test_the_ends_of_a_period_that_is_an_input() -> None:
    visits = tool(
        "zoo.count_visits", field("period_start", FieldType.DATE), field("period_end", FieldType.DATE)
    )
    inputs = {"period": {"start": "2025-01-01", "end": "2025-03-31"}}
    assert calls("Visits", visits, inputs=inputs) == [
        ("zoo__count_visits", {"period_start": "2025-01-01", "period_end": "2025-03-31"})
    ]


def test_a_required_list_takes_what_was_named_or_all_that_is_known() -> None:
    weigh = tool("zoo.weigh", field("animals", FieldType.REFERENCE, reference="zoo.animal", is_list=True))
    known = {"zoo.animal": (LEO, MIA)}
    assert calls("Weigh Leo and Mia", weigh, known_references=known) == [
        ("zoo__weigh", {"animals": ["ZA-7", "ZA-8"]})
    ]
    assert calls("Weigh Mia", weigh, known_references=known) == [("zoo__weigh", {"animals": ["ZA-8"]})]
    assert calls("Weigh them", weigh, known_references=known) == [
        ("zoo__weigh", {"animals": ["ZA-7", "ZA-8"]})
    ]


def test_an_optional_list_is_left_out_unless_said() -> None:
    report = tool(
        "zoo.report",
        field("animals", FieldType.REFERENCE, reference="zoo.animal", is_list=True, required=False),
    )
    assert calls("Report for 2025", report, known_references={"zoo.animal": (LEO, MIA)}) == [
        ("zoo__report", {})
    ]


def test_what_was_refused_is_not_tried_again() -> None:
    for language, start in (("en", "What I tried was refused"), ("fr", "Ce que j’ai tenté a été refusé")):
        name, arguments = calls("Feed", OPENING_HOURS, refusals=("The zoo is closed.",), language=language)[0]
        assert name == ESCALATE
        assert arguments["reason"].startswith(start)
        assert "The zoo is closed." in arguments["reason"]


def test_nothing_to_call_is_said() -> None:
    assert calls("Feed")[0][0] == ESCALATE
