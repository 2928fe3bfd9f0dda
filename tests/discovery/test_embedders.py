"""Vectors from an endpoint: trusted when they are vectors, done without when they are not, and it is said."""

import logging

import pytest
from django.conf import LazySettings

from activities.discovery.embedder import EmbedderUnavailable
from activities.discovery.embedding import backoff, chosen
from activities.discovery.embedding.backoff import BackOff
from activities.discovery.embedding.chosen import index_embedder, search_embedder
from activities.discovery.embedding.troubles import sentence, trouble
from activities.discovery.index.vectors import due, embed_due
from activities.models import Card, CardVector, EmbedderState
from tests.discovery.finding import find, keys
from tests.loopback.embeddings import EmbeddingServer, vector_of
from tests.support.catalogue import catalogue, key_of, names, reading
from tests.support.world import World

ASKED = "price of chairs"


def test_rows_are_of_length_one_in_the_order_asked_and_asked_once(embeddings: EmbeddingServer) -> None:
    embedder = search_embedder()
    rows = embedder.encode(["red chairs", "blue lamps", "red chairs"])
    assert (rows[0] == rows[2]).all()
    expected = vector_of("blue lamps")
    assert rows[1] @ expected == pytest.approx(sum(value * value for value in expected) ** 0.5)
    assert (rows**2).sum(axis=1) == pytest.approx([1, 1, 1])
    embedder.encode(["blue lamps"])
    assert embeddings.asked == [["red chairs", "blue lamps"]]
    assert embeddings.keys == ["Bearer sk-loopback"]


MOODS = {
    "html": "no embeddings endpoint",
    "refuse": "EMBEDDINGS_API_KEY",
    "fail": "endpoint failed",
    "short": "EMBEDDINGS_DIMENSIONS",
    "nan": "no usable numbers",
    "endless": "no usable numbers",
    "zero": "no usable numbers",
    "text": "no usable numbers",
    "fewer": "no embeddings endpoint",
    "slow": "in time",
    "drip": "in time",
}


@pytest.mark.parametrize("mood", MOODS)
def test_a_bad_answer_costs_its_vectors_and_is_named(
    mood: str, world: World, embeddings: EmbeddingServer, caplog: pytest.LogCaptureFixture
) -> None:
    with catalogue(*map(reading, names(12))):
        embed_due()
        assert not find(world, "colour of lamps").degraded
        embeddings.mood = mood
        with caplog.at_level(logging.WARNING, "activities.discovery.index.state"):
            found = [find(world, ASKED), find(world, f"{ASKED} please")]
        assert [keys(one)[0] for one in found] == [key_of(ASKED)] * 2
        assert all(MOODS[mood] in one.degraded for one in found)
        assert found[0].cards[0].dense is None
        said = [record for record in caplog.records if record.name == "activities.discovery.index.state"]
        assert len(said) == 1
        kept = EmbedderState.objects.get(embedder=search_embedder().name)
        assert MOODS[mood] in sentence(kept.trouble)


def test_an_endpoint_that_is_not_there(
    world: World, embeddings: EmbeddingServer, settings: LazySettings
) -> None:
    with catalogue(*map(reading, names(12))):
        embed_due()
        settings.EMBEDDINGS_BASE_URL = "http://127.0.0.1:9/v1"
        found = find(world, ASKED)
        assert "cannot be reached" in found.degraded
        assert keys(found)[0] == key_of(ASKED)


def test_one_search_pays_for_a_slow_endpoint_the_next_ones_do_not(
    world: World, embeddings: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1_000.0]
    monkeypatch.setattr(BackOff.__init__, "__defaults__", (lambda: now[0],))
    chosen._endpoint.cache_clear()
    with catalogue(*map(reading, names(12))):
        embed_due()
        embeddings.mood = "fail"
        before = len(embeddings.asked)
        for words in ("price", "colour", "weight"):
            assert find(world, f"{words} of chairs").degraded
        assert len(embeddings.asked) == before + 1
        embeddings.mood = "well"
        now[0] += backoff.BackOff.FIRST_SECONDS
        assert not find(world, ASKED).degraded
        assert EmbedderState.objects.get().trouble == ""


def test_pauses_grow_and_one_caller_tries_at_a_time() -> None:
    now = [0.0]
    pauses = BackOff(patience=2.0, clock=lambda: now[0])
    for length in (5, 10, 20, 40, 80, 160, 300, 300):
        pauses.failed(trouble("failed"))
        now[0] += length - 1
        with pytest.raises(EmbedderUnavailable):
            pauses.admit()
        now[0] += 1
        pauses.admit()
        with pytest.raises(EmbedderUnavailable):
            pauses.admit()  # the first one is still trying
    pauses.worked()
    pauses.admit()


def test_another_embedder_makes_new_vectors_while_words_answer(
    world: World, embeddings: EmbeddingServer, settings: LazySettings
) -> None:
    with catalogue(*map(reading, names(12))):
        embed_due()
        assert find(world, ASKED).cards[0].dense is not None
        settings.EMBEDDINGS_MODEL, settings.EMBEDDINGS_DIMENSIONS = "larger", 96
        embeddings.size = 96
        meanwhile = find(world, ASKED)
        assert meanwhile.degraded
        assert meanwhile.cards[0].dense is None
        assert keys(meanwhile)[0] == key_of(ASKED)
        cards = Card.objects.filter(available=True).count()
        assert embed_due() == cards
        assert not due(index_embedder().name).exists()
        assert set(CardVector.objects.values_list("embedder", flat=True)) == {"larger/96"}
        after = find(world, ASKED)
        assert (after.degraded, keys(after)[0]) == ("", key_of(ASKED))
        assert after.cards[0].dense is not None


def test_cards_are_not_made_while_the_endpoint_is_down(world: World, embeddings: EmbeddingServer) -> None:
    embeddings.mood = "fail"
    with catalogue(*map(reading, names(3))):
        assert embed_due() == 0
        assert CardVector.objects.count() == 0
        assert EmbedderState.objects.get().trouble == "failed"
        embeddings.mood = "well"
        chosen._endpoint.cache_clear()  # another process, or a while later
        assert embed_due() == Card.objects.filter(available=True).count()


def test_a_card_that_changes_or_goes_while_it_is_embedded(
    world: World, embeddings: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed, gone, same = map(key_of, names(3))
    with catalogue(*map(reading, names(3))):
        embedder = index_embedder()
        original = embedder.encode

        def meanwhile(texts: list[str]) -> object:
            Card.objects.filter(key=changed).update(digest="changed")
            Card.objects.filter(key=gone).delete()
            return original(texts)

        monkeypatch.setattr(embedder, "encode", meanwhile)
        embed_due()
        assert [card.key for card in due(embedder.name)] == [changed]
        assert CardVector.objects.filter(card__key=same).exists()
