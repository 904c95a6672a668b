"""Whatever is handed to a mechanism, it works or says in one sentence what is wrong."""

import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from caldp_core.basics.errors import (
    CaldpError,
    check_counts,
    check_epsilon,
    check_number,
    check_symbols,
    check_whole,
)
from caldp_core.basics.limits import CONFIDENCE_MAX, CONFIDENCE_MIN, EPSILON_MAX, EPSILON_MIN, N_MAX
from caldp_core.basics.types import Ints
from caldp_core.mechanisms import FAMILIES, Tally, catalogue
from caldp_core.mechanisms.direct.few_values import BinaryMechanism, ExponentialMechanism
from caldp_core.mechanisms.direct.geometric_axis import GridGeometricMechanism
from caldp_core.mechanisms.direct.planar import PlanarGeometricMechanism
from caldp_core.mechanisms.direct.published_urap import PublishedUrapMechanism
from caldp_core.mechanisms.oracles.hadamard import HadamardOracles
from caldp_core.mechanisms.personalised import PersonalisedMechanism
from caldp_core.privacy.context import Context
from caldp_core.privacy.distance import DistanceMetric, EuclideanMetric, GridMetric
from caldp_core.privacy.matrix import BinaryPolicy
from tests.contract.contexts import context

K = context("blocks and sensitive set", 1.0).k
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.complex_numbers(),
    st.text(max_size=4),
    st.just(10**400),
)
ANYTHING = st.one_of(
    SCALARS,
    st.lists(st.one_of(st.integers(-2, 12), st.floats(), st.text(max_size=1)), max_size=12),
    st.dictionaries(st.text(max_size=1), st.integers(), max_size=1),
    arrays.arrays(
        st.sampled_from([np.dtype(name) for name in ("i1", "u8", "f4", "?", "U1")]),
        arrays.array_shapes(min_dims=0, max_dims=2, max_side=K),
    ),
)


def says_why(error: CaldpError, value: object) -> bool:
    """One sentence, as errors of ours are, whatever the value looks like."""
    text = str(error).replace(repr(value), "…")
    return text.endswith(".") and "\n" not in text and len(text) > 20


def accepts(value: object, use: object) -> bool:
    """True if `use(value)` works, False if it raises `CaldpError` with a sentence."""
    try:
        use(value)  # type: ignore[operator]
    except CaldpError as error:
        if not says_why(error, value):
            raise
        return False
    return True


@given(ANYTHING)
@example(10**400)
def test_epsilon(value: object) -> None:
    if accepts(value, lambda v: Context.plain(4, v)):
        epsilon = np.asarray(value, dtype=np.float64)
        assert epsilon.shape in ((), (1,))
        assert ((epsilon >= EPSILON_MIN) & (epsilon <= EPSILON_MAX)).all()


@given(st.floats(EPSILON_MIN, EPSILON_MAX))
def test_every_epsilon_in_range_is_taken(epsilon: float) -> None:
    assert check_epsilon(epsilon) == epsilon
    for family in FAMILIES:
        mechanism = catalogue.in_context(Context.plain(3, epsilon), family)
        assert np.isfinite(mechanism.variance(np.full(3, 1 / 3), 1)).all()


@given(st.floats().filter(lambda e: not EPSILON_MIN <= e <= EPSILON_MAX))
@example(math.nextafter(EPSILON_MIN, 0))
@example(math.nextafter(EPSILON_MAX, 21))
def test_every_epsilon_out_of_range_is_refused(epsilon: float) -> None:
    with pytest.raises(CaldpError, match="epsilon must be in"):
        check_epsilon(epsilon)


@pytest.mark.parametrize(
    "value",
    ["1", True, np.True_, [1, "2"], [1.0, True], np.array(["1"]), np.array([True]), 1j, None],
)
def test_texts_and_booleans_are_no_epsilon(value: Any) -> None:
    with pytest.raises(CaldpError, match="epsilon must be in"):
        check_epsilon(value)


@pytest.mark.parametrize(
    "value", [1, 1.0, np.float32(1), np.int64(1), [1, 1.0], np.ones(2, np.int8), (np.float64(1),)]
)
def test_numbers_of_all_kinds_are(value: Any) -> None:
    np.testing.assert_array_equal(check_epsilon(value), np.asarray(value, np.float64))


@pytest.mark.parametrize("family", FAMILIES)
@given(ANYTHING)
def test_symbols(family: str, value: object) -> None:
    mechanism = catalogue.in_context(context("blocks and sensitive set", 1.0), family)
    rng = np.random.default_rng(0)
    if accepts(value, lambda v: mechanism.privatize(v, rng)):
        symbols = np.asarray(value)
        assert ((symbols >= 0) & (symbols < K)).all()
        assert mechanism.tally(mechanism.privatize(symbols, rng)).n == symbols.size


@pytest.mark.parametrize("family", FAMILIES)
@given(ANYTHING)
def test_counts(family: str, value: Any) -> None:
    mechanism = catalogue.in_context(context("blocks and sensitive set", 1.0), family)
    rng = np.random.default_rng(0)
    if accepts(value, lambda v: mechanism.sample_tally(v, rng)):
        assert mechanism.sample_tally(value, rng).n == np.sum(value)


@pytest.mark.parametrize("family", FAMILIES)
@given(ANYTHING)
def test_reports(family: str, value: object) -> None:
    mechanism = catalogue.in_context(context("blocks and sensitive set", 1.0), family)
    if accepts(value, mechanism.tally):
        reports = np.asarray(value)
        assert mechanism.tally(reports).n == reports.size
        assert np.isin(reports, mechanism.every_report()).all()


@given(ANYTHING, ANYTHING)
def test_contexts(blocks: Any, sensitive: Any) -> None:
    if accepts(blocks, lambda b: Context.of(b, sensitive, 1.0)):
        made = Context.of(blocks, sensitive, 1.0)
        assert set(made.blocks.tolist()) == set(range(made.m))
        assert made.sensitive.dtype == np.bool_


@given(SCALARS)
@example(10**400)
def test_single_numbers(value: object) -> None:
    if accepts(value, lambda v: check_number("share", v, 0, 1)):
        assert 0 <= value <= 1  # type: ignore[operator]
    if accepts(value, lambda v: check_whole("n", v, 1, N_MAX)):
        assert 1 <= value <= N_MAX  # type: ignore[operator]


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9))
@example(CONFIDENCE_MIN, CONFIDENCE_MAX)
def test_the_range_that_a_sentence_names_is_the_one_that_holds(low: float, high: float) -> None:
    for wrong in (np.nextafter(low, -math.inf), np.nextafter(high, math.inf)):
        with pytest.raises(CaldpError) as raised:
            check_number("x", float(wrong), low, high)
        found = re.search(r"in \[(.*), (.*)\], got", str(raised.value))
        assert found is not None
        assert tuple(map(float, found.groups())) == (low, high)


def test_ranges_are_written_as_short_as_they_are() -> None:
    with pytest.raises(CaldpError, match=r"in \[0\.5, 0\.999999999999\], got 1\.$"):
        check_number("level", 1, CONFIDENCE_MIN, CONFIDENCE_MAX)
    with pytest.raises(CaldpError, match=r"in \[0, 1\], got 2\.0\.$"):
        check_number("share", 2.0, 0.0, 1)


@given(st.lists(st.integers(-3, 15), min_size=1, max_size=8))
def test_the_first_bad_symbol_is_named(symbols: list[int]) -> None:
    bad = [x for x in symbols if not 0 <= x < 10]
    if bad:
        with pytest.raises(CaldpError, match=rf"in \[0, 9\], got {bad[0]}\."):
            check_symbols("x", np.array(symbols), 10)
    else:
        np.testing.assert_array_equal(check_symbols("x", symbols, 10), symbols)


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ([1, 2], "array of 3 whole numbers, got shape"),
        ([1.0, 2.0, 3.0], "of float64"),
        ([1, -1, 3], "must not be negative"),
        ([[1, 2, 3]], "got shape"),
    ],
)
def test_counts_that_are_none(counts: object, words: str) -> None:
    with pytest.raises(CaldpError, match=words):
        check_counts("counts", counts, 3)  # type: ignore[arg-type]


BIG = 2**62
EVERY_MECHANISM: dict[str, Any] = {
    **{name: catalogue.in_context(Context.plain(4, 1.0), name) for name in FAMILIES},
    "published-urap": PublishedUrapMechanism(Context.plain(4, 1.0)),
    "personalised": PersonalisedMechanism(
        np.zeros(3, np.bool_), 1, 1.0, "hadamard", HadamardOracles
    ),
    "binary": BinaryMechanism(BinaryPolicy(1.0, 1.0)),
    "grid-geometric": GridGeometricMechanism(GridMetric(2, 2, 1.0, 1.0)),
    "exponential": ExponentialMechanism(DistanceMetric.of(1.0 - np.eye(4), 1.0)),
    "planar-geometric": PlanarGeometricMechanism(EuclideanMetric(2, 2, 1.0, 1.0)),
}


@pytest.mark.parametrize(
    "counts",
    [
        np.array([BIG, BIG, BIG, BIG]),  # sums to 0 in int64
        np.array([BIG, BIG, 1, 1]),  # to a negative number
        np.array([2**64 - 1, 1, 1, 1], np.uint64),  # the first is −1 in int64
        np.array([N_MAX, 1, 0, 0]),
        np.full(4, N_MAX // 2 + 1),
    ],
)
def test_no_mechanism_takes_more_people_than_there_may_be(counts: Ints) -> None:
    words = "counts must add up to at most 1,000,000,000,000 people"
    for name, mechanism in EVERY_MECHANISM.items():
        symbols = 2 if name == "binary" else 4
        with pytest.raises(CaldpError, match=words):
            mechanism.sample_tally(counts[:symbols], np.random.default_rng(0))


@pytest.mark.parametrize("name", [*FAMILIES, "binary"])
def test_damaged_tallies_are_neither_estimated_nor_added(name: str) -> None:
    whole = context("blocks and sensitive set", 1.0)
    binary = BinaryMechanism(BinaryPolicy(1.0, 2.0))
    mechanism = binary if name == "binary" else catalogue.in_context(whole, name)
    tally = mechanism.sample_tally(np.full(mechanism.k, 3), np.random.default_rng(0))
    one = replace(tally, counts=tally.counts[:1])
    many = replace(tally, counts=tally.counts + tally.n)
    for damaged in (one, replace(tally, counts=np.append(tally.counts, 0)), many):
        with pytest.raises(CaldpError, match="This tally is damaged: it must have"):
            mechanism.estimate(Tally.from_json(damaged.to_json()))
    with pytest.raises(CaldpError, match="is damaged: they have"):
        tally + one
    assert mechanism.estimate(tally + tally) == pytest.approx(mechanism.estimate(tally))


def test_as_many_people_as_there_may_be_are_taken() -> None:
    most = np.array([N_MAX - 3, 1, 1, 1], np.uint64)
    np.testing.assert_array_equal(check_counts("counts", most, 4), most)
    assert check_counts("counts", most, 4).dtype == np.int64


@pytest.mark.parametrize("x", [-1, K, 2**70, 1.5, "1", None])
def test_a_client_takes_one_symbol(x: object) -> None:
    mechanism = catalogue.in_context(context("blocks and sensitive set", 1.0), "hadamard")
    with pytest.raises(CaldpError, match="x must"):
        mechanism.client_report(x)  # type: ignore[arg-type]
