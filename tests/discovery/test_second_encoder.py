"""The second encoder: beside the built-in one in the index and in the interpreter, where it is set."""

import sys

import numpy as np
import pytest
from django.conf import LazySettings

from activities.discovery.embedder import EmbedderUnavailable, default_embedder
from activities.discovery.embedding.chosen import local_embedder, search_embedder
from activities.discovery.embedding.minilm import MiniLM
from activities.discovery.embedding.paired import PairedEmbedder
from activities.discovery.index.vectors import embed_due
from activities.models import CardVector
from runs.llm.builtin import BuiltinModel
from tests.discovery.finding import find, keys
from tests.support.catalogue import catalogue, key_of, names, reading
from tests.support.world import World

LOST, FOUND, OTHER = "I lost my card", "my card cannot be found any more", "the bread is in the oven"


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    return MiniLM()


def test_like_texts_are_near_and_a_text_has_one_vector_whatever_is_asked_with_it(minilm: MiniLM) -> None:
    lost, found, other = minilm.encode([LOST, FOUND, OTHER])
    assert lost @ found > lost @ other + 0.3
    assert np.array_equal(MiniLM().encode([OTHER, LOST])[1], lost)
    rows = minilm.encode([LOST, "", "x " * 5_000, "\ud800 \x00 🦁"])
    assert rows.shape == (4, minilm.dimensions)
    assert (rows**2).sum(axis=1) == pytest.approx([1] * 4)


def test_a_pair_is_the_mean_of_both(minilm: MiniLM) -> None:
    pair = PairedEmbedder(default_embedder(), minilm)
    assert pair.dimensions == 512 + 384
    texts = [LOST, FOUND]
    one, other = pair.encode(texts)
    cosines = [first @ second for first, second in (part.encode(texts) for part in pair._parts)]
    assert one @ other == pytest.approx(sum(cosines) / 2, abs=1e-5)
    assert one @ one == pytest.approx(1, abs=1e-5)
    assert pair.encode([]).shape == (0, pair.dimensions)


def test_it_serves_the_catalogue_and_the_interpreter_where_it_is_set(
    world: World, settings: LazySettings
) -> None:
    assert local_embedder() is default_embedder()
    with catalogue(*map(reading, names(12))):
        embed_due()
        settings.SECOND_ENCODER = "minilm"
        pair = local_embedder()
        assert search_embedder() is pair
        assert BuiltinModel()._embedder is pair
        assert find(world, "price of chairs").degraded  # until the cards have its vectors
        embed_due()
        assert set(CardVector.objects.values_list("embedder", flat=True)) == {pair.name}
        found = find(world, "price of chairs")
        assert (found.degraded, keys(found)[0]) == ("", key_of("price of chairs"))
        assert found.cards[0].dense is not None


def test_a_package_that_went_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(EmbedderUnavailable, match="all-minilm"):
        MiniLM().encode([LOST])
