"""From a tally, or another engine's counts, to shares with intervals and a record."""

import csv
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from click.testing import CliRunner

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
    collected_from_histogram,
    error_of,
    error_sentence,
    estimate_table,
)
from caldp_core.collect.record import check_record, make_record
from caldp_core.collect.servers import DIALECTS, tally_query
from caldp_core.datasets.files.places import people_at_centres
from caldp_core.datasets.own import places_from_counts
from caldp_core.datasets.public_map import public_map_from_weights
from caldp_core.domain.grid import GridDomain
from caldp_core.estimation.evidence import Options
from caldp_core.experiments.metrics import total_variation
from caldp_core.experiments.table import as_csv
from caldp_core.mechanisms.catalogue import Hadamard, RandomizedResponse
from caldp_core.privacy.context import Context
from tests.collect import written
from tests.collect.engines import in_duckdb, prepare_engine
from tests.collect.protocols import labelled, planned, small
from tests.contract.checks import naming

LABELS = ("flu", "=cold()", "none")


def caldp(*words: str | Path) -> Any:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def protocol(tmp_path: Path) -> Protocol:
    """A protocol with its file and a file of 3,000 reports, and three that are none."""
    protocol = labelled("hadamard", LABELS, 2.0)
    (tmp_path / "protocol.json").write_text(protocol.to_json(), "utf-8")
    people = [0] * 600 + [1] * 900 + [2] * 1500
    sent = [str(each) for each in written.payloads(protocol, people, seed=5)]
    mark = protocol.fingerprint[:16]
    marks = [mark] * 3000 + [mark, mark, "another"]
    written.write(tmp_path / "day.csv", [*sent, "?", "99", "1"], protocol=marks)
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
    done = caldp("estimate", "--level", "0.9", tmp_path / "protocol.json", tally, "-o", table,
                 "--record", record)  # fmt: skip
    assert done.exit_code == 0, done.output
    rows = list(csv.DictReader(table.read_text("utf-8").splitlines()))
    # Of 3,000 people at ε = 2 a share has σ = 0.012; five of them are a chance of 10^-6.
    for row, share in zip(rows, (0.2, 0.3, 0.5), strict=True):
        assert abs(float(row["estimated share"]) - share) < 0.06
        assert float(row["low"]) < float(row["estimated share"]) < float(row["high"])
    assert [row["answer"] for row in rows] == ["flu", "'=cold()", "none"]
    assert json.loads(record.read_text("utf-8"))["interval_level"] == 0.9


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
    return written.write(folder / "one.parquet", written.payloads(protocol, [1], seed=6))


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


def test_places_are_written_as_cells_of_a_map(tmp_path: Path) -> None:
    domain, policy = GridDomain(0.0, 10.0, 0.5, 3, 2), Context.plain(6, 3.0)
    protocol = Protocol("", domain, ("all",), planned(policy, RandomizedResponse()))
    (tmp_path / "protocol.json").write_text(protocol.to_json(), "utf-8")
    (tmp_path / "counts.csv").write_text("report,n\n0,400\n1,9\n3,30\n5,200\n", "utf-8")
    for name in ("cells.geojson", "cells.csv"):
        done = caldp("estimate", tmp_path / "protocol.json", "--histogram", tmp_path / "counts.csv",
                     "-o", tmp_path / name)  # fmt: skip
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


WRONG = ("report,n\n4,1\n", "report,n\n-4,1\n", "report,n\nx,1\n", "report,n\n1,-1\n",
         "report,n\n1,x\n", "report,n\n1,2\n1,3\n", "report,n\n1\n",
         "report,n\n1,9999999999999999\n", "report\n1\n")  # fmt: skip


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
        done = caldp("estimate", tmp_path / "p.json", tmp_path / "t.json", *way,
                     "--record", tmp_path / "record.json")  # fmt: skip
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
    wrong = caldp("estimate", tmp_path / "p.json", tmp_path / "t.json", "--estimator", "simplex",
                  "--prior", tmp_path / "last year.csv")  # fmt: skip
    assert (wrong.exit_code, "is for the estimator cascade-map" in wrong.stderr) == (2, True)
    other = caldp("estimate", tmp_path / "p.json", tmp_path / "t.json", "--estimator", "cascade",
                  "--q", "0.01", "--record", tmp_path / "record.json")  # fmt: skip
    ways = {q: estimate_table(protocol, collected, 0.95, "cascade", Options(false_share=q))
            for q in (0.01, 0.2)}  # fmt: skip
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
