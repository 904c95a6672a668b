"""The protocol file, what is promised if reports are mixed, and counts against their law."""

import json
import math
from dataclasses import replace
from itertools import combinations_with_replacement, product
from math import comb, prod
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pyarrow as pa
import pytest
import scipy
from click.testing import CliRunner

from caldp_core import CaldpError, Client, Context, Domain, Protocol, Scenario, prepare
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN
from caldp_core.basics.types import Ints
from caldp_core.cli.commands import main
from caldp_core.collect.collected_tally import (
    BUCKETS,
    FALSE_ALARMS,
    CollectedTally,
    CountLaw,
    bucket_chances,
    buckets_of_histogram,
    buckets_of_records,
    check_counts_of_reports,
    has_buckets,
)
from caldp_core.collect.collector import Collector
from caldp_core.collect.estimate import made_up_week
from caldp_core.collect.protocol import (
    FORMAT,
    PROTOCOL_KEY,
    QUESTION_MAX,
    REPEATED,
    protocol_schema,
)
from caldp_core.collect.record import LISTED, make_record, mixed_privacy, mixed_privacy_by_crowd
from caldp_core.collect.servers import collected_from_rows, partial_tallies, sum_tallies
from caldp_core.datasets import OwnTable, Zipf
from caldp_core.domain.domains import GridDomain
from caldp_core.mechanisms.catalogue import COLLECTABLE, RandomizedResponse
from caldp_core.mechanisms.designed.master import rows_keep_levels
from caldp_core.privacy.matrix import DenseMatrix
from caldp_core.scenarios.blocks import EvenRuns, OneBlock, SensitiveSymbols
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.theory.mixing import epsilons_after_mixing
from tests import ROOT
from tests.collect import protocols as written
from tests.collect.protocols import SPECS, many, protocol_in, small, tables
from tests.contract.checks import CONTEXTS, naming

NAMES = ("flu", "cold", "none")
COUNTS = (918273, 645546, 371731)


def make_scenario(counts: tuple[int, ...] = COUNTS, **changes: Any) -> Scenario:
    made = Scenario(
        OwnTable(NAMES, counts), ContextPolicy(OneBlock()), RandomizedResponse(), n=777123
    )
    return replace(made, **changes)


def test_a_protocol_is_what_it_was_when_it_is_read_again() -> None:
    schema = jsonschema.Draft202012Validator(protocol_schema())
    for family in SPECS:
        for kind in CONTEXTS:
            made = small(family, kind)
            with naming(f"{family}, {kind}"):
                again = Protocol.from_json(made.to_json())
                assert again.to_json() == made.to_json()
                assert again.mechanism.fingerprint == made.mechanism.fingerprint
                schema.validate(made.to_dict())
    for made in tables().values():
        assert Protocol.from_json(made.to_json()).to_json() == made.to_json()
        schema.validate(made.to_dict())


def test_labels_are_the_answers_names_and_none_where_values_are_numbers_or_places() -> None:
    assert Protocol.of(prepare(make_scenario())).labels == NAMES
    assert small("oue").labels == ()
    assert replace(small("oue"), domain=GridDomain(0.0, 0.0, 1.0, 2, 2)).labels == ()


def test_the_schema_file_is_the_programs() -> None:
    text = (ROOT / "docs" / "protocol.schema.json").read_text("utf-8")
    assert json.loads(text) == protocol_schema()
    fields = protocol_schema()["properties"]
    level = fields["policy"]["oneOf"][0]["properties"]["epsilon"]["items"]
    assert (level["minimum"], level["maximum"]) == (EPSILON_MIN, EPSILON_MAX)
    assert fields["question"]["maxLength"] == QUESTION_MAX
    assert fields[PROTOCOL_KEY]["enum"] == [FORMAT, REPEATED]
    wrong = small("oue").to_dict() | {"people": 12}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, protocol_schema())


def test_no_count_of_the_data_is_in_it() -> None:
    text = Protocol.of(prepare(make_scenario())).to_json()
    assert not [count for count in (*COUNTS, sum(COUNTS), 777123) if str(count) in text]
    others = (
        make_scenario((1, 2, 3)),
        make_scenario(n=None),
        make_scenario(seed=99, trials=3, estimator="none"),
    )
    assert {Protocol.of(prepare(other)).to_json() for other in others} == {text}
    # The test can fail: what people are asked does change it.
    assert Protocol.of(prepare(make_scenario()), "How are you?").to_json() != text


def test_other_questions_have_other_fingerprints() -> None:
    made = Protocol.of(prepare(make_scenario()), "This week?")
    renamed = Protocol.of(prepare(make_scenario(dataset=OwnTable(("cold", "flu", "none"), COUNTS))))
    later = Protocol.of(prepare(make_scenario()), "Last week?")
    stricter = Protocol.of(prepare(make_scenario().with_epsilon(0.5)))
    marks = {each.fingerprint for each in (made, renamed, later, stricter)}
    assert len(marks) == 4


def test_a_written_out_channel_in_blocks_is_read_again() -> None:
    ages = Scenario.from_file(ROOT / "examples" / "square-wave.json")
    for blocks in (OneBlock(), EvenRuns(3)):
        setup = prepare(replace(ages, policy=ContextPolicy(blocks), n=1))
        made = Protocol.of(setup)
        assert made.plan.name == "table"
        assert Protocol.from_json(made.to_json()).to_json() == made.to_json()
        laws = made.mechanism.exact_channel()
        assert laws == setup.mechanism.exact_channel()


def test_scenarios_without_a_device_are_refused() -> None:
    for example in ("published-urap", "personal-tags", "near-places"):
        scenario = Scenario.from_file(ROOT / "examples" / f"{example}.json")
        with pytest.raises(CaldpError, match=r"A collection runs one of .* Choose one of those"):
            Protocol.of(prepare(replace(scenario, n=1)))


def with_value(path: str, value: Any, of: Protocol | None = None) -> dict[str, Any]:
    data = json.loads((of or small("subset-selection")).to_json())
    *within, last = path.split(".")
    part = data
    for key in within:
        part = part[key]
    part[last] = value
    return data


HOSTILE = [
    ("caldp_protocol", True, '"caldp_protocol": 1'),
    ("caldp_protocol", 2, "this file has 2"),
    ("question", "a\nb", "one line"),
    ("question", "a\u202eb", "one line"),
    ("question", 7, "one line"),
    ("domain", [], "needs 'domain'"),
    ("domain.kind", "secret", "one of answers, map"),
    ("domain.k", 12, "12 values and its policy 11"),
    ("domain.k", 10**30, "k must be a whole number"),
    ("domain.evil", 1, "unknown key 'evil'"),
    ("policy.kind", "matrix", "one of context, got 'matrix'"),
    ("policy.blocks", "all", "needs blocks, a list"),
    ("policy.blocks", [0.5] * 11, "needs blocks, a list"),
    ("policy.blocks", [10**400] * 11, "too large"),
    ("policy.blocks", [0, 5] + [0] * 9, "label 1 is unused"),
    ("policy.sensitive", [True], "sensitive must be 11 booleans"),
    ("policy.epsilon", [], "1 to"),
    ("policy.epsilon", [1e-9] * 4, "epsilon must be in"),
    ("block_names", ["a"], "must be 4 texts"),
    ("mechanism.kind", "best", "must be one of"),
    ("mechanism.kind", ["oue"], "must be one of"),
    ("mechanism.numbers", None, "needs 'numbers'"),
    ("mechanism.numbers.omega", [1], "a whole number for each of 4 blocks"),
    ("mechanism.numbers.omega", [99, 1, 1, 1], "too small for"),
    ("mechanism.numbers.cover", [1, 1, 1, 1], "mechanism.numbers.cover is not what"),
    ("mechanism.numbers.evil", [1], "mechanism.numbers.evil is not what"),
    ("report.values", 3, "report.values is not what"),
    ("fingerprint", "0" * 64, "fingerprint is not what"),
    ("people", 12, "people is not what"),
]


def test_a_family_without_devices_is_collected_only_by_its_written_out_channel(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A copy: an entry that is put back would stand behind all others.
    others = {name: each for name, each in COLLECTABLE.items() if name != "randomized-response"}
    monkeypatch.setattr("caldp_core.collect.protocol.COLLECTABLE", others)
    made = Protocol.of(prepare(make_scenario()))
    assert made.to_dict()["mechanism"]["kind"] == "table"
    assert Protocol.from_json(made.to_json()).mechanism.k == len(NAMES)
    with pytest.raises(CaldpError, match="A collection runs one of hadamard, rappor, oue"):
        Protocol.of(prepare(make_scenario(dataset=Zipf(100_000), n=1000)))


def test_changed_protocols_are_refused_in_one_sentence() -> None:
    for path, value, reason in HOSTILE:
        with naming(path), pytest.raises(CaldpError) as refused:
            Protocol.from_dict(with_value(path, value))
        sentence = str(refused.value)
        with naming(f"{path}: {sentence}"):
            assert reason in sentence
            assert len(sentence) < 400
    assert Protocol.from_dict(with_value("caldp_version", "7.0")).domain.k == 11


WRONG_TABLES = [
    ("policy.kind", "context", "one of matrix"),
    ("policy.rows", [[0, 0.1], [0.1, 0]], "tells two values apart by more"),
    ("policy.rows", [[0, "much"], [2, 0]], "numbers or 'infinity'"),
    ("policy.rows", [[0, math.inf], [2, 0]], "policy.rows is not what"),
    ("policy.rows", [[0, 1], [2]], "square matrix"),
    ("policy.rows", [[0, -1], [2, 0]], "must be in [0, inf]"),
    ("mechanism.whole", 3, "whole numbers, written as texts"),
    ("mechanism.whole", "0", "must rise to whole"),
    ("mechanism.whole", "9" * 3000, "whole numbers, written as texts"),
    ("mechanism.steps", [["1"], ["1"]], "must rise to whole"),
    ("mechanism.steps", [[], []], "must rise to whole"),
    ("mechanism.steps", [["1"], ["1", "2"]], "of one length"),
    ("mechanism.steps", [["2", "1"], ["1", "1"]], "must rise to whole"),
    ("mechanism.made_by", "x" * 500, "made_by, a short text"),
    ("mechanism.made_by", "another", "fingerprint is not what"),
]


def test_changed_tables_are_refused_in_one_sentence() -> None:
    table = tables()["binary"]
    for path, value, reason in WRONG_TABLES:
        with naming(f"{path}, {str(value)[:60]}"), pytest.raises(CaldpError) as refused:
            Protocol.from_dict(with_value(path, value, table))
        with naming(str(refused.value)):
            assert reason in str(refused.value)


def test_a_leak_that_no_float_can_hold_is_found() -> None:
    whole = 1 << 2000
    levels = np.array([[0.0, 1.0], [1.0, 0.0]])
    for rare, right in ((0, False), (1, True)):
        rows = [[2, whole - 2], [rare, whole - rare]]  # 2/1 is below e
        assert rows_keep_levels(rows, whole, levels) == right


def test_choices_of_families_are_held_to_their_blocks() -> None:
    for family, name, value in (
        ("hadamard", "parts", 9),
        ("galois", "degree", 11),
        ("local-hashing", "g", 1 << 20),
    ):
        data = json.loads(many(family, 8).to_json())
        data["mechanism"]["numbers"][name] = [value]
        with naming(family), pytest.raises(CaldpError, match=f"{name} of block 0 is {value}"):
            Protocol.from_dict(data)


TEXTS = (
    ("", "is not JSON"),
    ("[1]", "must be an object"),
    ("[" * 100_000, "too many brackets"),
    ('{"a": 1, "a": 2}', "the key 'a' twice"),
    ('{"a": NaN}', "holds NaN"),
    ('{"a": ' + "9" * 5000 + "}", "is not JSON"),
)


def test_files_that_hold_no_protocol_are_refused(tmp_path: Path) -> None:
    for text, reason in TEXTS:
        with naming(reason), pytest.raises(CaldpError, match=reason):
            Protocol.from_json(text)
    with pytest.raises(CaldpError, match="can't be read"):
        Protocol.from_file(tmp_path / "none.json")
    with pytest.raises(CaldpError, match="can't be read"):
        Protocol.from_file("a\0b")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CaldpError, match="UTF-8"):
        Protocol.from_file(tmp_path / "binary")


def test_the_command_writes_the_protocol(tmp_path: Path) -> None:
    example, file = str(ROOT / "examples" / "survey.json"), tmp_path / "protocol.json"
    result = CliRunner().invoke(
        main, ["protocol", example, "-o", str(file), "--question", "Triché\u00a0?"]
    )
    assert (result.exit_code, result.output) == (0, "")
    assert Protocol.from_file(file).question == "Triché\u00a0?"
    printout = CliRunner().invoke(main, ["protocol", example, "--question", "Triché\u00a0?"])
    assert printout.output == file.read_text("utf-8")
    refused = CliRunner().invoke(main, ["protocol", str(ROOT / "examples" / "personal-tags.json")])
    assert refused.exit_code == 2
    assert "Traceback" not in refused.output


def test_names_from_a_file_and_a_policy_make_one_protocol(tmp_path: Path) -> None:
    names = [f"{number} Mill Road" for number in range(5_000)]
    scenario = make_scenario(policy=ContextPolicy(OneBlock(), SensitiveSymbols(("0-399",))))
    (tmp_path / "scenario.json").write_text(json.dumps(scenario.to_dict()), "utf-8")
    command = ["protocol", str(tmp_path / "scenario.json"), "--names", str(tmp_path / "names")]
    (tmp_path / "names").write_text("\ufeff" + "".join(f" {name} \r\n" for name in names), "utf-8")
    done = CliRunner().invoke(main, command)
    made = Protocol.from_json(done.output)
    context = Context.high_low(np.arange(5_000) < 400, 1.0)
    same = Protocol.for_policy(
        Domain.of(names), context, mechanism=RandomizedResponse(), block_names=["everything"]
    )
    assert made.fingerprint == same.fingerprint
    assert made.labels == tuple(names)
    assert Client(made).report(names[-1]) in range(made.format.values)
    for text, message in (
        ("a\nb\na\n", "'a' is there twice"),
        ("a" * 121, "1 to 120 characters"),
        ("", "holds no names"),
        ("a\nb", "symbol must be a whole number"),
    ):
        (tmp_path / "names").write_text(text, "utf-8")
        with naming(message):
            refused = CliRunner().invoke(main, command)
            assert refused.exit_code == 2
            assert message in refused.stderr


def test_a_policy_in_code_makes_the_protocol_of_its_scenario() -> None:
    table = OwnTable(("a", "b", "c", "d"), (1, 2, 3, 4))
    setup = prepare(make_scenario(dataset=table, policy=ContextPolicy(EvenRuns(2))))
    by_scenario, policy = Protocol.of(setup, "Well?"), setup.policy
    domain = by_scenario.domain
    by_policy = Protocol.for_policy(
        domain, policy, "Well?", mechanism=RandomizedResponse(), block_names=by_scenario.block_names
    )
    assert by_policy.fingerprint == by_scenario.fingerprint
    line = Protocol.for_policy(Domain(3), DenseMatrix.of(1.0 - np.eye(3)))
    assert line.plan.name == "table"
    for wrong, message in (
        ((domain, Context.plain(3, 1.0)), "domain has 4 values and policy 3"),
        ((domain, None), "made for a policy"),
        ((domain, Context.high_low(np.zeros(4, np.bool_), 1.0)), "Nobody is protected"),
    ):
        with naming(message), pytest.raises(CaldpError, match=message):
            Protocol.for_policy(*wrong)


def test_a_row_a_kind_of_block_has_the_bounds_of_the_core() -> None:
    for family in ("oue", "hadamard in parts"):
        protocol = small(family, "one ε per block")
        blocks, policy = len(protocol.block_names), protocol.mechanism.policy
        assert isinstance(policy, Context)
        made = mixed_privacy_by_crowd(protocol, [1000, 20, 1000], 1e-6)
        assert made["delta"] == 1e-6
        assert sum(row["blocks_like_it"] for row in made["blocks"]) == blocks
        for n in (20, 1000):
            right = epsilons_after_mixing(protocol.mechanism, np.full(blocks, n), 1e-6)
            assert right is not None
            for row in made["blocks"]:
                assert list(row["mixed_among"]) == ["20", "1000"]
                j, bounds = protocol.block_names.index(row["block"]), row["mixed_among"][str(n)]
                with naming(f"{family}, {n}, {row['block']}"):
                    level = policy.epsilon[j] if policy.hidden_sizes[j] else None
                    assert row["epsilon_of_one_report"] == level
                    for key, bound in (
                        ("epsilon", right.hidden[j]),
                        ("epsilon_beside_open", right.open[j]),
                    ):
                        # Three digits upwards, or no such pair.
                        assert (key in bounds) != np.isnan(bound)
                        assert key not in bounds or bound <= bounds[key] <= 1.01 * bound


def test_the_record_says_it_of_those_who_came() -> None:
    protocol = small("galois", "blocks")
    people = np.array([0, 4, *[60] * (len(protocol.block_names) - 2)])
    found = mixed_privacy(protocol, people)
    assert found is not None
    assert [row["people"] for row in found["blocks"]] == people.tolist()
    few, many = found["blocks"][1], found["blocks"][-1]
    assert "epsilon" not in found["blocks"][0]
    assert many["epsilon"] < few["epsilon"] <= few["epsilon_of_one_report"] == 1.0
    same = mixed_privacy_by_crowd(protocol, [60])["blocks"]
    assert many["epsilon"] in [row["mixed_among"]["60"].get("epsilon") for row in same]


def test_of_many_kinds_the_weakest_and_the_strongest_are_told() -> None:
    levels = np.linspace(0.1, 3.0, LISTED + 20).round(3)
    policy = Context.of(np.arange(2 * levels.size) // 2, [True] * (2 * levels.size), levels)
    rows = mixed_privacy_by_crowd(protocol_in(policy, SPECS["randomized-response"]), [5])["blocks"]
    assert len(rows) == LISTED
    epsilons = [row["epsilon_of_one_report"] for row in rows]
    assert (epsilons[0], epsilons[-1]) == (levels[0], levels[-1])


def test_where_a_pair_has_no_limit_nothing_is_promised() -> None:
    with pytest.raises(CaldpError, match="pairs without a limit"):
        mixed_privacy_by_crowd(tables()["designed"], [1000])
    scale: Protocol = tables()["binary"]
    (row,) = mixed_privacy_by_crowd(scale, [1000])["blocks"]
    assert row["mixed_among"]["1000"]["epsilon"] < row["epsilon_of_one_report"] == 2.0


def test_the_command_prints_it(tmp_path: Path) -> None:
    protocol = small("oue", "plain")
    (tmp_path / "protocol.json").write_text(protocol.to_json(), "utf-8")
    words = ["mixed", str(tmp_path / "protocol.json"), "--people", "500", "--delta", "1e-6"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert json.loads(done.output) == mixed_privacy_by_crowd(protocol, [500], 1e-6)


SIGNIFICANCE = 1e-6
LOSSY = ("rappor", "oue", "subset-selection", "local-hashing", "galois")
"""Families whose tallies do not count each report."""
SETS = ("rappor", "oue", "subset-selection")
NUMBERS = tuple(family for family in SPECS if family not in SETS)


def collected(protocol: Protocol, reports: Any) -> CollectedTally:
    made: Any = protocol.mechanism
    if protocol.format.kind == "number":
        histogram = np.bincount(reports, minlength=protocol.format.values)
        buckets = buckets_of_histogram(protocol, histogram)
        tally = made.tally_of_histogram(histogram)
    else:
        tally, buckets = made.tally(reports), buckets_of_records(protocol, reports)
    return CollectedTally(protocol.fingerprint, tally, buckets=buckets)


def drawn(protocol: Protocol, people: Ints, seed: int) -> Any:
    return protocol.mechanism.privatize(people, np.random.default_rng(seed))


def least_chance(protocol: Protocol, reports: Any) -> float:
    return min(
        check.chance for check in check_counts_of_reports(protocol, collected(protocol, reports))
    )


def test_honest_people_raise_no_alarm_whatever_they_answer() -> None:
    """Extremes: everybody has one value, hidden or open; half and half; one of each."""
    protocols = [
        small(family, kind)
        for family in SPECS
        for kind in ("plain", "blocks and sensitive set", "one ε per block")
    ]
    for protocol in (*protocols, *tables().values(), many("rappor", 100), many("galois", 500)):
        k, n = protocol.domain.k, 20_000
        for i, people in enumerate(
            (
                np.zeros(n, np.int64),
                np.full(n, k - 1),
                np.arange(n) % 2 * (k // 2),
                np.arange(n) % k,
            )
        ):
            with naming(f"{protocol.plan.name}, {k}, {i}"):
                assert least_chance(protocol, drawn(protocol, people, i)) > FALSE_ALARMS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("families", "n"),
    [
        (NUMBERS, 1_000_000),
        (SETS, 200_000),
        pytest.param(SETS, 1_000_000, marks=pytest.mark.thorough),
    ],
)
def test_one_in_a_hundred_that_are_identical_are_seen(families: tuple[str, ...], n: int) -> None:
    """10,000 of a million."""
    fakes = n // 100
    for family in families:
        protocol = many(family, 100 if family in ("subset-selection", "local-hashing") else 1_000)
        people = np.random.default_rng(3).integers(0, protocol.domain.k, n)
        reports = drawn(protocol, people, 4)
        with naming(family):
            assert least_chance(protocol, reports) > FALSE_ALARMS
            reports[:fakes] = reports[-1]
            checks = check_counts_of_reports(protocol, collected(protocol, reports))
            (seen,) = [check for check in checks if check.of != "value"]
            assert seen.is_alarm
            assert fakes <= seen.count < 2 * fakes
            assert seen.high < fakes / 2


def test_values_that_are_chosen_and_not_drawn_are_seen_where_only_the_tally_is_there() -> None:
    """Everybody has one value; 2 % of the reports include it for sure, as no device's do."""
    for family in LOSSY:
        protocol = many(family, 50)
        reports = drawn(protocol, np.full(100_000, 7), 5)
        tally: Any = protocol.mechanism.tally(reports)
        honest = CollectedTally(protocol.fingerprint, tally)
        counts = tally.counts.copy()
        counts[7] += (100_000 - counts[7]) // 25
        fake = CollectedTally(protocol.fingerprint, type(tally)(counts, tally.n, tally.fingerprint))
        with naming(family):
            (check,) = check_counts_of_reports(protocol, honest)
            assert (check.of, check.is_alarm) == ("value", False)
            (check,) = check_counts_of_reports(protocol, fake)
            assert (check.number, check.is_alarm) == (7, True)


@pytest.mark.slow
def test_the_false_alarm_level_is_held_where_everybody_gives_the_same_answer() -> None:
    """At 5 % instead of one in a million, so that it can be counted; a device at ε·1.1 fails."""
    protocol, wrong, collections = (
        many("randomized-response", 8),
        many("randomized-response", 8, 1.1),
        400,
    )
    alarms = {}
    for name, device in (("right", protocol), ("wrong", wrong)):
        chances = [
            least_chance(protocol, drawn(device, np.full(20_000, 3), seed))
            for seed in range(collections)
        ]
        alarms[name] = sum(chance <= 0.05 for chance in chances)
    limit = float(scipy.stats.binom.isf(SIGNIFICANCE, collections, 0.05))
    assert alarms["right"] <= limit < alarms["wrong"]


def test_stated_chances_are_above_those_of_any_peoples_reports() -> None:
    """Brute force: all answers of eight people, of chances 1/8, 1/4 and 5/8 to be counted."""
    able, n = (0.125, 0.25, 0.625), 8
    counts = np.arange(n + 1)
    full = np.full(n + 1, n)
    law = CountLaw("report", counts, counts, full, full * min(able), full * max(able))
    stated = law.chances()
    assert stated.min() < 0.03
    for people in combinations_with_replacement(able, n):
        right = np.zeros(n + 1)
        for coins in product((0, 1), repeat=n):
            right[sum(coins)] += prod(p if c else 1 - p for p, c in zip(people, coins, strict=True))
        tails = np.minimum(np.cumsum(right), np.cumsum(right[::-1])[::-1])
        assert (tails <= stated + 1e-12).all()
    # The greatest one is reached: all people have the likeliest answer.
    top = [sum(comb(n, i) * 0.625**i * 0.375 ** (n - i) for i in range(c, n + 1)) for c in counts]
    assert stated[6:] == pytest.approx(top[6:])


@pytest.mark.parametrize("family", LOSSY)
def test_no_answer_puts_more_into_a_bucket_than_is_said(family: str) -> None:
    """Every report of small protocols with its exact chance from every value."""
    for kind in ("plain", "blocks and sensitive set"):
        protocol = small(family, kind)
        mechanism: Any = protocol.mechanism
        reports, channel = mechanism.every_report(), mechanism.exact_channel()
        oracles = mechanism.oracles.outputs
        law = np.array([[float(entry) for entry in row[:oracles]] for row in channel])
        bucket = np.array(
            [int(collected(protocol, reports[i : i + 1]).buckets.argmax()) for i in range(oracles)]
        )
        most = np.array([[row[bucket == b].sum() for b in np.unique(bucket)] for row in law]).max(
            axis=1
        )
        assert len(np.unique(bucket)) > 1
        with naming(kind):
            assert (most <= bucket_chances(protocol)[mechanism.blocks] + 1e-12).all()


@pytest.mark.slow
def test_buckets_are_the_same_by_all_ways_and_add_up(tmp_path: Path) -> None:
    for family in SPECS:
        protocol = small(family)
        sent = written.payloads(protocol, [x % 11 for x in range(300)], seed=5)
        files = [written.write(tmp_path / f"{family}.{form}", sent) for form in ("parquet", "csv")]
        found = [Collector(protocol).tally(path).buckets for path in files]
        batch = pa.RecordBatch.from_pydict({"report": sent})
        found.append(by_workers(protocol, [batch]).buckets)
        found.append(by_workers(protocol, [batch.slice(0, 90), batch.slice(90)]).buckets)
        parts = [written.write(tmp_path / f"{i}.parquet", sent[i::3]) for i in range(3)]
        tallies = [Collector(protocol).tally(path) for path in parts]
        (tmp_path / "one.json").write_text(tallies[2].to_json(), "utf-8")
        again = CollectedTally.from_file(tmp_path / "one.json")
        found.append((again + tallies[0] + tallies[1] + CollectedTally.empty(protocol)).buckets)
        with naming(family):
            assert found[0].size == BUCKETS * has_buckets(protocol)
            assert has_buckets(protocol) == (family in LOSSY)
            for each in found:
                assert (each == found[0]).all()


def by_workers(protocol: Protocol, batches: list[Any]) -> CollectedTally:
    tasks = [list(partial_tallies(protocol.to_json())([batch])) for batch in batches]
    rows = [
        row for part in sum_tallies([p for task in tasks for p in task]) for row in part.to_pylist()
    ]
    return collected_from_rows(protocol, rows, "a")


def test_what_is_seen_is_printed_and_stands_in_the_record(tmp_path: Path) -> None:
    protocol = many("galois", 500)
    (tmp_path / "protocol.json").write_text(protocol.to_json(), "utf-8")
    sent = drawn(protocol, np.arange(20_000) % 500, 1).tolist()
    for name, reports, is_fake in (("honest", sent, False), ("fake", sent + sent[:1] * 500, True)):
        path, output = tmp_path / f"{name}.parquet", tmp_path / f"{name}.json"
        written.write(path, reports)
        words = ["tally", f"{tmp_path}/protocol.json", str(path), "-o", str(output)]
        done = CliRunner().invoke(main, words)
        printed = json.loads(done.stdout)["report_counts"]
        record = make_record(protocol, CollectedTally.from_file(output), 0.95, "simplex")
        with naming(name):
            assert done.exit_code == 0
            assert printed == record["report_counts"]
            assert printed["false_alarm_level"] == FALSE_ALARMS
            assert printed["unlike_honest"] == is_fake
            assert (
                "Warning: of 20,500 reports, those in one of 4,096 parts came" in done.stderr
            ) == is_fake
            assert [each["of"] for each in printed["furthest"]] == ["value", "bucket"]
            estimated = CliRunner().invoke(main, ["estimate", words[1], str(output)])
            assert ("Warning: of 20,500 reports" in estimated.stderr) == is_fake


def test_tallies_without_buckets_are_checked_by_their_values() -> None:
    week = made_up_week()
    kinds = {check.of for check in check_counts_of_reports(week.protocol, week.total)}
    assert kinds == {"value"}
    assert check_counts_of_reports(week.protocol, CollectedTally.empty(week.protocol)) == []


def test_buckets_that_are_none_are_refused() -> None:
    protocol = small("galois")
    tally = collected(protocol, np.array([1, 2, 3]))
    whole = json.loads(tally.to_json())
    assert (CollectedTally.from_dict(whole).buckets == tally.buckets).all()
    for wrong in ([1], "many", [-1] * BUCKETS, [0.5] * BUCKETS, {"a": 1}):
        with naming(str(wrong)[:20]), pytest.raises(CaldpError, match="buckets"):
            CollectedTally.from_dict(whole | {"buckets": wrong})
