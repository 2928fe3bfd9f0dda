"""What is found and what is not, over cards in memory: the scoring alone, without a database."""

import unicodedata
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from activities.discovery.cards import CardText, IndexedCard, prepare_card
from activities.discovery.embedder import default_embedder
from activities.discovery.phrasing import no_phrasings, phrasing
from activities.discovery.queries import prepare_query
from activities.discovery.ranking import Fit, Ranking, Statistics, rank

PLANTS = CardText(
    "garden.water",
    ("Water the plants",),
    aliases=("watering", "arroser les plantes"),
    summaries=("Waters the plants of a room.",),
    examples=("Give the ferns some water", "Les fougères ont soif"),
)
LIONS = CardText("zoo.feed", ("Feed the lions",), summaries=("Gives the lions of the zoo their meat.",))
LETTER = CardText("post.letter", ("writeLetter",), summaries=("Writes a letter and sends it by post.",))
OVEN = CardText(
    "kitchen.heat",
    ("heat",),
    summaries=("Sets the oven.",),
    parameters=("target_temperature: How hot, in degrees Celsius.", "duration: For how many minutes."),
)
CARDS = (PLANTS, LIONS, LETTER, OVEN)


def prepared(cards: Sequence[CardText], *, words_only: bool = False) -> list[IndexedCard]:
    return [prepare_card(card, None if words_only else default_embedder()) for card in cards]


def ask(text: str, cards: Sequence[CardText] = CARDS, *, words_only: bool = False) -> Ranking:
    return hold(text, prepared(cards, words_only=words_only), words_only=words_only)


def hold(text: str, cards: Sequence[IndexedCard], *, words_only: bool = False) -> Ranking:
    query = prepare_query(text, None if words_only else default_embedder())
    return rank(query, cards, Statistics.of(cards))


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("water the plants", "garden.water"),
        ("Il faudrait donner à manger aux lions", "zoo.feed"),  # a French request over an English card
        ("The ferns look dry, please water them", "garden.water"),
        ("write a leter to my aunt", "post.letter"),
        ("how hot in degrees", "kitchen.heat"),  # found by its parameters alone
    ],
)
def test_what_is_asked_for_is_found(text: str, key: str) -> None:
    assert ask(text).cards[0].key == key
    assert ask(text).verdict is not Fit.NONE


def test_one_shared_word_tells_less_than_the_meaning() -> None:
    cards = (
        CardText("home.calm", ("Guided meditation", "Calm breathing and sleep sounds.")),
        CardText("work.desk", ("Help desk", "Report a broken computer after work.")),
        CardText("home.rain", ("Weather", "Forecast of rain and sun.")),
        CardText("work.pay", ("Payroll", "Salaries and payslips of the staff.")),
        CardText("home.cook", ("Recipes", "Dishes to cook at home.")),
    )
    assert ask("I need help to fall asleep", cards).cards[0].key == "home.calm"
    assert ask("the help desk, a computer is broken", cards).cards[0].key == "work.desk"


@pytest.mark.parametrize("text", ["", "   ", "🦁🍖🦁", "?!…", "\x00", "What is the capital of Peru?"])
@pytest.mark.parametrize("words_only", [False, True])
def test_what_no_card_does_is_not_found(text: str, words_only: bool) -> None:
    assert ask(text, words_only=words_only).verdict is Fit.NONE
    assert ask(text, (LIONS,), words_only=words_only).verdict is Fit.NONE


def test_over_no_cards_nothing_is_found() -> None:
    assert hold("water the plants", []).verdict is Fit.NONE


def test_of_fifty_thousand_characters_the_head_is_read_in_a_few_parts() -> None:
    text = "Please water the plants. " + "And then something else happened there. " * 1250
    query = prepare_query(text, default_embedder())
    assert len(text) > 50_000
    assert len(query.text) <= 4_000
    assert len(query.variants) <= 13
    assert ask(text).cards[0].key == "garden.water"


def test_accents_and_ligatures_are_told_in_any_form() -> None:
    cards = (CardText("a", ("Nourrir les bœufs",)), CardText("b", ("Préparer les œufs",)))
    written = ["nourrir les bœufs", "nourrir les boeufs", unicodedata.normalize("NFD", "Nourrir les bœufs")]
    assert {ask(text, cards, words_only=True).cards[0].key for text in written} == {"a"}
    composed, apart = (unicodedata.normalize(form, "préparer les œufs") for form in ("NFC", "NFD"))
    assert ask(composed, cards) == ask(apart, cards)


def test_a_name_steers_no_choice() -> None:
    call = CardText("x.call", ("Call somebody",), examples=("Call Ada Byron", "Phone Water Lion"))
    letter = CardText("x.letter", ("Write a letter",), examples=("Write a letter to Max Weber",))
    assert ask("Write a letter to Ada Byron", (call, letter)).cards[0].key == "x.letter"
    assert ask("Write a letter to Water Lion", (call, letter, LIONS)).cards[0].key == "x.letter"


def test_half_of_a_request_is_compared_without_its_names() -> None:
    named, other = (f"Note that {name} is late" for name in ("Ada Byron of Lovelace Manor", "Bo Li"))
    first, second = (prepare_query(text, default_embedder()).vectors for text in (named, other))
    raw = default_embedder().encode([named, other])
    assert first is not None
    assert second is not None
    assert first[0] @ second[0] > raw[0] @ raw[1] + 0.1


def test_each_sentence_finds_its_own_card() -> None:
    others = [CardText(f"zoo.{one}", (f"Feed the {one}",)) for one in ("tigers", "bears", "wolves", "apes")]
    request = "Feed the lions, the tigers, the bears, the wolves and the apes of the zoo. Then set the oven."
    assert "kitchen.heat" in [card.key for card in ask(request, (LIONS, OVEN, *others)).cards[:2]]


def test_held_against_many_examples_a_request_counts_as_a_whole() -> None:
    """Examples are whole requests: what one sentence shares with them says less than what all of it does."""
    lost = [
        f"I lost my {thing}. How long does a new one take?" for thing in ("card", "badge", "ticket", "key")
    ]
    wait = [f"How long does {thing} take?" for thing in ("a parcel", "a new one", "the post", "a letter")]
    cards = (
        CardText("card.replace", ("Replace a card",), examples=(*lost, "My card was stolen, send a new one")),
        CardText("post.delivery", ("Delivery time",), examples=(*wait, "How long is the post on its way?")),
    )
    feed = tuple(f"{verb} the lions" for verb in ("Feed", "Brush", "Wash", "Count", "Visit"))
    others = [CardText(f"zoo.{number}", ("Lions",), examples=feed) for number in range(80)]
    best, other, *_rest = ask("My badge is gone. How long does a new one take?", (*cards, *others)).cards
    assert (best.key, other.key) == ("card.replace", "post.delivery")
    assert other.score < 0.8 * best.score


def test_a_reason_does_not_ask() -> None:
    reason = "because the letter that I wrote by hand and that was to be sent by post was lost on its way"
    assert ask(f"Feed the lions, {reason}").cards[0].key == "zoo.feed"


def test_names_that_programs_write_together_are_read_and_typing_errors_forgiven() -> None:
    cards = (CardText("a", ("getOpenParcels",)), CardText("b", ("close_customs_file",)))
    assert ask("open parcels", cards, words_only=True).cards[0].key == "a"
    assert ask("custosm file", cards, words_only=True).cards[0].key == "b"
    assert ask("the custosm", cards, words_only=True).cards[0].lexical > 0


def test_examples_are_evidence() -> None:
    dark = CardText("lamp.on", ("Lamp on",), examples=("It is dark in here", "I can see nothing"))
    tidy = CardText("room.tidy", ("Tidy the room",), examples=("It is messy in here", "What a mess"))
    assert ask("it is so dark, I see nothing", (dark, tidy)).cards[0].key == "lamp.on"
    assert ask("what a messy place", (dark, tidy)).cards[0].key == "room.tidy"


def test_cards_with_one_text_have_one_score_and_are_in_order() -> None:
    twin = prepare_card(LIONS, default_embedder())
    cards = [replace(twin, key=f"zoo.feed_{number:04}") for number in range(2_000)]
    found = hold("feed the lions", cards[::-1])
    assert len({round(card.score, 4) for card in found.cards}) == 1
    assert [card.key for card in found.cards[:3]] == ["zoo.feed_0000", "zoo.feed_0001", "zoo.feed_0002"]


def test_a_broken_vector_is_near_to_nothing() -> None:
    cards = prepared(CARDS)
    nan = np.full_like(cards[1].card_vectors, np.nan)
    found = hold("water the plants", [cards[0], replace(cards[1], card_vectors=nan), *cards[2:]])
    assert found.cards[0].key == "garden.water"
    assert next(card for card in found.cards if card.key == "zoo.feed").dense == 0
    assert all(np.isfinite(card.score) for card in found.cards)


def test_a_request_whose_vector_is_broken_is_found_by_its_words() -> None:
    query = prepare_query("water the plants", default_embedder())
    assert query.vectors is not None
    broken = replace(query, vectors=np.full_like(query.vectors, np.nan))
    cards = prepared(CARDS)
    found = rank(broken, cards, Statistics.of(cards))
    assert found.cards[0].key == "garden.water"
    assert found.cards[0].dense is None


class Squeezed:
    """The same meaning, seen by a model to which everything is rather alike."""

    name, dimensions = "squeezed", 513

    def encode(self, texts: Sequence[str]) -> "np.ndarray":
        rows = default_embedder().encode(texts)
        return np.hstack([np.full((len(rows), 1), 0.8**0.5), rows * 0.2**0.5]).astype(np.float32)


@pytest.mark.parametrize(
    "text", ["my ferns are thirsty", "give meat to the lions", "What is the capital of Peru?"]
)
def test_another_embedders_scale_changes_no_verdict(text: str) -> None:
    usual, embedder = ask(text), Squeezed()
    cards = [prepare_card(card, embedder) for card in CARDS]
    found = rank(prepare_query(text, embedder), cards, Statistics.of(cards))
    assert (found.cards[0].key, found.verdict) == (usual.cards[0].key, usual.verdict)
    assert found.cards[0].score == pytest.approx(usual.cards[0].score, abs=0.02)


def test_a_card_that_is_not_given_is_in_no_score() -> None:
    """What is counted is counted over the cards at hand: another one's presence is in nothing it leaves."""
    assert ask("feed the lions", (PLANTS, LIONS)) == ask("feed the lions", (PLANTS, LIONS))
    assert ask("feed the lions", (PLANTS, LIONS)) != ask("feed the lions", (PLANTS, LIONS, OVEN))


def test_the_best_score_is_its_certainty_and_the_others_follow() -> None:
    scores = [card.score for card in ask("water the plants of the zoo").cards]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_of_two_cards_that_mean_the_same_the_wording_of_their_samples_decides() -> None:
    where = prepare_card(CardText("b.where", ("Card",), examples=("where is my card",)), default_embedder())
    other = replace(where, key="a.other", example_phrasings=phrasing("is my card where"))
    unknown = replace(where, key="a.other", example_phrasings=no_phrasings(1))
    assert hold("Where is my card?", (where, other)).cards[0].key == "b.where"
    assert hold("Where is my card?", (where, unknown)).cards[0].key == "b.where"
