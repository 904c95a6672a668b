"""Counts of reports against their law: honest ones raise no alarm, repeated ones do."""

import json
from itertools import combinations_with_replacement, product
from math import comb, prod
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import scipy
from click.testing import CliRunner

from caldp_core import CaldpError, Protocol
from caldp_core.basics.types import Ints
from caldp_core.cli.commands import main
from caldp_core.collect.arrow import collected_from_rows, partial_tallies, sum_tallies
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
from caldp_core.collect.record import make_record
from tests.collect import written
from tests.collect.protocols import SPECS, many, small, tables
from tests.contract.checks import naming

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
    protocols = [small(family, kind) for family in SPECS for kind in
                 ("plain", "blocks and sensitive set", "one ε per block")]  # fmt: skip
    for protocol in (*protocols, *tables().values(), many("rappor", 100), many("galois", 500)):
        k, n = protocol.domain.k, 20_000
        for i, people in enumerate((np.zeros(n, np.int64), np.full(n, k - 1),
                                    np.arange(n) % 2 * (k // 2), np.arange(n) % k)):  # fmt: skip
            with naming(f"{protocol.plan.name}, {k}, {i}"):
                assert least_chance(protocol, drawn(protocol, people, i)) > FALSE_ALARMS


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


def test_the_false_alarm_level_is_held_where_everybody_answers_alike() -> None:
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
        bucket = np.array([int(collected(protocol, reports[i : i + 1]).buckets.argmax())
                           for i in range(oracles)])  # fmt: skip
        most = np.array([[row[bucket == b].sum() for b in np.unique(bucket)] for row in law]).max(
            axis=1
        )
        assert len(np.unique(bucket)) > 1
        with naming(kind):
            assert (most <= bucket_chances(protocol)[mechanism.blocks] + 1e-12).all()


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
