"""How samples are worded: packed, weighed by rarity, compared with a request and with each other."""

import numpy as np
import pytest

from activities.discovery.phrasing import Phrasings, no_phrasings, phrasing

TEXTS = ("Where is my card?", "Is my card here?", "Send me the card", "")
PACKED = b"".join(map(phrasing, TEXTS))


def test_the_same_words_in_another_order_share_less() -> None:
    shares = Phrasings(PACKED).shared_with(phrasing("where is my card"))
    assert shares[0] == pytest.approx(1)
    assert shares[0] > shares[1] > shares[2] > shares[3] == 0


def test_what_few_samples_say_counts_more() -> None:
    where, card = (Phrasings(PACKED).shared_with(phrasing(text))[0] for text in ("where", "card"))
    assert where > card


def test_samples_are_compared_with_each_other_as_with_a_request() -> None:
    worded = Phrasings(PACKED)
    table = worded.among(np.array([2, 0, 1]))
    assert table.diagonal() == pytest.approx(1)
    assert table == pytest.approx(table.T)
    assert table[1] == pytest.approx(worded.shared_with(phrasing(TEXTS[0]))[[2, 0, 1]], abs=1e-5)


def test_a_request_in_words_nobody_used_shares_none() -> None:
    assert not Phrasings(PACKED).shared_with(phrasing("quite another thing")).any()
    assert not Phrasings(PACKED).shared_with(phrasing("")).any()


def test_samples_without_words_share_none() -> None:
    worded = Phrasings(no_phrasings(3))
    assert worded.shared_with(phrasing("where is my card")).tolist() == [0, 0, 0]
    assert not worded.among(np.arange(3)).any()
    assert Phrasings(b"").shared_with(phrasing("where is my card")).tolist() == []
