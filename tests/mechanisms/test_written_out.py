"""Channels as tables, tallies in pieces, fingerprints, and the families' sentences."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import pytest
from click.testing import CliRunner

from caldp_core import (
    CaldpError,
    Context,
    Scenario,
    WrittenOut,
    audit_mechanism,
    compare,
    estimate,
    intervals,
    mechanism,
    people_for,
    prepare,
    run,
)
from caldp_core.basics.types import Floats, Ints
from caldp_core.cli.commands import main
from caldp_core.collect.protocol import Protocol
from caldp_core.datasets import OwnTable
from caldp_core.mechanisms import FAMILIES, ContextMechanism
from caldp_core.mechanisms import randomness as streaming
from caldp_core.mechanisms.base import digest
from caldp_core.mechanisms.catalogue import (
    Hadamard,
    Installed,
    Oue,
    RandomizedResponse,
    mechanisms_for,
)
from caldp_core.mechanisms.direct.few_values import BinaryMechanism, ExponentialMechanism
from caldp_core.mechanisms.direct.planar import GridGeometricMechanism, PlanarGeometricMechanism
from caldp_core.mechanisms.oracles.galois import GaloisOracles
from caldp_core.mechanisms.oracles.hadamard import HadamardOracles
from caldp_core.mechanisms.oracles.local_hashing import LocalHashingOracles
from caldp_core.mechanisms.oracles.randomized_response import RandomizedResponseOracles
from caldp_core.mechanisms.oracles.subset_selection import SubsetSelectionOracles
from caldp_core.mechanisms.oracles.unary import PublishedUrapMechanism, UnaryOracles, unary_family
from caldp_core.mechanisms.personalised import uniform_background
from caldp_core.mechanisms.written_out import SymbolReports
from caldp_core.privacy.context import PersonalPolicy
from caldp_core.privacy.distance import DistanceMetric, EuclideanMetric, GridMetric
from caldp_core.privacy.matrix import BinaryPolicy
from tests import mutants
from tests.contract import checks
from tests.contract.checks import context, naming

PLAIN = Context.plain(4, 1.0)
PEOPLE = [500, 300, 200]


def by_hand(context: Context) -> WrittenOut:
    """Randomized response as a table, in thousandths, rounded to the private side."""
    k, own = context.k, int(1000 * math.exp(context.epsilon[0]))
    rows = [[own if x == y else 1000 for y in range(k)] for x in range(k)]
    return WrittenOut(context, rows, own + 1000 * (k - 1))


class Half:
    """Has some of what a mechanism needs."""

    k = 4
    policy = Context.plain(4, 1.0)
    outputs = 4
    fingerprint = "half"

    def privatize(self, x: Any, _: Any) -> Any:
        return x

    client_report = every_report = tally = sample_tally = estimate = variance = privatize

    @classmethod
    def of(cls, _: Context) -> "Half":
        return cls()


HALF_LACKS = "the type Half has no sum_variance, exact_channel, which"


def test_a_table_is_audited_by_its_entries() -> None:
    made = by_hand(PLAIN)
    whole = 2718 + 3000
    assert made.exact_channel()[1] == [Fraction(entry, whole) for entry in (1000, 2718, 1000, 1000)]
    assert audit_mechanism(made).holds
    rows = [[2719 if x == y else 1000 for y in range(4)] for x in range(4)]
    leaky = WrittenOut(PLAIN, rows, 5719)
    audit = audit_mechanism(leaky)
    assert not audit.holds
    assert audit.worst is not None
    assert audit.worst.ratio == Fraction(2719, 1000)


def test_a_table_estimates_as_the_catalogue_does() -> None:
    """The best linear estimate of a symmetric channel is its inverse, whatever the prior."""
    made, people = by_hand(PLAIN), np.array([500, 300, 150, 50])
    tally = made.sample_tally(people, 3)
    own, other = 2718 / 5718, 1000 / 5718
    shares = (tally.counts / 1000 - other) / (own - other)
    assert estimate(made, tally, "none") == pytest.approx(shares, abs=1e-12)
    ranges = intervals(made, tally)
    assert (ranges.low <= np.clip(shares, 0, 1)).all()
    known = mechanism(PLAIN, "randomized-response").variance(np.full(4, 0.25), 10)
    assert made.variance(np.full(4, 0.25), 10) == pytest.approx(known, rel=1e-3)
    uneven = WrittenOut(PLAIN, made.numerators, made.whole, np.array([0.7, 0.1, 0.1, 0.1]))
    assert estimate(uneven, tally, "none") == pytest.approx(shares, abs=1e-12)


def test_a_table_is_known_by_all_its_numbers_and_stays_as_it_was_made() -> None:
    """NumPy writes the text of long rows with dots in their middle."""
    rows = np.full((2, 2000), 5)
    rows[0, 900] += 1
    two, other = Context.plain(2, 1.0), rows.copy()
    other[0, 900:902] = other[0, 901:899:-1]
    rows[1, 0], other[1, 0] = 6, 6
    made, unlike = WrittenOut(two, rows, 10_001), WrittenOut(two, other, 10_001)  # type: ignore[arg-type]
    assert made.fingerprint != unlike.fingerprint
    again = WrittenOut(two, rows.tolist(), rows[0].sum())
    assert made.fingerprint == again.fingerprint
    rows[0] = 0
    assert made.channel[0, 900] == 6 / 10_001


def test_tables_that_are_not_channels_are_refused() -> None:
    two, anything = Context.plain(2, 1.0), cast("Any", None)
    wrongs: dict[str, Callable[[], object]] = {
        "2 rows of whole numbers ≥ 0, 2 in each, that sum to 2, got 3; ": lambda: WrittenOut(
            two, [[1, 1]] * 3, 2
        ),
        r"sum to 3, got 2; rows that do not \(from 0\): \[1\]": lambda: WrittenOut(
            two, [[1, 2], [1, 3]], 3
        ),
        r"sum to 4, .*: \[1\]": lambda: WrittenOut(two, [[2, 2], [2, 1, 1]], 4),
        r"sum to 5, .*: \[0\]": lambda: WrittenOut(two, [[-1, 6], [1, 4]], 5),
        r"sum to 1, .*: \[0\]": lambda: WrittenOut(two, [cast("Any", [0.5, 0.5]), [0, 1]], 1),
        "whole must be a whole number from 1 on, got 0": lambda: WrittenOut(two, [[0], [0]], 0),
        "from 1 on, got 2.0": lambda: WrittenOut(two, [[1, 1]] * 2, cast("Any", 2.0)),
        "from 1 on, got '2'": lambda: WrittenOut(two, [[1, 1]] * 2, cast("Any", "2")),
        "from 1 on, got True": lambda: WrittenOut(two, [[0, 1]] * 2, True),
        "numerators must be a list": lambda: WrittenOut(two, anything, 1),
        "A row of numerators must be a list": lambda: WrittenOut(two, cast("Any", [1, 1]), 1),
        "prior must be 2 numbers": lambda: WrittenOut(two, [[1, 2], [2, 1]], 3, np.ones(3)),
        "A channel is written out for a policy, got one of type None": lambda: WrittenOut(
            anything, [[1, 2], [2, 1]], 3
        ),
    }
    for sentence, wrong in wrongs.items():
        with naming(sentence), pytest.raises(CaldpError, match=sentence):
            wrong()


def test_what_lacks_a_method_is_refused_with_the_names_that_are_missing() -> None:
    half, tally = cast("Any", Half()), by_hand(PLAIN).sample_tally([1, 2, 3, 4], 1)
    setup = prepare(replace(Scenario(), dataset=OwnTable(("a", "b"), (1, 2))).plain())
    wrongs: dict[str, Callable[[], object]] = {
        "An audit takes a mechanism": lambda: audit_mechanism(half),
        "A run takes a mechanism": lambda: run(replace(setup, mechanism=half)),
        "A tally is read by the mechanism that made it": lambda: estimate(half, tally),
        "People are planned for a mechanism": lambda: people_for(half, [1.0], cast("Any", None)),
    }
    for use, wrong in wrongs.items():
        with naming(use), pytest.raises(CaldpError, match=f"{use}: {HALF_LACKS}"):
            wrong()


ENTRIES = """
[caldp.mechanisms]
mine = tests.mechanisms.test_written_out:by_hand
half = tests.mechanisms.test_written_out:Half.of
lost = tests.mechanisms.test_written_out:nobody
hadamard = tests.mechanisms.test_written_out:by_hand
"""


@pytest.fixture
def _package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another package is installed, which offers mechanisms."""
    info = tmp_path / "another-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: another\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text(ENTRIES, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)


def output_of(*command: str) -> str:
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.usefixtures("_package")
def test_a_mechanism_of_an_installed_package_is_found_by_its_name(tmp_path: Path) -> None:
    made = mechanism(PLAIN, "mine")  # type: ignore[arg-type]
    assert made.fingerprint == by_hand(PLAIN).fingerprint
    assert audit_mechanism(made).holds
    by_name = compare(["mine", "oue"], [1.0], PEOPLE, trials=5)  # type: ignore[list-item]
    by_function = compare({"mine": by_hand, "oue": Oue().make}, [1.0], PEOPLE, trials=5)
    assert by_name.equals(by_function)
    assert "mine" in output_of("list")
    assert mechanism(PLAIN, "hadamard").fingerprint != made.fingerprint
    assert "installed" not in [entry.name for entry in mechanisms_for(PLAIN)]
    dataset = OwnTable(("a", "b", "c"), (500, 300, 200))
    scenario = replace(Scenario(dataset=dataset).plain(), mechanism=Installed("mine"))
    path = tmp_path / "scenario.json"
    path.write_text(json.dumps(scenario.to_dict()), "utf-8")
    done = json.loads(output_of("run", str(path)))
    assert done["mechanism"] == "mine"
    setup = prepare(replace(scenario, mechanism=RandomizedResponse()))
    by_setup = run(replace(setup, mechanism=by_hand(cast(Context, setup.policy))))
    assert done["errors"]["tv"]["mean"] == by_setup.first.errors.tv
    assert json.loads(output_of("audit", str(path)))["holds"]
    protocol = Protocol.from_json(output_of("protocol", str(path)))
    assert protocol.mechanism.exact_channel() == by_hand(Context.plain(3, 1.0)).exact_channel()


@pytest.mark.usefixtures("_package")
def test_a_faulty_mechanism_of_a_package_is_named_with_its_fault() -> None:
    for name, message in (
        ("half", "Half.of must make a mechanism: " + HALF_LACKS),
        ("lost", "The mechanism lost can't be loaded from .*: .*has no attribute 'nobody'; repair"),
        ("other", "must be one of hadamard, .*, mine, half, lost, got 'other'"),
    ):
        with pytest.raises(CaldpError, match=message):
            mechanism(PLAIN, cast(Any, name))


LINE = np.abs(np.subtract.outer(np.arange(5), np.arange(5)))
MECHANISMS: dict[str, SymbolReports] = {
    "map": GridGeometricMechanism(GridMetric(3, 4, 0.3, 1.1)),
    "one row": GridGeometricMechanism(GridMetric(1, 4, 0.3, 1.1)),
    "one cell": GridGeometricMechanism(GridMetric(1, 1, 0.3, 1.1)),
    "line": ExponentialMechanism(DistanceMetric.of(LINE, 0.7)),
    "two symbols": BinaryMechanism(BinaryPolicy(0.4, 2.0)),
    "one way": BinaryMechanism(BinaryPolicy(np.inf, 2.0)),
    "plane": PlanarGeometricMechanism(EuclideanMetric(3, 4, 0.3, 1.1)),
}
EACH = pytest.mark.parametrize("name", list(MECHANISMS))


@EACH
def test_products_are_those_of_the_channel(name: str) -> None:
    # Neither product of a random vector is right with Q for Qᵀ: the ends of a map differ.
    mechanism = MECHANISMS[name]
    channel = checks.channel_of(mechanism)
    vectors = np.random.default_rng(1).normal(size=(3, mechanism.k))
    for vector in vectors:
        np.testing.assert_allclose(mechanism.products.apply(vector), vector @ channel, atol=1e-12)
        np.testing.assert_allclose(
            mechanism.products.apply_transpose(vector), channel @ vector, atol=1e-12
        )


@EACH
def test_the_products_of_the_inverse_are_those_of_the_inverted_channel(name: str) -> None:
    mechanism = MECHANISMS[name]
    inverse = np.linalg.inv(checks.channel_of(mechanism))
    products = mechanism.products
    vector = np.random.default_rng(2).normal(size=mechanism.k)
    np.testing.assert_allclose(products.inverse(vector), vector @ inverse, atol=1e-9)
    np.testing.assert_allclose(products.score(vector), inverse @ vector, atol=1e-9)
    np.testing.assert_allclose(products.inverse_squared(vector), vector @ inverse**2, atol=1e-8)


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


POLICY: Final = context("blocks and sensitive set", 1.0)
COINS: Final = (
    HadamardOracles,
    Hadamard(None).family(),
    RandomizedResponseOracles,
    SubsetSelectionOracles,
    LocalHashingOracles,
    GaloisOracles,
    unary_family(0.4),
)
"""Oracles that realise ε in coins of their own."""


def mechanism_of(family: Any) -> ContextMechanism:
    return ContextMechanism(POLICY, "same name", family)


class WiderSets(SubsetSelectionOracles):
    """ω one larger, nothing else."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon)
        self._omega = self._omega + 1


class MoreBins(LocalHashingOracles):
    """g one larger, nothing else."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon)
        self._g = self._g + 1


def same_class(wrong: type, right: type) -> Callable[[Ints, Floats], Any]:
    """`wrong`'s settings under `right`'s name, so that only the settings can tell."""

    def build(sizes: Ints, epsilon: Floats) -> Any:
        made = wrong(sizes, epsilon)
        made.__class__ = right
        return made

    return build


@pytest.mark.parametrize("oracles", COINS)
def test_other_coins_mean_something_else(oracles: Any) -> None:
    right = mechanism_of(oracles).fingerprint
    assert mechanism_of(oracles).fingerprint == right
    assert mechanism_of(mutants.coin_for(1.001, oracles)).fingerprint != right
    assert mechanism_of(mutants.without_company(oracles)).fingerprint != right


@pytest.mark.parametrize(
    ("wrong", "right"), [(WiderSets, SubsetSelectionOracles), (MoreBins, LocalHashingOracles)]
)
def test_other_sets_and_bins_mean_something_else(wrong: type, right: type) -> None:
    assert mechanism_of(same_class(wrong, right)).fingerprint != mechanism_of(right).fingerprint


def test_other_thetas_do_not_share_tallies() -> None:
    policy, rng = Context.plain(4, 1.0), np.random.default_rng(0)
    one, other = (ContextMechanism(policy, "unary", unary_family(t)) for t in (0.3, 0.7))
    tally = one.sample_tally(np.full(4, 100), rng)
    with pytest.raises(CaldpError, match="another mechanism"):
        other.estimate(tally)
    with pytest.raises(CaldpError, match="different mechanisms"):
        tally + other.sample_tally(np.full(4, 100), rng)
    published = [PublishedUrapMechanism(policy, unary_family(t)).fingerprint for t in (0.3, 0.7)]
    assert len({one.fingerprint, other.fingerprint, *published}) == 4


def test_the_same_settings_in_another_form_are_told_apart() -> None:
    # Both have the same coins; only their class says that reports are made another way.
    class Mirrored(UnaryOracles):
        pass

    def truth(sizes: Ints) -> Any:
        return np.full(sizes.size, 1 << 46, np.uint64)

    one = mechanism_of(lambda sizes, epsilon: UnaryOracles(sizes, epsilon, truth(sizes)))
    other = mechanism_of(lambda sizes, epsilon: Mirrored(sizes, epsilon, truth(sizes)))
    assert one.fingerprint != other.fingerprint


@pytest.mark.parametrize("family", FAMILIES)
def test_tags_are_no_symbols(family: str) -> None:
    def tagged(sensitive: list[bool], tags: int) -> Any:
        flags = np.array(sensitive)
        background = uniform_background(tags, ~flags)
        policy = PersonalPolicy.of(flags, [0.2] * tags, background, 1.0)
        return FAMILIES[family].make(policy)

    one, other = tagged([True, False, True], 1), tagged([True, False], 2)
    plain = FAMILIES[family].make(Context.high_low(np.array([True, False, True, True]), 1.0))
    assert len({one.fingerprint, other.fingerprint, plain.fingerprint}) == 3
    assert tagged([True, False, True], 1).fingerprint == one.fingerprint
    tally = one.sample_tally(np.full(3, 5), np.random.default_rng(0))
    with pytest.raises(CaldpError, match="another mechanism"):
        other.estimate(tally)


def test_digests_tell_texts_and_arrays_apart() -> None:
    words = np.array([1, 2], np.uint64)
    parts: list[tuple[Any, ...]] = [
        ("a", "b"),
        ("ab",),
        ("a", "b", ""),
        (words,),
        (words[:1], words[1:]),
        (words.astype(np.int64),),
        (words.reshape(1, 2),),
        (np.array([2, 1], np.uint64),),
        (str(words),),
    ]
    assert len({digest(*each) for each in parts}) == len(parts)
    assert digest("a", words) == digest("a", words.copy())


WHERE: Final = "where every value is sensitive"


def totals(context: Context, p: Floats) -> dict[str, float]:
    """Σ Var of each family's estimate for one person: what ranks them at any n."""
    return {
        name: float(entry.make(context).variance(p, 1).sum()) for name, entry in FAMILIES.items()
    }


@pytest.mark.parametrize("k", [2, 5, 30, 100])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0, 8.0])
def test_sets_are_the_most_accurate_where_every_value_is_sensitive(k: int, epsilon: float) -> None:
    rng = np.random.default_rng(1)
    for p in (np.eye(k)[0], np.full(k, 1 / k), rng.dirichlet(np.full(k, 0.2))):
        errors = totals(Context.plain(k, epsilon), p)
        assert errors["subset-selection"] <= min(errors.values()) * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0, 8.0])
def test_oue_is_better_than_rappor_for_rare_values(epsilon: float) -> None:
    k = 30
    oue, rappor = (
        mechanism(Context.plain(k, epsilon), name).variance(np.eye(k)[0], 1)
        for name in ("oue", "rappor")
    )
    assert (oue[1:] < rappor[1:]).all()
    assert oue[0] > rappor[0]  # and not for the value that everybody has


def test_a_sensitive_set_turns_the_order_round() -> None:
    # 2 % of the people have one of the ten sensitive values: λ is least for RAPPOR.
    sensitive = np.arange(100) < 10
    p = np.where(sensitive, 0.02 / 10, 0.98 / 90)
    errors = totals(Context.high_low(sensitive, 3.0), p)
    assert min(errors, key=lambda name: errors[name]) == "rappor"
    assert 1.04 < errors["subset-selection"] / errors["rappor"] < 1.10
    assert errors["oue"] > errors["rappor"]


def test_the_sentences_say_where() -> None:
    for name in ("subset-selection", "oue"):
        assert WHERE in FAMILIES[name].sentence
    for entry in FAMILIES.values():
        assert "most accurate" not in entry.sentence or WHERE in entry.sentence
