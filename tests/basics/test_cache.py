"""The shared cache: bounded in bytes over all functions, one maker at a time, no error kept."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from threading import Barrier, Event, Thread

import numpy as np
import pytest

from caldp_core.basics.cache import ByteCache, cached, cached_by, object_sizes, shared_cache
from caldp_core.basics.types import Floats
from tests.waiting import PATIENCE, join

_ROOM = 2_000
"""Bytes of objects around an array."""


def _of(size: int) -> Callable[[], Floats]:
    return lambda: np.zeros(size // 8)


def test_what_was_unused_the_longest_goes_first_and_the_bytes_stay_below_the_bound() -> None:
    cache = ByteCache(300_000 + _ROOM)
    made: list[str] = []

    def get(name: str) -> None:
        def make() -> Floats:
            made.append(name)
            return np.zeros(12_500)

        cache.get(name, make)

    for name in ("a", "b", "c", "a", "d"):
        get(name)
    assert made == ["a", "b", "c", "d"]
    get("a")
    get("c")
    assert made == ["a", "b", "c", "d"]
    get("b")
    assert made == ["a", "b", "c", "d", "b"]
    assert 300_000 <= cache.bytes <= 300_000 + _ROOM


def test_many_small_results_are_bounded_as_one_large_one_is() -> None:
    cache = ByteCache(100_000)
    for number in range(10_000):
        cache.get(number, partial(str.format, "{}" * 20, *[number] * 20))
        assert cache.bytes <= 100_000
    assert len(cache) > 100


def test_what_is_larger_than_the_bound_is_kept_alone_until_the_next_comes() -> None:
    cache = ByteCache(1_000)
    large = cache.get("large", _of(8_000))
    assert cache.get("large", _of(8)) is large
    cache.get("small", _of(8))
    assert cache.bytes < 1_000


def test_what_two_values_share_counts_once_and_until_both_are_gone() -> None:
    cache, common = ByteCache(250_000), np.zeros(12_500)
    for number in range(5):
        cache.get(number, partial(tuple[object, ...], [number, common, common[10:20]]))
    assert 100_000 < cache.bytes < 100_000 + _ROOM
    cache.get("other", _of(200_000))
    assert 200_000 < cache.bytes < 200_000 + _ROOM


@dataclass(frozen=True)
class _Grows:
    size: int

    @cached_property
    def found(self) -> Floats:
        return np.zeros(self.size)


def test_what_grows_after_it_came_is_seen_when_all_is_weighed_again() -> None:
    cache = ByteCache(100_000)
    grows = [cache.get(number, lambda: _Grows(10_000)) for number in range(3)]
    assert sum(each.found.size for each in grows) == 30_000
    assert cache.bytes < 10_000
    cache.update_sizes()
    assert cache.bytes <= 100_000
    assert len(cache) == 1
    assert cache.get(2, lambda: _Grows(1)) is grows[2]  # the one that came last has stayed


def test_views_and_fields_are_weighed_by_what_they_keep_alive() -> None:
    whole = np.zeros(100_000)
    assert sum(size for _, size in object_sizes([whole[:10], {"part": whole[20:]}])) >= whole.nbytes
    assert sum(size for _, size in object_sizes(_Grows(3))) < 1_000
    names = ("x" * 1_000, "y" * 1_000)
    assert len(list(object_sizes(names))) == 1
    assert 2_000 < sum(size for _, size in object_sizes(names)) < 2_300
    assert sum(size for _, size in object_sizes((_of(8), np, int))) < 1_000


def test_one_makes_what_many_want_and_an_error_is_not_kept() -> None:
    cache, begun, go = ByteCache(10_000), Event(), Event()
    calls: list[int] = []
    found: list[int] = []

    def make() -> int:
        calls.append(len(calls))
        begun.set()
        assert go.wait(PATIENCE)
        if len(calls) == 1:
            raise ValueError("not this time")
        return 7

    def want() -> None:
        try:
            found.append(cache.get("it", make))
        except ValueError:
            found.append(-1)

    threads = [Thread(target=want) for _ in range(5)]
    for thread in threads:
        thread.start()
    assert begun.wait(PATIENCE)
    go.set()
    join(threads)
    assert sorted(found) == [-1, 7, 7, 7, 7]
    assert len(calls) == 2


def test_two_values_are_made_at_the_same_time() -> None:
    cache, both = ByteCache(10_000), Barrier(2, timeout=PATIENCE)
    threads = [Thread(target=cache.get, args=(name, both.wait)) for name in "ab"]
    for thread in threads:
        thread.start()
    join(threads)
    assert len(cache) == 2


def test_keys_are_the_arguments_with_their_types() -> None:
    shared_cache().clear()
    calls = []

    @cached
    def double(value: float, *, other: int = 0) -> float:
        calls.append(value)
        return 2 * value + other

    assert [double(1), double(1.0), double(True), double(1, other=0)] == [2] * 4
    assert [type(each) for each in calls] == [int, float, bool]
    assert double(1, other=3) == 5
    with pytest.raises(TypeError):
        double([1])  # type: ignore[arg-type]


def test_a_key_of_ones_own_gets_all_arguments_and_decides_alone() -> None:
    shared_cache().clear()
    calls = []

    @cached_by(lambda values, note, other: (*values, other))
    def total(values: list[float], note: object = None, other: int = 0) -> float:
        calls.append(note)
        return sum(values) + other

    assert [total([1, 2]), total([1, 2], "said"), total([1, 2], note=3, other=0)] == [3] * 3
    assert [total([1, 2], other=4), total([3], "other")] == [7, 3]
    assert calls == [None, None, "other"]
