"""Tallies drawn in pieces are those of everybody at once."""

import numpy as np
import pytest

from caldp_core.basics.types import Ints
from caldp_core.mechanisms import randomness as streaming


@pytest.mark.parametrize("most", [1, 2, 3, 7, 100])
@pytest.mark.parametrize("people", [[], [0], [0, 0, 3], [5, 0, 1, 0], [2, 2, 2, 1]])
def test_pieces_hold_everybody_once(people: list[int], most: int) -> None:
    counts = np.array(people, np.int64)
    parts = list(streaming.chunks(counts, most))
    assert all(0 < part.size <= most for part in parts)
    whole = np.concatenate([np.zeros(0, np.int64), *parts])
    np.testing.assert_array_equal(whole, np.repeat(np.arange(counts.size), counts))


def test_pieces_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "_PEOPLE_CHUNK", 10)
    sizes: list[int] = []

    def send(kinds: Ints) -> Ints:
        sizes.append(kinds.size)
        return kinds * 2

    def add(reports: Ints) -> Ints:
        return np.bincount(reports, minlength=7)

    total = streaming.stream_tally(np.array([4, 0, 19, 5]), send, add)
    np.testing.assert_array_equal(total, [4, 0, 0, 0, 19, 0, 5])
    assert sizes == [0, 10, 10, 8]
