"""From a tally to shares with ranges, also at every look, and what the page of results reads."""

import csv
import json
import math
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from click.testing import CliRunner
from scipy.special import ndtri
from scipy.stats import binom

from caldp_core import CaldpError, Protocol, estimate, intervals
from caldp_core.cli.commands import main
from caldp_core.collect.collected_tally import (
    MALFORMED,
    OTHER_PROTOCOL,
    OUT_OF_RANGE,
    REASONS,
    CollectedTally,
)
from caldp_core.collect.collector import Collector
from caldp_core.collect.estimate import (
    Results,
    Tallies,
    collected_from_histogram,
    error_of,
    error_sentence,
    estimate_table,
    made_up_week,
    read_collection,
)
from caldp_core.collect.json_files import format_json
from caldp_core.collect.record import check_record, make_record
from caldp_core.collect.servers import DIALECTS, tally_query
from caldp_core.datasets.files.places import people_at_centres
from caldp_core.datasets.own import places_from_counts
from caldp_core.datasets.public_map import public_map_from_weights
from caldp_core.datasets.shipped import DATA_FOLDER
from caldp_core.domain.domains import Domain, GridDomain
from caldp_core.estimation.evidence import Options
from caldp_core.estimation.intervals import Looks, every_look, one_look
from caldp_core.experiments.metrics import total_variation
from caldp_core.experiments.table import as_csv
from caldp_core.mechanisms.catalogue import Hadamard, RandomizedResponse
from caldp_core.privacy.context import Context
from tests.collect import protocols
from tests.collect.protocols import in_duckdb, labelled, planned, prepare_engine, small
from tests.contract.checks import naming

OFTEN = ("never", "rarely", "often", "always")
LABELS = ("flu", "=cold()", "none")


def caldp(*words: str | Path) -> Any:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def protocol(tmp_path: Path) -> Protocol:
    """A protocol with its file and a file of 3,000 reports, and three that are none."""
    protocol = labelled("hadamard", LABELS, 2.0)
    (tmp_path / "protocol.json").write_text(protocol.to_json(), "utf-8")
    people = [0] * 600 + [1] * 900 + [2] * 1500
    sent = [str(each) for each in protocols.payloads(protocol, people, seed=5)]
    mark = protocol.fingerprint[:16]
    marks = [mark] * 3000 + [mark, mark, "another"]
    protocols.write(tmp_path / "day.csv", [*sent, "?", "99", "1"], protocol=marks)
    return protocol


def test_the_commands_lead_from_files_to_shares(protocol: Protocol, tmp_path: Path) -> None:
    tally, table = tmp_path / "day.tally.json", tmp_path / "estimate.csv"
    result = caldp("tally", tmp_path / "protocol.json", tmp_path / "day.csv", "-o", tally)
    assert result.exit_code == 0, result.output
    books = json.loads(result.output)
    assert books["reports"] == 3000
    assert books["refused"] == {MALFORMED: 1, OTHER_PROTOCOL: 1, OUT_OF_RANGE: 1}
    done = caldp("merge", tally, "-o", tmp_path / "week.json")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "week.json").read_bytes() == tally.read_bytes()
    record = tmp_path / "record.json"
    done = caldp(
        "estimate",
        "--level",
        "0.9",
        tmp_path / "protocol.json",
        tally,
        "-o",
        table,
        "--record",
        record,
    )
    assert done.exit_code == 0, done.output
    rows = list(csv.DictReader(table.read_text("utf-8").splitlines()))
    # Of 3,000 people at ε = 2 a share has σ = 0.012; five of them are a chance of 10^-6.
    for row, share in zip(rows, (0.2, 0.3, 0.5), strict=True):
        assert abs(float(row["estimated share"]) - share) < 0.06
        assert float(row["low"]) < float(row["estimated share"]) < float(row["high"])
    assert [row["answer"] for row in rows] == ["flu", "'=cold()", "none"]
    assert json.loads(record.read_text("utf-8"))["interval_level"] == 0.9


def estimated(folder: Path, domain: Domain, people: list[int], *options: str) -> tuple[Any, Any]:
    """What the command prints beside the table, and the record, of reports that hide the answer."""
    blocks_of = domain.groups or ("all",) * domain.k
    policy = Context.of(blocks_of, np.ones(domain.k, np.bool_), 3.0)
    blocks = [f"block {j + 1}" for j in range(policy.m)]
    asked = Protocol("Which?", domain, tuple(blocks), planned(policy, RandomizedResponse()))
    (folder / "protocol.json").write_text(asked.to_json(), "utf-8")
    tally = asked.mechanism.sample_tally(np.array(people), np.random.default_rng(4))
    CollectedTally(asked.fingerprint, tally).write(folder / "tally.json")
    done = caldp(
        "estimate",
        folder / "protocol.json",
        folder / "tally.json",
        *options,
        "-o",
        folder / "out.csv",
        "--record",
        folder / "record.json",
    )
    assert done.exit_code == 0, done.output
    return done.output, json.loads((folder / "record.json").read_text("utf-8"))


def test_groups_are_compared_in_the_table_the_record_and_in_words(tmp_path: Path) -> None:
    names = [f"{answer}; {group}" for group in ("North", "South") for answer in ("yes", "no")]
    domain = Domain.of(names, ["North", "North", "South", "South"])
    printed, record = estimated(tmp_path, domain, [3000, 7000, 9000, 1000])
    first = record["groups"][0]
    assert (first["answer"], first["group"], first["people"]) == ("yes", "North", 10_000)
    for key, true in (("share", 0.3), ("elsewhere", 0.9), ("difference", -0.6)):
        middle, low, high = first[key]
        assert low <= true <= high < low + 0.1
        assert low <= middle <= high
    assert "“yes”: in “North” " in printed
    assert printed.count(" fewer of 100 (") == 2
    rows = list(csv.DictReader((tmp_path / "out.csv").read_text("utf-8").splitlines()))
    assert [float(rows[0][f"difference{end}"]) for end in ("", " low", " high")] == first[
        "difference"
    ]
    assert record["quartiles"] == []
    _, running = estimated(tmp_path, domain, [3000, 7000, 9000, 1000], "--running")
    assert running["groups"][0]["share"][1] < first["share"][1]


def test_quartiles_of_numbers_stand_in_the_record_and_in_words(tmp_path: Path) -> None:
    domain = Domain.of([f"{10 * x} to {10 * x + 9}" for x in range(4)])
    printed, record = estimated(tmp_path, domain, [1000, 4000, 3000, 2000])
    assert "Median “10 to 19” (“10 to 19” to “20 to 29”).\n" in printed
    assert [each["share"] for each in record["quartiles"]] == [0.25, 0.5, 0.75]
    assert record["groups"] == []


def assert_page_has_the_record(folder: Path, written: dict[str, Any]) -> None:
    files = [(name, (folder / name).read_bytes()) for name in ("protocol.json", "tally.json")]
    shown = read_collection(files).results(0.95)
    assert json.loads(format_json(dict(shown.record or {}))) == written


def test_the_record_of_the_page_is_that_of_the_command(tmp_path: Path) -> None:
    domain = Domain.of([f"{10 * x} to {10 * x + 9}" for x in range(4)])
    _, written = estimated(tmp_path, domain, [1000, 4000, 3000, 2000])
    assert_page_has_the_record(tmp_path, written)
    assert len(written["quartiles"]) == 3


def test_groups_have_medians_in_the_record_of_the_page_and_of_the_command(tmp_path: Path) -> None:
    names = [f"{answer}; {group}" for group in ("North", "South") for answer in OFTEN]
    domain = Domain.of(names, ["North"] * 4 + ["South"] * 4)
    printed, written = estimated(tmp_path, domain, [4000, 900, 50, 50, 100, 100, 2000, 2800])
    assert_page_has_the_record(tmp_path, written)
    middle = (each for each in written["quartiles"] if each["share"] == 0.5)
    medians = {each["group"]: each["estimate"] for each in middle}
    assert medians == {"": "rarely", "North": "never", "South": "always"}
    assert "Median in “South”: “always” (“always” to “always”).\n" in printed


def test_the_table_is_that_of_the_mechanism(protocol: Protocol, tmp_path: Path) -> None:
    collected = Collector(protocol).tally(tmp_path / "day.csv")
    table = estimate_table(protocol, collected, 0.8, "none")
    shares = estimate(protocol.mechanism, collected.tally, "none")
    ranges = intervals(protocol.mechanism, collected.tally, 0.8, shares)
    assert table["estimated share"] == shares.tolist()
    assert (table["low"], table["high"]) == (ranges.low.tolist(), ranges.high.tolist())


def test_the_record_says_what_was_promised_and_collected(
    protocol: Protocol, tmp_path: Path
) -> None:
    record = make_record(protocol, Collector(protocol).tally(tmp_path / "day.csv"), 0.95, "simplex")
    assert record["reports"] == 3000
    assert sum(record["refused"].values()) == 3
    assert record["mechanism"] == {"kind": "hadamard", "parts": 1}
    assert (record["privacy"]["epsilon_least"], record["privacy"]["values"]) == (2.0, 3)
    mixed = small("oue", "one ε per block")
    mixed_record = make_record(
        mixed, Collector(mixed).tally(_one(mixed, tmp_path)), 0.95, "simplex"
    )
    assert mixed_record["privacy"]["epsilon_least"] == 0.3
    # Of 11 values six are hidden, and one is alone in its block.
    assert mixed_record["privacy"]["values_sent_openly_at_times"] == 4
    assert mixed_record["privacy"]["values_sent_openly_always"] == 1


def _one(protocol: Protocol, folder: Path) -> Path:
    return protocols.write(folder / "one.parquet", protocols.payloads(protocol, [1], seed=6))


@pytest.mark.slow
def test_other_engines_count_what_the_collector_counts(protocol: Protocol, tmp_path: Path) -> None:
    right = Collector(protocol).tally(tmp_path / "day.csv")
    with duckdb.connect() as connection:
        prepare_engine(connection)
        connection.execute(
            "CREATE TABLE texts AS FROM read_csv(?, all_varchar = true)", [f"{tmp_path}/day.csv"]
        )
        ours = "SELECT * REPLACE (TRY_CAST(report AS BIGINT) AS report) FROM texts"
        connection.execute(f"CREATE TABLE numbers AS {ours}")
        for dialect in DIALECTS:
            query = in_duckdb(protocol, dialect)
            for table in ("texts", "numbers"):
                of = query.replace("FROM reports", f"FROM {table}").rstrip(";")
                connection.execute(f"COPY ({of}) TO '{tmp_path}/counts.parquet'")
                with naming(f"{dialect}, {table}"):
                    counted = collected_from_histogram(protocol, tmp_path / "counts.parquet")
                    assert (counted.tally.counts == right.tally.counts).all()
                    assert counted.refused == right.refused


def test_the_histogram_of_a_query_is_estimated(protocol: Protocol, tmp_path: Path) -> None:
    (tmp_path / "counts.csv").write_text("report,n\n0,10\n1,20\n2,5\n3,5\n-1,7\n", "utf-8")
    done = caldp("estimate", tmp_path / "protocol.json", "--histogram", tmp_path / "counts.csv")
    assert done.exit_code == 0, done.output
    tally = protocol.mechanism.tally_of_histogram([10, 20, 5, 5])
    shares = estimate(protocol.mechanism, tally)
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert [float(row["estimated share"]) for row in rows] == shares.tolist()
    assert "Warning: 7 of 47 reports were refused" in done.stderr


def test_places_are_written_as_cells_of_a_map(tmp_path: Path) -> None:
    domain, policy = GridDomain(0.0, 10.0, 0.5, 3, 2), Context.plain(6, 3.0)
    protocol = Protocol("", domain, ("all",), planned(policy, RandomizedResponse()))
    (tmp_path / "protocol.json").write_text(protocol.to_json(), "utf-8")
    (tmp_path / "counts.csv").write_text("report,n\n0,400\n1,9\n3,30\n5,200\n", "utf-8")
    for name in ("cells.geojson", "cells.csv"):
        done = caldp(
            "estimate",
            tmp_path / "protocol.json",
            "--histogram",
            tmp_path / "counts.csv",
            "-o",
            tmp_path / name,
        )
        assert done.exit_code == 0, done.output
    made = json.loads((tmp_path / "cells.geojson").read_text("utf-8"))["features"]
    rows = list(csv.DictReader((tmp_path / "cells.csv").read_text("utf-8").splitlines()))
    there = [row for row in rows if float(row["estimated share"]) > 0]
    assert 0 < len(there) < len(rows)
    for cell, row in zip(made, there, strict=True):
        (ring,) = cell["geometry"]["coordinates"]
        west, south = ring[0]
        place = (float(row["longitude"]), float(row["latitude"]))
        assert place == (west + 0.25, south + 0.25)
        properties = {name: str(value) for name, value in cell["properties"].items()}
        assert properties == {name: row[name] for name in properties}
        assert {"estimated share", "low", "high", "sensitive"} <= properties.keys()


WRONG = (
    "report,n\n4,1\n",
    "report,n\n-4,1\n",
    "report,n\nx,1\n",
    "report,n\n1,-1\n",
    "report,n\n1,x\n",
    "report,n\n1,2\n1,3\n",
    "report,n\n1\n",
    "report,n\n1,9999999999999999\n",
    "report\n1\n",
)


@pytest.mark.slow
def test_reports_of_real_people_take_a_public_map(tmp_path: Path) -> None:
    """Neighbours and last year's map help, the record names the map, and no protocol holds it."""
    domain, rng = GridDomain(0.0, 10.0, 0.5, 24, 24), np.random.default_rng(1)
    protocol = Protocol("", domain, ("all",), planned(Context.plain(576, 1.0), Hadamard()))
    districts = np.kron(rng.dirichlet(np.full(16, 0.3)).reshape(4, 4), np.ones((6, 6)))
    truth = districts.ravel() * rng.gamma(2.0, size=576)
    people = rng.multinomial(200_000, truth / truth.sum())
    tally = protocol.mechanism.sample_tally(people, rng)
    collected = CollectedTally(protocol.fingerprint, tally, frozenset(), dict.fromkeys(REASONS, 0))
    (tmp_path / "p.json").write_text(protocol.to_json(), "utf-8")
    collected.write(tmp_path / "t.json")
    prior = public_map_from_weights(people, domain, "last year")
    lines = [
        f"{y},{x},{n}"
        for y, x, n in people_at_centres(places_from_counts(people, domain, "last year"))
    ]
    (tmp_path / "last year.csv").write_text("\n".join(["lat,lon,people", *lines]), "utf-8")
    off = {}
    nearest = ("--estimator", "simplex-per-block")
    for way in (nearest, (), ("--prior", tmp_path / "last year.csv")):
        done = caldp(
            "estimate",
            tmp_path / "p.json",
            tmp_path / "t.json",
            *way,
            "--record",
            tmp_path / "record.json",
        )
        assert done.exit_code == 0, done.output
        rows = list(csv.DictReader(done.stdout.splitlines()))
        shares = [float(row["estimated share"]) for row in rows]
        off[way[:1]] = total_variation(truth / truth.sum(), np.array(shares))
    assert off["--prior",] < 0.8 * off[()] < 0.7 * off["--estimator",]
    record = json.loads((tmp_path / "record.json").read_text("utf-8"))
    assert record["public_map"]["title"] == "last year"
    same = make_record(protocol, collected, 0.95, "cascade-map", prior=prior)
    assert record["public_map"] == same["public_map"]
    check_record(protocol, record, "It")
    wrong = caldp(
        "estimate",
        tmp_path / "p.json",
        tmp_path / "t.json",
        "--estimator",
        "simplex",
        "--prior",
        tmp_path / "last year.csv",
    )
    assert (wrong.exit_code, "is for the estimator cascade-map" in wrong.stderr) == (2, True)
    other = caldp(
        "estimate",
        tmp_path / "p.json",
        tmp_path / "t.json",
        "--estimator",
        "cascade",
        "--q",
        "0.01",
        "--record",
        tmp_path / "record.json",
    )
    ways = {
        q: estimate_table(protocol, collected, 0.95, "cascade", Options(false_share=q))
        for q in (0.01, 0.2)
    }
    assert other.stdout.splitlines() == as_csv(ways[0.01]).splitlines()
    error = error_of(protocol, collected, "cascade", Options(false_share=0.01))
    assert error is not None
    assert error_sentence(protocol, error) in other.stderr
    assert as_csv(ways[0.01]) != as_csv(ways[0.2])
    written = json.loads((tmp_path / "record.json").read_text("utf-8"))
    assert (written["false_share"], written["error_estimate"]) == (0.01, asdict(error))
    assert error.low < off[()] < error.high < 1
    needs = caldp(
        "estimate", tmp_path / "p.json", tmp_path / "t.json", "--estimator", "cascade-map"
    )
    assert (needs.exit_code, "needs a public map" in needs.stderr) == (2, True)


def test_histograms_that_are_none_are_refused(protocol: Protocol, tmp_path: Path) -> None:
    for text in WRONG:
        (tmp_path / "counts.csv").write_text(text, "utf-8")
        with naming(text), pytest.raises(CaldpError, match=r"The histogram|can't be read"):
            collected_from_histogram(protocol, tmp_path / "counts.csv")
    with pytest.raises(CaldpError, match="are not numbers"):
        collected_from_histogram(small("oue"), tmp_path / "counts.csv")
    with pytest.raises(CaldpError, match="are not numbers"):
        tally_query(small("rappor"), "spark")
    with pytest.raises(CaldpError, match="dialect must be one of"):
        tally_query(protocol, "oracle")
    printed = caldp("sql", "--dialect", "spark", tmp_path / "protocol.json")
    assert printed.output == tally_query(protocol, "spark")


LOOKS = (1, 2, 4, 7, 11, 17, 25, 35, 50, 70, 100, 140, 200)
POLLS = 10_000
MISSES_MAX = int(binom.isf(1e-6, POLLS, 0.05))
YES = 0.3


def tally_of(protocol: Protocol, yes: int, n: int) -> CollectedTally:
    reports = np.repeat([0, 1], (n - yes, yes))
    return CollectedTally(protocol.fingerprint, protocol.mechanism.tally(reports))


def misses(protocol: Protocol, looks: Looks) -> int:
    """Of 10,000 polls of answers that are kept by e^ε in e^ε + 1: those whose range for "yes"
    misses the true share at one of all looks."""
    kept = math.e / (math.e + 1)
    sent = YES * kept + (1 - YES) * (1 - kept)
    coins = np.random.default_rng(7).random((POLLS, LOOKS[-1])) < sent
    counts = np.cumsum(coins, axis=1)
    missed = np.zeros(POLLS, np.bool_)
    for n in LOOKS:
        found = counts[:, n - 1]
        wrong = np.zeros(n + 1, np.bool_)
        for yes in np.unique(found).tolist():
            table = estimate_table(protocol, tally_of(protocol, yes, n), 0.95, looks=looks)
            (_, low), (_, high) = table["low"], table["high"]
            wrong[yes] = not float(str(low)) <= YES <= float(str(high))
        missed |= wrong[found]
    return int(missed.sum())


@pytest.mark.slow
def test_ranges_hold_at_all_looks_and_those_for_one_look_do_not() -> None:
    protocol = labelled("randomized-response", ("no", "yes"), epsilon=1.0)
    assert misses(protocol, every_look) <= MISSES_MAX
    assert misses(protocol, one_look) > MISSES_MAX


def test_the_level_of_a_look_is_that_of_the_normal_mixture() -> None:
    """By its definition: the mixture of likelihoods is 1/α at the bound, integrated by hand."""
    for n, alpha in ((30, 0.05), (1_000, 0.05), (1_000_000, 0.001)):
        tail = (1 - every_look(1 - alpha, n, 1)) / 2
        z = -float(ndtri(tail))
        drift = np.linspace(-3, 3, 600_001)
        ratio = np.exp(drift * z * math.sqrt(n) - n * drift**2 / 2 - drift**2 / 0.18)
        mixture = float(np.trapezoid(ratio, drift)) / math.sqrt(2 * math.pi * 0.09)
        assert mixture == pytest.approx(1 / alpha, rel=1e-3)


def results_of(looks: Looks) -> Results:
    protocol = labelled("randomized-response", ("no", "yes"), epsilon=1.0)
    tally = tally_of(protocol, 400, 1_000)
    return Tallies.of(protocol, (("day", tally),)).results(0.95, looks)


def test_results_say_at_which_looks_they_hold_and_so_does_their_file() -> None:
    once, always = results_of(one_look), results_of(every_look)
    assert (always.high - always.low > 1.3 * (once.high - once.low)).all()
    assert always.lower_bounds is not None
    assert once.lower_bounds is not None
    assert (always.lower_bounds <= once.lower_bounds).all()
    assert (once.hold_at_every_look, always.hold_at_every_look) == (False, True)
    for results in (once, always):
        files = (
            ("protocol.json", results.protocol.to_json().encode()),
            ("estimate.csv", as_csv(results.table).encode()),
            ("record.json", json.dumps(results.record).encode()),
        )
        again = read_collection(files).results(0.8)
        assert again.level == 0.95
        assert again.hold_at_every_look == results.hold_at_every_look
        np.testing.assert_array_equal(again.low, results.low)


def test_the_command_estimates_a_running_collection(tmp_path: Path) -> None:
    protocol = labelled("randomized-response", ("no", "yes"), epsilon=1.0)
    tally, record = tmp_path / "day.json", tmp_path / "record.json"
    tally_of(protocol, 400, 1_000).write(tally)
    (tmp_path / "protocol.json").write_text(protocol.to_json(), "utf-8")
    words = ["estimate", tmp_path / "protocol.json", tally, "--running", "--record", record]
    done = CliRunner().invoke(main, list(map(str, words)))
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == as_csv(results_of(every_look).table).splitlines()
    assert json.loads(record.read_text("utf-8"))["intervals_hold"] == "at every look"


WEEK = DATA_FOLDER / "made_up_week"
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def read_files(*names: str, folder: Path = WEEK) -> list[tuple[str, bytes]]:
    return [(name, (folder / name).read_bytes()) for name in names]


PROTOCOL = read_files("protocol.json")
MONDAY, TUESDAY = read_files("monday.tally.json", "tuesday.tally.json")


@pytest.fixture(scope="module")
def published_estimate() -> dict[str, bytes]:
    """estimate.csv and record.json of the whole week."""
    week = made_up_week()
    table = estimate_table(week.protocol, week.total, 0.9, "simplex-per-block")
    record = make_record(week.protocol, week.total, 0.9, "simplex-per-block")
    return {"estimate.csv": as_csv(table).encode(), "record.json": json.dumps(record).encode()}


def test_tallies_are_added_with_their_books() -> None:
    found = read_collection([*PROTOCOL, TUESDAY, MONDAY])
    assert isinstance(found, Tallies)
    results = found.results(0.9)
    assert [(each.name, each.reports) for each in results.deliveries] == [
        ("tuesday", 18_000),
        ("monday", 24_000),
    ]
    ends = intervals(found.protocol.mechanism, found.total.tally, 0.9, results.shares)
    assert (results.low == ends.low).all()
    assert (results.high == ends.high).all()
    assert results.lower_bounds is not None
    assert (results.lower_bounds <= results.low).all()
    assert (results.lower_bounds < results.low).any()
    assert results.hidden.sum() == 3
    assert results.protected_share == pytest.approx(results.shares[6:9].sum())


def test_the_made_up_week_has_what_a_collection_has() -> None:
    results = made_up_week().results(0.95)
    assert results.reports == 100_000
    assert [each.name for each in results.deliveries] == list(DAYS)
    assert results.refused is not None
    assert sorted(results.refused.values()) == [3, 12, 40]


def test_an_estimate_says_what_its_tallies_say(published_estimate: dict[str, bytes]) -> None:
    found = read_collection([*PROTOCOL, *published_estimate.items()])
    assert isinstance(found, Results)
    results, right = found.results(0.5), made_up_week().results(0.9)
    assert (results.level, results.reports) == (0.9, right.reports)
    for mine, theirs in ((results.shares, right.shares), (results.low, right.low)):
        np.testing.assert_array_equal(mine, theirs)
    assert results.refused == right.refused
    assert results.lower_bounds is None
    alone = read_collection([*PROTOCOL, ("estimate.csv", published_estimate["estimate.csv"])])
    assert alone.results(0.9).refused is None


def edit(data: bytes, change: Callable[[str], str]) -> bytes:
    text = data.decode()
    assert change(text) != text
    return change(text).encode()


def test_what_does_not_belong_together_is_told_in_a_sentence(
    published_estimate: dict[str, bytes],
) -> None:
    table = published_estimate["estimate.csv"]
    other = labelled("oue", ("a", "b", "c")).to_json().encode()
    few = table.replace(b"\r\n9,", b"\r\n8,")
    record = published_estimate["record.json"]

    def with_table(change: Callable[[str], str]) -> list[tuple[str, bytes]]:
        return [*PROTOCOL, ("estimate.csv", edit(table, change))]

    cases = {
        "one protocol, these files have 0": [MONDAY, TUESDAY],
        "one protocol, these files have 2": [*PROTOCOL, ("other.json", other), MONDAY],
        "not of": [("other.json", other), MONDAY],
        "would count twice": [*PROTOCOL, MONDAY, ("again.tally.json", MONDAY[1])],
        "0 tallies, 0 tables": PROTOCOL,
        "1 tally, 1 table and 0 records were given": [*PROTOCOL, MONDAY, ("estimate.csv", table)],
        "is not a protocol, tally or estimate": [*PROTOCOL, ("a.json", b'{"report": 3}')],
        "is not JSON": [*PROTOCOL, ("a.json", b"{")],
        "must be text in UTF-8": [*PROTOCOL, ("a.png", b"\x89PNG\xff")],
        "needs the columns": [*PROTOCOL, ("a.csv", b"a,b\n1,2\n")],
        "has 10 rows and its protocol 3 values": [("p.json", other), ("estimate.csv", table)],
        "of other values": [*PROTOCOL, ("estimate.csv", few)],
        "something else than numbers": with_table(lambda text: text.replace("0.9,", "often,")),
        "shares or ends": with_table(lambda text: text.replace(",0.4", ",9.4")),
        "one level": with_table(lambda text: text.replace(",0.9,", ",0.8,", 1)),
        "is of another protocol": [
            *PROTOCOL,
            ("estimate.csv", table),
            (
                "record.json",
                edit(record, lambda text: text.replace('"protocol": "', '"protocol": "0')),
            ),
        ],
        "another privacy than": [
            *PROTOCOL,
            ("estimate.csv", table),
            (
                "record.json",
                edit(record, lambda text: text.replace('"epsilon_most": 1', '"epsilon_most": 0')),
            ),
        ],
        "another if_mixed than": [
            *PROTOCOL,
            ("estimate.csv", table),
            (
                "record.json",
                edit(
                    record,
                    lambda text: text.replace('"epsilon_of_one_report": ', '"epsilon_of_one": '),
                ),
            ),
        ],
        "no report_counts that can be right": [
            *PROTOCOL,
            ("estimate.csv", table),
            (
                "record.json",
                edit(record, lambda text: text.replace('"honest_mean": [', '"honest_mean": [-1, ')),
            ),
        ],
        "belong together": [
            *PROTOCOL,
            ("estimate.csv", table),
            (
                "record.json",
                edit(record, lambda text: text.replace('"reports": 100000', '"reports": 99999')),
            ),
        ],
    }
    for message, files in cases.items():
        with naming(message), pytest.raises(CaldpError, match=message) as refused:
            read_collection(files)
        assert str(refused.value).count("\n") == 0


def test_an_estimate_from_a_file_lies_in_its_range() -> None:
    """Also of one that may be negative, and of an older file whose ranges excluded its shares."""
    protocol = labelled("hadamard", tuple("abcdefgh"), 0.5)
    people = protocol.mechanism.sample_tally(np.array([50, *[1] * 7]), np.random.default_rng(1))
    table = estimate_table(protocol, CollectedTally(protocol.fingerprint, people), estimator="none")
    low = np.array(table["low"], np.float64)
    assert low.min() < 0
    older = {**table, "low": list(np.maximum(low, 0.0).tolist())}
    for each in (table, older):
        files = [("p.json", protocol.to_json().encode()), ("e.csv", as_csv(each).encode())]
        results = read_collection(files).results(0.95)
        assert ((results.low <= results.shares) & (results.shares <= results.high)).all()


def test_a_label_that_a_spreadsheet_would_run_is_the_same_value() -> None:
    protocol = labelled("hadamard", ("=cold()", "-1", "none"), 2.0)
    people = protocol.mechanism.sample_tally(np.array([500, 300, 200]), np.random.default_rng(1))
    table = estimate_table(protocol, CollectedTally(protocol.fingerprint, people))
    files = [("p.json", protocol.to_json().encode()), ("e.csv", as_csv(table).encode())]
    assert read_collection(files).results(0.95).reports == 1_000


def test_blocks_and_tables_say_who_is_hidden() -> None:
    protocol = small("hadamard")
    assert isinstance(protocol, Protocol)
    found = protocol.coverage
    assert found.protected.sum() < found.sensitive.sum() < protocol.domain.k
