"""Routing: measured on requests that took part in setting the thresholds, and on some that did not."""

import logging
from collections import Counter
from collections.abc import Sequence

import pytest

from activities.discovery.embedder import EmbedderUnavailable, default_embedder
from activities.discovery.reading import Reading
from runs.llm.base import CardSpec, RouteTask
from runs.llm.builtin import routing
from runs.llm.builtin.routing import choose
from runs.llm.builtin.smalltalk import forbids
from tests.runs.builtin.domains import ACCOUNTS_RECEIVABLE, HELPDESK, LEAVE, LIBRARY
from tests.runs.builtin.requests import ELSEWHERE_HELD_OUT, ELSEWHERE_SETTING, HELD_OUT, SETTING

Requests = Sequence[tuple[str, str, str]]


class NoVectors:
    name = "none"
    dimensions = 512

    def encode(self, texts: Sequence[str]) -> object:
        raise EmbedderUnavailable("There is no model on this machine.")


def verdict(
    cards: tuple[CardSpec, ...], language: str, text: str, expected: str, embedder: object = None
) -> str:
    """right, asked (the right one among the alternatives), none or wrong."""
    answer = choose(RouteTask(text, cards, language), embedder or default_embedder())  # type: ignore[arg-type]
    keys = set(expected.split("|"))
    if answer["decision"] == "none":
        return "right" if "" in keys else "none"
    if answer["decision"] == "unclear":
        among = bool(keys & set(answer["alternatives"]))  # type: ignore[call-overload]
        return "asked" if among else "wrong"
    return "right" if answer["activity"] in keys else "wrong"


def count(cards: tuple[CardSpec, ...], requests: Requests, embedder: object = None) -> Counter[str]:
    return Counter(
        verdict(cards, language, text, expected, embedder) for language, text, expected in requests
    )


def total(sets: Sequence[tuple[tuple[CardSpec, ...], Requests]], embedder: object = None) -> Counter[str]:
    return sum((count(cards, requests, embedder) for cards, requests in sets), Counter())


def test_the_requests_are_many_and_in_both_languages() -> None:
    everything = [entry[:2] for _, requests in (*SETTING, *HELD_OUT) for entry in requests]
    everything += [*ELSEWHERE_SETTING, *ELSEWHERE_HELD_OUT]
    assert len(everything) >= 150
    assert min(Counter(language for language, _ in everything).values()) >= 60


@pytest.mark.parametrize(("sets", "right"), [(SETTING, 0.9), (HELD_OUT, 0.75)], ids=["setting", "held out"])
def test_the_right_activity_is_chosen(
    sets: Sequence[tuple[tuple[CardSpec, ...], Requests]], right: float
) -> None:
    seen = total(sets)
    assert seen["right"] / seen.total() >= right, seen
    assert (seen["right"] + seen["asked"]) / seen.total() >= right + 0.05, seen
    assert seen["wrong"] / seen.total() <= 0.03, seen


@pytest.mark.parametrize(
    "cards", [ACCOUNTS_RECEIVABLE, HELPDESK, LEAVE, LIBRARY], ids=lambda cards: cards[0].key
)
def test_what_no_activity_does_is_declined(cards: tuple[CardSpec, ...]) -> None:
    accepted = [
        text
        for language, text in (*ELSEWHERE_SETTING, *ELSEWHERE_HELD_OUT)
        if choose(RouteTask(text, cards, language), default_embedder())["decision"] != "none"
    ]
    assert accepted == []


def test_without_vectors_the_words_decide_and_it_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    routing._warned.clear()
    with caplog.at_level(logging.WARNING, logger="runs.llm.builtin.routing"):
        seen = total(SETTING, NoVectors())
    assert seen["right"] / seen.total() >= 0.5, seen
    assert seen["wrong"] == 0, seen
    assert len(caplog.records) == 1


def test_a_draw_is_a_question_with_both() -> None:
    twins = (CardSpec("a.first", "Water the plants"), CardSpec("b.second", "Water the plants"))
    answer = choose(RouteTask("water the plants", twins, "en"), default_embedder())
    assert answer == {"decision": "unclear", "activity": None, "alternatives": ["a.first", "b.second"]}


def test_what_a_card_is_not_for_speaks_against_nobody_and_for_nobody() -> None:
    plain = CardSpec("x.plants", "Water the plants")
    warned = CardSpec("x.plants", "Water the plants", when_not_to_use="To feed the lions of the zoo.")
    request = "feed the lions of the zoo"
    assert choose(RouteTask(request, (warned,), "en"), default_embedder())["decision"] == "none"
    assert choose(RouteTask(request, (plain,), "en"), default_embedder())["decision"] == "none"


def test_a_name_shared_with_an_example_does_not_decide() -> None:
    cards = (
        CardSpec("x.call", "Call somebody", examples=("Call Ada Byron", "Phone John Doe")),
        CardSpec("x.letter", "Write a letter", examples=("Write a letter to Max Weber",)),
    )
    answer = choose(RouteTask("Write a letter to Ada Byron", cards, "en"), default_embedder())
    assert answer["activity"] == "x.letter"


def test_a_long_reason_does_not_drown_the_request() -> None:
    reason = (
        "the cat of my neighbour walked over the keyboard in the night and the weather was bad as well " * 3
    )
    answer = choose(RouteTask(f"Reset my password, {reason}", HELPDESK, "en"), default_embedder())
    assert answer["activity"] == "reset_password"


def test_typing_errors_are_forgiven() -> None:
    assert (
        choose(RouteTask("rest my pasword", HELPDESK, "en"), default_embedder())["activity"]
        == "reset_password"
    )


def test_no_cards_no_activity() -> None:
    assert choose(RouteTask("Reset my password", (), "en"), default_embedder())["decision"] == "none"


def test_the_order_of_the_cards_does_not_matter() -> None:
    for language, text, _ in SETTING[1][1]:
        one = choose(RouteTask(text, HELPDESK, language), default_embedder())
        other = choose(RouteTask(text, HELPDESK[::-1], language), default_embedder())
        assert one == other


@pytest.mark.parametrize(
    "text",
    [
        "Do not reserve the meeting room for tomorrow.",
        "Please don’t remind Ada about her overdue book.",
        "Never lend the atlas to Ada.",
        "N'envoie pas de rappel à Ada.",
        "Ne lui prête pas l'atlas.",
        "Merci de ne pas prêter l'atlas à Ada.",
        "Surtout, ne prolonge pas le prêt d'Ada.",
    ],
)
def test_what_must_not_be_done_is_no_request(text: str) -> None:
    assert forbids(Reading.of(text))
    assert choose(RouteTask(text, LIBRARY, "en"), NoVectors())["decision"] == "none"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "Don't forget to remind Ada about her overdue book.",
        "N'oublie pas de relancer Ada.",
        "Never returned books, please list them.",
        "N'y a-t-il pas de livre en retard ?",
        "Ada did not return the atlas, remind her.",
        "Ada n'a pas rendu l'atlas, relance-la.",
        "Remind Ada, she never answers.",
    ],
)
def test_a_negation_within_a_request_leaves_it_one(text: str) -> None:
    assert not forbids(Reading.of(text))


def without(cards: tuple[CardSpec, ...], key: str) -> tuple[CardSpec, ...]:
    return tuple(card for card in cards if card.key != key)


def test_what_a_person_may_not_use_is_seldom_led_to_something_else() -> None:
    """The right card is not among the cards: the request shares its records with others, not its verb."""
    led = [
        choose(RouteTask(text, without(cards, expected), language), default_embedder())["decision"]
        for cards, requests in (*SETTING, *HELD_OUT)
        for language, text, expected in requests
        if expected and "|" not in expected
    ]
    assert led.count("activity") / len(led) <= 0.25, Counter(led)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Refund invoice INV-2024-01999, the item arrived broken."),
        ("en", "Refund invoice INV-2024-01999"),
        ("fr", "Rembourse la facture INV-2024-01999, le colis est arrivé abîmé."),
        ("fr", "Rembourse la facture INV-2024-01999"),
    ],
)
def test_a_request_for_what_is_not_open_is_asked_about_in_both_languages(language: str, text: str) -> None:
    cards = without(ACCOUNTS_RECEIVABLE, "refund_invoice")
    answer = choose(RouteTask(text, cards, language), default_embedder())
    assert answer["decision"] == "unclear"
    assert "refund_invoice" not in answer["alternatives"]  # type: ignore[operator]
