"""One audit for any mechanism: it reads what it can, agrees with itself, and refuses the rest."""

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pytest

from caldp_core import audit_mechanism
from caldp_core.audit.blockwise import EVERY_ENTRY, audit_context
from caldp_core.audit.mechanisms import EVERY_AXIS, SMALL_TWIN, TAGS, audit_axes
from caldp_core.audit.pairwise import EVERY_PAIR, audit_channel
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats, Ints, Reports, Words, WordSource
from caldp_core.mechanisms import FAMILIES, ContextMechanism, catalogue
from caldp_core.mechanisms.capabilities import ChannelRows
from caldp_core.mechanisms.catalogue import Hadamard
from caldp_core.mechanisms.direct.few_values import BinaryMechanism
from caldp_core.mechanisms.direct.planar import GridGeometricMechanism, PlanarGeometricMechanism
from caldp_core.mechanisms.oracles.hadamard import HadamardOracles
from caldp_core.mechanisms.oracles.unary import PublishedUrapMechanism, RapporOracles
from caldp_core.mechanisms.personalised import uniform_background
from caldp_core.privacy.context import Context, PersonalPolicy
from caldp_core.privacy.distance import EuclideanMetric, GridMetric
from caldp_core.privacy.matrix import BinaryPolicy, DenseMatrix
from tests.channels import exact_audit
from tests.contract.checks import context

BOTH = "blocks and sensitive set"
PLAIN = Context.plain(5, 1.0)
LARGE = Context.plain(5000, 1.0)


class LeakyUrap(PublishedUrapMechanism):
    """Names the first hidden symbol whenever it has it, and says nothing of it."""

    def _reports(self, x: Ints, words: WordSource) -> Reports:
        reports = super()._reports(x, words)
        reports["source"][x == self.hidden_symbols[0]] = self.policy.m
        return reports


class HonestLeak(LeakyUrap):
    """The same, and its channel says so: a report of its own, with certainty."""

    def _fill_block(self, rows: list[list[Fraction]], block: int, ranks: range) -> None:
        super()._fill_block(rows, block, ranks)
        if block == self.policy.blocks[self.hidden_symbols[0]]:
            row = rows[self.hidden_symbols[0]]
            row[:] = [Fraction(0)] * (len(row) - 1) + [Fraction(1)]


class LeakyPrivatize(HadamardOracles):
    """Truthful reports from oracles whose rows are the base class's."""

    def privatize(self, rank: Ints, words: WordSource) -> Ints:
        return self._cell[rank]


class LeakyHelper(RapporOracles):
    """The slip in a helper that nobody outside knows of."""

    @cached_property
    def _last_words(self) -> Words:
        return np.zeros_like(super()._last_words)


class StatedChannel(HadamardOracles):
    """States a channel of its own beside streamed rows that are the base class's."""

    def channel(self, block: int) -> tuple[int, Ints, int]:
        first, numerators, denominator = super().channel(block)
        return first, numerators[::-1].copy(), denominator


class Delegates:
    """Takes the channel from right oracles and makes reports by itself."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        self._right = HadamardOracles(sizes, epsilon)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._right, name)

    def privatize(self, rank: Ints, words: WordSource) -> Ints:
        return rank


def by_hand(sizes: Ints, epsilon: Floats) -> HadamardOracles:
    made = HadamardOracles(sizes, epsilon)
    made.privatize = LeakyPrivatize(sizes, epsilon).privatize  # type: ignore[method-assign]
    return made


def leaky_urap() -> PublishedUrapMechanism:
    return LeakyUrap(Context.high_low(np.arange(40) < 20, 1.0))


@pytest.mark.parametrize(
    "oracles", [LeakyPrivatize, StatedChannel, Delegates, by_hand, LeakyHelper]
)
@pytest.mark.parametrize("policy", [PLAIN, LARGE])
@pytest.mark.parametrize("audit", [audit_mechanism, audit_context])
def test_what_is_stated_of_other_reports_is_not_believed(
    oracles: Any, policy: Context, audit: Callable[[Any], Any]
) -> None:
    right = RapporOracles if oracles is LeakyHelper else HadamardOracles
    assert audit(ContextMechanism(policy, "right", right)).holds
    # From Python 3.12 on a protocol does not see what `__getattr__` finds, such as a form.
    with pytest.raises(CaldpError, match=r"certified that is not read|writes its channel out"):
        audit(ContextMechanism(policy, "wrong", oracles))


def test_a_mechanism_that_changes_its_reports_is_not_believed() -> None:
    policy = context(BOTH, 1.0)
    assert audit_mechanism(PublishedUrapMechanism(policy)).holds
    for wrong in (LeakyUrap(policy), leaky_urap()):
        with pytest.raises(CaldpError, match="LeakyUrap changes _reports but states no channel"):
            audit_mechanism(wrong)
        with pytest.raises(CaldpError, match="nothing is certified that is not read"):
            audit_context(wrong)


@pytest.mark.parametrize("name", ["privatize", "client_report", "_reports", "exact_channel"])
@pytest.mark.parametrize("policy", [PLAIN, LARGE])
def test_a_method_that_is_replaced_by_hand_is_not_believed(
    name: str, policy: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    def truth(x: Ints, *_: object) -> Ints:
        return np.asarray(x)

    wrong = ContextMechanism(policy, "wrong", HadamardOracles)
    monkeypatch.setattr(wrong, name, truth)
    with pytest.raises(CaldpError, match=f"{name} of this ContextMechanism was set by hand"):
        audit_mechanism(wrong)
    oracles = ContextMechanism(policy, "wrong", HadamardOracles)
    monkeypatch.setattr(oracles.oracles, "privatize", truth)
    with pytest.raises(CaldpError, match="privatize of this HadamardOracles was set by hand"):
        audit_mechanism(oracles)


def test_a_method_of_the_server_may_be_replaced_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = ContextMechanism(PLAIN, "even", HadamardOracles)
    monkeypatch.setattr(mechanism, "estimate", lambda _: np.full(PLAIN.k, 1 / PLAIN.k))
    assert audit_mechanism(mechanism).holds


def test_a_leak_that_is_stated_is_found() -> None:
    leak = HonestLeak(context(BOTH, 1.0))
    found = audit_mechanism(leak)
    assert not found.holds
    assert found.method == EVERY_PAIR
    assert found.worst is not None
    assert found.worst.ratio is None
    assert found.holds == exact_audit(leak).holds


def test_changes_on_the_server_s_side_need_no_words() -> None:
    class Slow(PublishedUrapMechanism):
        def variance(self, p: Floats, n: int) -> Floats:
            return 2 * super().variance(p, n)

    class Rows(HadamardOracles):
        def channel_rows(self, block: int, start: int, stop: int) -> ChannelRows:
            return super().channel_rows(block, start, stop)

    assert audit_mechanism(Slow(context(BOTH, 1.0))).holds
    assert audit_mechanism(ContextMechanism(LARGE, "rows", Rows)).holds


@pytest.mark.parametrize("family", FAMILIES)
def test_contexts_are_read_block_by_block(family: str) -> None:
    mechanism = catalogue.in_context(context(BOTH, 1.0), family)
    assert audit_mechanism(mechanism) == audit_context(mechanism)
    assert audit_mechanism(mechanism).method == EVERY_ENTRY
    with pytest.raises(CaldpError, match="made for another context"):
        audit_mechanism(mechanism, context(BOTH, 0.9))


class Levels:
    """A policy of two values, equally secret."""

    k = 2

    def __init__(self, level: float) -> None:
        self._level = level

    def between(self, x: Any, x_other: Any) -> Floats:
        return np.where(np.asarray(x) == np.asarray(x_other), 0.0, self._level)


TELLS_ALL = [[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]]


@pytest.mark.parametrize("level", [float("nan"), -1.0, -float("inf")])
def test_a_level_that_is_none_is_an_error_and_not_infinite(level: float) -> None:
    assert audit_channel(TELLS_ALL, Levels(float("inf"))).holds
    with pytest.raises(CaldpError, match=r"E must be levels in \[0, inf\], got"):
        audit_channel(TELLS_ALL, Levels(level))
    with pytest.raises(CaldpError, match=r"E must be levels in \[0, inf\], got"):
        audit_mechanism(BinaryMechanism(BinaryPolicy(1.0, 1.0)), Levels(level))


def test_whole_numbers_of_numpy_do_not_wrap() -> None:
    """Over 2^40 and 3^25, products of numerators and the other denominator are beyond 64 bits."""
    halves = [2**39 + 5, 2**39 - 5], 2**40
    thirds = [3**24 + 1, 2 * 3**24 - 1], 3**25
    exact = [[Fraction(a, below) for a in row] for row, below in (halves, thirds)]
    fraction: Any = Fraction  # which is typed for Python's own numbers
    numpy = [
        [fraction(np.int64(a), np.int64(below)) for a in row] for row, below in (halves, thirds)
    ]
    assert isinstance(numpy[0][0].numerator, np.int64)
    with np.errstate(over="ignore"):
        for level in (np.log(1.5) + 1e-9, np.log(1.5) - 1e-9):
            found = audit_channel(numpy, Levels(level))
            assert found == audit_channel(exact, Levels(level))
            assert found.holds == (level > np.log(1.5))


def test_rows_of_numpy_do_not_wrap() -> None:
    class OfNumpy(HadamardOracles):
        def channel_rows(self, block: int, start: int, stop: int) -> ChannelRows:
            rows = super().channel_rows(block, start, stop)
            values: Any = np.array(rows.values, np.int64)
            below: Any = np.int64(rows.denominator)
            return ChannelRows(rows.first, rows.codes, tuple(values), below)

    policy = Context.plain(200, 1.0)
    found = audit_context(ContextMechanism(policy, "numpy", OfNumpy))
    assert found.holds
    assert found == audit_context(catalogue.in_context(policy, "hadamard"))


@pytest.mark.parametrize("policy", [GridMetric(3, 4, 0.7, 0.4), GridMetric(1, 5, 0.3, 0.3)])
def test_axes_say_what_every_pair_says(policy: GridMetric) -> None:
    mechanism = GridGeometricMechanism(policy)
    for claim in (policy, GridMetric(policy.rows, policy.columns, 0.7, 0.39)):
        by_axes = audit_axes(mechanism, claim)
        assert by_axes.holds == audit_channel(mechanism.exact_channel(), claim).holds
        assert by_axes.method == EVERY_AXIS
    assert audit_axes(mechanism, policy).holds


def test_noise_on_maps_is_audited_at_full_size() -> None:
    crow = EuclideanMetric(60, 90, 0.4, 0.3)
    stepped = GridGeometricMechanism(crow.stricter_grid_metric())
    found = audit_mechanism(stepped, crow)
    assert found.holds
    assert found.method == EVERY_AXIS
    tighter = EuclideanMetric(60, 90, 0.4, 0.2999)
    # Along the diagonal nothing is given away, so a thousandth less is too little.
    assert not audit_mechanism(stepped, tighter).holds
    assert not audit_axes(GridGeometricMechanism(GridMetric(60, 90, 0.4, 0.3)), crow).holds


def test_a_faulty_axis_is_found() -> None:
    class Faulty(GridGeometricMechanism):
        def axis_channels(self) -> Any:
            rows, columns = super().axis_channels()
            columns[2][0] += Fraction(1, 10**6)
            return rows, columns

    policy = GridMetric(30, 40, 0.7, 0.4)
    assert audit_mechanism(GridGeometricMechanism(policy)).faulty_row is None
    found = audit_mechanism(Faulty(policy))
    assert not found.holds
    assert found.faulty_row == 2


def test_planar_noise_is_read_on_a_small_map_and_says_so() -> None:
    policy = EuclideanMetric(40, 50, 0.4, 0.3)
    found = audit_mechanism(PlanarGeometricMechanism(policy))
    assert found.holds
    assert found.method == SMALL_TWIN

    class Bolder(PlanarGeometricMechanism):
        def small_twin(self) -> PlanarGeometricMechanism:
            return PlanarGeometricMechanism(EuclideanMetric(5, 5, 0.4, 0.2))

    with pytest.raises(CaldpError, match="other steps than the large one"):
        audit_mechanism(Bolder(policy))


def test_tags_are_audited_as_values() -> None:
    flags = np.arange(6) < 2
    policy = PersonalPolicy.of(flags, [0.3, 0.1], uniform_background(2, ~flags), 1.0)
    mechanism = Hadamard().make(policy)
    found = audit_mechanism(mechanism)
    assert found.holds
    assert found.method == EVERY_ENTRY + TAGS
    # X_S and both tags are sensitive, four values lend them cover.
    assert [each.pairs for each in found.classes] == [4 * 3, 4 * 4]
    assert exact_audit(mechanism).holds
    policy = PersonalPolicy.of(flags, [0.3, 0.1], uniform_background(2, ~flags), 0.99)
    with pytest.raises(CaldpError, match="made for another context"):
        audit_mechanism(mechanism, policy)


def test_any_matrix_can_be_asked_about() -> None:
    mechanism = BinaryMechanism(BinaryPolicy(0.5, 2.0))
    assert audit_mechanism(mechanism, DenseMatrix.of([[0, 0.5], [2.0, 0]])).holds
    assert not audit_mechanism(mechanism, DenseMatrix.of([[0, 0.4], [2.0, 0]])).holds
    with pytest.raises(CaldpError, match="does not fit a mechanism"):
        audit_mechanism(mechanism, DenseMatrix.of([[0.0]]))


def test_what_states_nothing_is_refused() -> None:
    class Silent(GridGeometricMechanism):
        def _reports(self, x: Ints, words: WordSource) -> Ints:
            return x

    for policy in (GridMetric(2, 2, 1.0, 1.0), GridMetric(60, 60, 1.0, 1.0)):
        with pytest.raises(CaldpError, match="Silent changes _reports but states no channel"):
            audit_mechanism(Silent(policy))
