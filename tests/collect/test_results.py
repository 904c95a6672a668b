"""What the page of a collection's results reads: tallies or an estimate, and nothing unlike."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from caldp_core import CaldpError, Protocol, intervals
from caldp_core.collect.collected_tally import CollectedTally
from caldp_core.collect.estimate import (
    Tallies,
    UploadedEstimate,
    estimate_table,
    made_up_week,
    read_collection,
)
from caldp_core.collect.record import make_record
from caldp_core.datasets.shipped import DATA_FOLDER
from caldp_core.experiments.table import as_csv
from tests.collect.protocols import labelled, small
from tests.contract.checks import naming

WEEK = DATA_FOLDER / "made_up_week"
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def read_files(*names: str, folder: Path = WEEK) -> list[tuple[str, bytes]]:
    return [(name, (folder / name).read_bytes()) for name in names]


PROTOCOL = read_files("protocol.json")
MONDAY, TUESDAY = read_files("monday.tally.json", "tuesday.tally.json")


@pytest.fixture(scope="module")
def estimate() -> dict[str, bytes]:
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
        ("tuesday", 18_000), ("monday", 24_000),
    ]  # fmt: skip
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


def test_an_estimate_says_what_its_tallies_say(estimate: dict[str, bytes]) -> None:
    found = read_collection([*PROTOCOL, *estimate.items()])
    assert isinstance(found, UploadedEstimate)
    results, right = found.results(0.5), made_up_week().results(0.9)
    assert (results.level, results.reports) == (0.9, right.reports)
    for mine, theirs in ((results.shares, right.shares), (results.low, right.low)):
        np.testing.assert_array_equal(mine, theirs)
    assert results.refused == right.refused
    assert results.lower_bounds is None
    alone = read_collection([*PROTOCOL, ("estimate.csv", estimate["estimate.csv"])])
    assert alone.results(0.9).refused is None


def edit(data: bytes, change: Callable[[str], str]) -> bytes:
    text = data.decode()
    assert change(text) != text
    return change(text).encode()


def test_what_does_not_belong_together_is_told_in_a_sentence(estimate: dict[str, bytes]) -> None:
    table = estimate["estimate.csv"]
    other = labelled("oue", ("a", "b", "c")).to_json().encode()
    few = table.replace(b"\r\n9,", b"\r\n8,")
    record = estimate["record.json"]

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
        "is of another protocol": [*PROTOCOL, ("estimate.csv", table), ("record.json", edit(
            record, lambda text: text.replace('"protocol": "', '"protocol": "0')))],
        "another privacy than": [*PROTOCOL, ("estimate.csv", table), ("record.json", edit(
            record, lambda text: text.replace('"epsilon_most": 1', '"epsilon_most": 0')))],
        "another if_mixed than": [*PROTOCOL, ("estimate.csv", table), ("record.json", edit(
            record, lambda text: text.replace('"epsilon_of_one_report": ', '"epsilon_of_one": ')))],
        "no report_counts that can be right": [*PROTOCOL, ("estimate.csv", table), ("record.json",
            edit(record, lambda text: text.replace('"honest_mean": [', '"honest_mean": [-1, ')))],
        "belong together": [*PROTOCOL, ("estimate.csv", table), ("record.json", edit(
            record, lambda text: text.replace('"reports": 100000', '"reports": 99999')))],
    }  # fmt: skip
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
