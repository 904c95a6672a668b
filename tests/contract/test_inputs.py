"""What mechanisms take and refuse, and what they send in clear, by the channel's own zeros."""

import csv
import io
import json
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from caldp_core import Protocol, Scenario, audit_mechanism, prepare
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
from caldp_core.cli.commands import main
from caldp_core.collect.collected_tally import REASONS, CollectedTally
from caldp_core.collect.protocol import TablePlan
from caldp_core.collect.record import (
    About,
    check_record,
    make_record,
    mixed_privacy_by_crowd,
    registry_entry,
)
from caldp_core.experiments.run import Setup
from caldp_core.mechanisms import FAMILIES, Tally, catalogue
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.mechanisms.direct.few_values import BinaryMechanism, ExponentialMechanism
from caldp_core.mechanisms.direct.planar import GridGeometricMechanism, PlanarGeometricMechanism
from caldp_core.mechanisms.oracles.unary import PublishedUrapMechanism
from caldp_core.privacy.context import Context, PersonalPolicy, PrivacyMatrix, dense
from caldp_core.privacy.distance import DistanceMetric, EuclideanMetric, GridMetric
from caldp_core.privacy.matrix import BinaryPolicy, coverage, released_together
from caldp_core.scenarios.policies import BinaryQuestion
from tests.contract.checks import CONTEXTS, context, naming
from tests.contract.test_contract import POLICIES

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


@pytest.mark.slow
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


@pytest.mark.slow
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
        ([1.5, 2.0, 3.0], "of float64"),
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
    "personalised": catalogue.Hadamard().make(
        PersonalPolicy.of(np.zeros(4, np.bool_), (0.5,), np.full((1, 4), 0.25), 1.0)
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


NAMES: Final = ("hiv", "flu", "cold", "cough", "none")
INF: Final = "infinity"
GROUPS: Final = {"kind": "groups"}
FEW_LEVELS: Final = [[0, INF, INF], [INF, 0, 1], [INF, 1, 0]]


def scenario(k: int, groups: str, policy: dict[str, Any], mechanism: str) -> Scenario:
    data = {"kind": "table", "names": NAMES[:k], "counts": [8] * k, "groups": list(groups)}
    return Scenario.from_dict(
        {"caldp_scenario": 2, "dataset": data, "policy": policy, "mechanism": {"kind": mechanism}}
    )


def unprotected_context(sensitive: str, epsilon: Any) -> dict[str, Any]:
    marks = {"kind": "symbols", "runs": list(sensitive)}
    return {"kind": "context", "blocks": GROUPS, "sensitive": marks, "epsilon": epsilon}


def cases() -> Iterator[tuple[str, Scenario, set[str], list[float]]]:
    """A name, a scenario, the values that must be called unprotected, and the ε that stand."""
    for name in [n for n, each in MECHANISMS.items() if Context in each.policies]:
        if name != "square-wave":  # for values in an order: one block
            yield (
                f"{name}, alone",
                scenario(3, "ABB", unprotected_context("0", 1.0), name),
                {"hiv"},
                [],
            )
            levels = unprotected_context("012", [4.0, 1.0, 3.0])
            yield f"{name}, beside", scenario(5, "ABBCC", levels, name), {"hiv"}, [1.0]
        yield f"{name}, open", scenario(3, "AAA", unprotected_context("", 2.0), name), set(), []
    designed = {"kind": "matrix", "rows": FEW_LEVELS}
    yield "designed", scenario(3, "ABB", designed, "designed"), {"hiv"}, [1.0]
    answer: dict[str, Any] = {"kind": "binary", "epsilon_01": INF, "epsilon_10": INF}
    yield "binary, open", scenario(2, "AA", answer, "binary"), {"hiv", "flu"}, []
    answer = {"kind": "binary", "epsilon_01": 1.0, "epsilon_10": INF}
    yield "binary, one way", scenario(2, "AA", answer, "binary"), set(), [1.0]


def supports(setup: Setup) -> list[set[int]]:
    """The reports that each value may send."""
    channel = setup.mechanism.exact_channel()
    return [{y for y, chance in enumerate(row) if chance} for row in channel]


def test_coverage_is_that_of_the_matrix_written_out_and_of_the_channel() -> None:
    for name, each, exposed, _ in cases():
        setup = prepare(each)
        found, sent = coverage(setup.policy), supports(setup)
        levels = dense(setup.policy) + np.diag([np.inf] * setup.policy.k)
        with naming(name):
            assert (found.protected == np.isfinite(levels).any(axis=1)).all()
            bare = ~(np.isfinite(levels).any(axis=1) | np.isfinite(levels).any(axis=0))
            assert (found.in_clear == bare).all()
            # Two rows disjoint in support: nobody else could have sent what x sends.
            apart = [
                all(not mine & other for j, other in enumerate(sent) if j != i)
                for i, mine in enumerate(sent)
            ]
            assert found.in_clear.tolist() == apart
            hides = [any(a <= b for j, b in enumerate(sent) if j != i) for i, a in enumerate(sent)]
            assert found.protected.tolist() == hides
            assert {NAMES[x] for x in np.flatnonzero(found.exposed)} == exposed


def test_coverage_of_every_kind_of_policy_is_that_of_all_pairs() -> None:
    rows = np.array([[0.5, 0.5, 0.0]])
    policies: dict[str, PrivacyMatrix] = {
        **POLICIES,
        **{name: make(1.0) for name, make in CONTEXTS.items()},
        "tags": PersonalPolicy.of(np.array([False, False, True]), [0.5], rows, 1.0),
        "one cell": GridMetric(1, 1, 1.0, 1.0),
        "one cell, crow": EuclideanMetric(1, 1, 1.0, 1.0),
        "one place": DistanceMetric.of([[0.0]], 1.0),
        "two releases": released_together(
            Context.block_structured([0, 0, 1], 1.0), Context.block_structured([0, 1, 1], 1.0)
        ),
    }
    for name, policy in policies.items():
        levels, found = dense(policy), coverage(policy)
        finite = np.isfinite(levels) & ~np.eye(policy.k, dtype=np.bool_)
        with naming(name):
            assert (found.protected == finite.any(axis=1)).all()
            hides = isinstance(policy, PersonalPolicy)  # an open place covers for tags
            right = ~(finite.any(axis=1) | finite.any(axis=0)) & (not hides)
            assert (found.in_clear == right).all()
            assert not (found.exposed & found.protected).any()


def test_a_map_of_any_size_is_covered_without_its_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pair is asked: the structure says it."""
    labels = np.minimum(np.arange(43_750), 43_749 // 2)
    large = [Context.block_structured(labels, 1.0), GridMetric(175, 250, 1.0, 1.0)]
    for policy in large:
        monkeypatch.setattr(type(policy), "between", None)
    first, second = map(coverage, large)
    assert (first.exposed.sum(), first.protected.sum()) == (43_749 // 2, 43_750 - 43_749 // 2)
    assert second.protected.all()


ABOUT: Final = About("a", "b", "c", "d", "2026-11-23", "e")


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: case[0])
def test_every_output_of_a_collection_names_them_first_and_no_epsilon_stands_for_them(
    case: tuple[str, Scenario, set[str], list[float]],
) -> None:
    _, each, exposed, levels = case
    setup = prepare(each)
    if each.kind("mechanism") == "published-urap":
        return  # no device runs it
    if exposed or not levels:
        with pytest.raises(CaldpError, match="allow_unprotected=True") as refused:
            Protocol.of(setup)
        assert all(f"“{name}”" in str(refused.value) for name in exposed)
    protocol = Protocol.of(setup, allow_unprotected=True)
    assert Protocol.from_json(protocol.to_json()).fingerprint == protocol.fingerprint
    tally = protocol.mechanism.sample_tally(np.full(setup.mechanism.k, 20), 1)
    collected = CollectedTally(protocol.fingerprint, tally, frozenset(), dict.fromkeys(REASONS, 0))
    record = json.loads(json.dumps(make_record(protocol, collected, 0.95, "none")))
    check_record(protocol, record, "It")
    privacy = record["privacy"]
    found = protocol.coverage
    if isinstance(protocol.plan, TablePlan):  # its matrix has no marks
        exposed = {NAMES[x] for x in np.flatnonzero(found.in_clear)}
    assert set(privacy.get("protected_by_nothing", [])) == exposed
    assert not exposed or next(iter(privacy)) == "protected_by_nothing"
    least, most = min(levels, default=None), max(levels, default=None)
    assert (privacy["epsilon_least"], privacy["epsilon_most"]) == (least, most)
    assert ("each device randomizes its own report" in privacy["model"]) == bool(levels)
    assert (privacy["model"] == "local: each device randomizes its own report") == (
        not found.in_clear.any()
    )
    entry = registry_entry(protocol, record, ABOUT)["deployment"]
    assert entry["privacy_loss"]["privacy_parameters"] == ({"epsilon": most} if levels else {})
    if exposed:
        first = entry["dp_variant"]["unprotected_quantities"].partition(";")[0]
        assert all(f"“{name}”" in first for name in exposed)
    mixed = privacy["if_mixed"]
    if mixed is not None:
        assert {row["epsilon_of_one_report"] for row in mixed["blocks"]} <= {None, *levels}
        rows = mixed_privacy_by_crowd(protocol, [100])["blocks"]
        assert {row["epsilon_of_one_report"] for row in rows} <= {None, *levels}
    if not levels:
        with pytest.raises(CaldpError, match=r"no value is protected|without a limit"):
            mixed_privacy_by_crowd(protocol, [100])


def caldp(*words: str | Path) -> Any:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.mark.slow
def test_the_commands_refuse_tell_and_go_on(tmp_path: Path) -> None:
    source, made = tmp_path / "scenario.json", tmp_path / "protocol.json"
    each = scenario(5, "ABBCC", unprotected_context("012", [4.0, 1.0, 3.0]), "hadamard")
    source.write_text(json.dumps(each.to_dict()), "utf-8")
    refused = caldp("protocol", source, "-o", made)
    assert (refused.exit_code, made.exists(), refused.stderr.count("\n")) == (2, False, 1)
    assert "“hiv” is protected by nothing" in refused.stderr
    allowed = caldp("protocol", source, "-o", made, "--allow-unprotected")
    assert (allowed.exit_code, allowed.stdout) == (0, "")
    assert allowed.stderr.startswith("“hiv” is protected by nothing")
    protocol = Protocol.from_file(made)
    (tmp_path / "day.csv").write_text("report\n" + "0\n1\n2\n3\n" * 30, "utf-8")
    caldp("tally", made, tmp_path / "day.csv", "-o", tmp_path / "t.json")
    table = caldp("estimate", made, tmp_path / "t.json")
    marks = {row["answer"]: row["sensitive"] for row in csv.DictReader(io.StringIO(table.stdout))}
    right = {"hiv": "protected by nothing", "flu": "yes", "cold": "yes"}
    assert marks == right | {"cough": "no", "none": "no"}
    printed = caldp("mixed", made)
    assert printed.exit_code == 0, printed.output
    assert printed.stdout.index("hiv") < printed.stdout.index("epsilon")
    assert "4.0" not in printed.stdout, "the ε of the block in which nothing is hidden"
    audited = caldp("audit", source)
    summary = json.loads(audited.stdout)
    assert (audited.exit_code, summary["holds"]) == (0, True)
    assert (summary["protected_by_nothing"], summary["other_unprotected_values"]) == (["hiv"], 2)
    assert list(summary).index("protected_by_nothing") < list(summary).index("holds")
    assert json.loads(caldp("run", source).stdout)["protected_by_nothing"] == ["hiv"]
    assert protocol.coverage.exposed.sum() == 1


def test_an_audit_of_no_promise_is_no_certificate(tmp_path: Path) -> None:
    source = tmp_path / "scenario.json"
    for name, each, exposed, levels in cases():
        source.write_text(json.dumps(each.to_dict()), "utf-8")
        done = caldp("audit", source)
        summary = json.loads(done.stdout)
        with naming(name):
            assert set(summary["protected_by_nothing"]) == exposed
            if levels:
                assert (done.exit_code, summary["holds"]) == (0, True)
                assert "nothing_promised" not in summary
            else:
                assert (done.exit_code, summary["holds"]) == (3, None)
                assert "nobody is protected" in summary["nothing_promised"]
    setup = prepare(each)
    assert not audit_mechanism(setup.mechanism, setup.policy).nothing_promised
    nothing = prepare(replace(each, policy=BinaryQuestion(math.inf, math.inf)))
    verdict = audit_mechanism(nothing.mechanism, nothing.policy)
    assert (verdict.nothing_promised, repr(verdict).startswith("<LargeAudit: nothing is")) == (
        True,
        True,
    )
