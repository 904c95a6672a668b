"""The Python client: labels in, reports out, the same again where it is asked to remember."""

import base64
import hashlib
import json
import os
import stat
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caldp_core import CaldpError, Client, Protocol, Scenario, prepare
from caldp_core.collect import device
from caldp_core.domain.grid import GridDomain
from caldp_core.mechanisms.catalogue import RandomizedResponse
from caldp_core.privacy.context import Context
from tests import ROOT
from tests.collect.protocols import SPECS, labelled, planned, small
from tests.contract.checks import naming

LABELS = ("flu", "cold", "none")


@pytest.fixture
def never(monkeypatch: pytest.MonkeyPatch) -> None:
    """Coins that always fall as the largest number."""
    monkeypatch.setattr(os, "urandom", lambda n: b"\xff" * n)


def on_a_map() -> Protocol:
    spec = RandomizedResponse()
    domain, policy = GridDomain(0.0, 10.0, 1.0, 2, 3), Context.plain(6, 1.0)
    return Protocol("", domain, ("all",), planned(policy, spec))


def test_answers_are_labels_numbers_or_places(never: None) -> None:
    by_label = Client(labelled("randomized-response", LABELS))
    assert [by_label.report(label) for label in LABELS] == [0, 1, 2]
    by_number = Client(small("randomized-response", "plain"))
    assert by_number.report(6) == 6
    assert Client(on_a_map()).report((1.5, 12.5)) == 5
    assert by_label.message("cold") == {
        "protocol": by_label.protocol.fingerprint[:16],
        "report": 1,
    }


def test_a_place_is_any_pair_of_numbers(never: None) -> None:
    pairs: tuple[Any, ...] = (
        [1.5, 12.5], np.array([1.5, 12.5]), np.array([1.5, 12.5], np.float32), (1, 12),
        (np.float32(1.5), np.float32(12.5)), [np.int64(1), Fraction(25, 2)],
    )  # fmt: skip
    for pair in pairs:
        with naming(repr(pair)):
            assert Client(on_a_map()).report(pair) == 5
    spec, earth = RandomizedResponse(), GridDomain(-90.0, -180.0, 90.0, 2, 4)
    client = Client(Protocol("", earth, ("all",), planned(Context.plain(8, 1.0), spec)))
    edges = ((90.0, 180.0), (-90.0, 180.0), (90.0, -180.0))
    assert [client.report(place) for place in edges] == [7, 3, 4]


def test_an_answer_that_is_none_is_refused_and_not_repeated() -> None:
    wrong: list[tuple[Protocol, Any]] = [
        (labelled("oue", LABELS), "plague"),
        (labelled("oue", LABELS), 1),
        (labelled("oue", LABELS), ["flu"]),
        (small("oue", "plain"), 7),
        (small("oue", "plain"), True),
        (on_a_map(), (50.25, 11.0)),
        (on_a_map(), (float("nan"), 11.0)),
        (on_a_map(), (-(10**400), 11.0)),
        (on_a_map(), (float("inf"), float("-inf"))),
        (on_a_map(), [1.5]),
        (on_a_map(), ["1.5", "12.5"]),
        (on_a_map(), b"\1\14"),
        (on_a_map(), {1.5: 0, 12.5: 0}),
        (on_a_map(), np.array([[1.5, 12.5]])),
        (on_a_map(), np.array(1.5)),
        (on_a_map(), (2.0, 11.0)),
        (on_a_map(), "plague"),
    ]
    for protocol, answer in wrong:
        with naming(repr(answer)), pytest.raises(CaldpError, match="The answer must be") as refused:
            Client(protocol).report(answer)
        assert "plague" not in str(refused.value)
        assert "50.25" not in str(refused.value)


def test_reports_come_from_the_operating_systems_randomness(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes: list[int] = []
    real = os.urandom

    def counted(n: int) -> bytes:
        sizes.append(n)
        return real(n)

    monkeypatch.setattr(os, "urandom", counted)
    for family in SPECS:
        before = len(sizes)
        report = Client(small(family)).report(1)
        assert len(sizes) > before
        if isinstance(report, str):
            assert len(base64.b64decode(report, validate=True)) == small(family).format.size
    assert {device.system_number() < device.NUMBER_RANGE for _ in range(20)} == {True}


def test_who_is_remembered_sends_the_same_again_whatever_they_say(tmp_path: Path) -> None:
    protocol, file = labelled("oue", tuple("abcdefghijklmnopqrstuvwxyz")), tmp_path / "memory"
    client = Client(protocol, memory=file)
    first = [client.report("a", person="Ann"), client.report("a", person="Bob")]
    assert first[0] != first[1]  # by 26 coins each, alike once in a million
    again = Client(protocol, memory=file)
    assert [again.report("z", person=name) for name in ("Ann", "Bob")] == first
    other = Client(labelled("oue", tuple("zyxwvutsrqponmlkjihgfedcba")), memory=file)
    assert other.report("a", person="Ann") != first[0]
    assert Client(protocol, memory=file).report("a", person="Ann") == first[0]
    text = file.read_text("utf-8")
    assert len(text.splitlines()) == 3
    assert "Ann" not in text
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_who_is_nobody_shares_no_report_with_others(tmp_path: Path) -> None:
    client = Client(labelled("oue", LABELS), memory=tmp_path / "memory")
    nobody: tuple[Any, ...] = (None, float("nan"), 7, "", b"Ann", " \n", "\ufeff", "Ann\ud800")
    for person in nobody:
        with naming(repr(person)), pytest.raises(CaldpError, match="person must be a text"):
            client.report("flu", person=person)
    with pytest.raises(CaldpError, match="person must be a text"):
        client.message("flu")
    assert not (tmp_path / "memory").exists()
    assert Client(labelled("oue", LABELS)).report("flu")


LETTERS = tuple("abcdefghijklmnopqrstuvwxyz")
SPELLINGS = ("Zoë", unicodedata.normalize("NFD", "Zoë"), "Zoë ", "\tZoë\u3000", "\ufeffZoë\r\n")


def test_one_name_in_any_spelling_is_one_person(tmp_path: Path) -> None:
    client = Client(labelled("oue", LETTERS), memory=tmp_path / "memory")
    reports = [client.report(LETTERS[i], person=name) for i, name in enumerate(SPELLINGS)]
    assert len(set(reports)) == 1
    assert client.report("a", person="ZOË") != reports[0]
    assert len((tmp_path / "memory").read_text("utf-8").splitlines()) == 2


def test_a_memory_of_an_earlier_version_gives_what_it_stored(tmp_path: Path) -> None:
    """It knew a person by the digest of the name as it was spelled."""
    protocol = labelled("oue", LETTERS)
    for spelled in ("Zoë", unicodedata.normalize("NFD", "Zoë"), "Zoë ", "Zoë\r\n", "\tZoë"):
        key = hashlib.sha256(f"{protocol.fingerprint} {spelled}".encode()).hexdigest()
        line = {"protocol": protocol.fingerprint, "person": key, "report": "AAAA"}
        (tmp_path / "memory").write_text(f"{json.dumps(line)}\n", "utf-8")
        with naming(repr(spelled)):
            asked = (spelled, "Zoë") if spelled[0] == "\t" else ("Zoë", spelled)
            for name in (*asked, *SPELLINGS):
                assert Client(protocol, memory=tmp_path / "memory").report("a", name) == "AAAA"
            assert len((tmp_path / "memory").read_text("utf-8").splitlines()) <= 2


def test_workers_that_share_a_memory_send_one_report_a_person(tmp_path: Path) -> None:
    """A worker that did not know of another's lines wrote over them, and drew a second report."""
    protocol, file = labelled("oue", tuple("abcdefghijklmnopqrstuvwxyz")), tmp_path / "memory"
    clients = [Client(protocol, memory=file) for _ in range(4)]
    first = clients[0].report("a", person="Ann")
    assert clients[1].report("b", person="Bob") != first
    assert [each.report("z", person="Ann") for each in clients] == [first] * 4
    people = [f"person {number}" for number in range(60)]
    with ThreadPoolExecutor(len(clients)) as workers:
        sent = list(workers.map(lambda each: [each.report("c", who) for who in people], clients))
    assert sent == [sent[0]] * 4
    assert len(file.read_text("utf-8").splitlines()) == 62
    file.write_bytes(b"")
    with pytest.raises(CaldpError, match="can't be used: it is shorter than it was"):
        clients[0].report("a", person="Eve")


def test_a_line_that_was_cut_off_is_written_over(tmp_path: Path) -> None:
    protocol, file = labelled("galois", LABELS), tmp_path / "memory"
    first = Client(protocol, memory=file).report("flu", person="Ann")
    whole = file.read_bytes()
    file.write_bytes(whole + whole[:40])
    client = Client(protocol, memory=file)
    assert client.report("cold", person="Ann") == first
    client.report("cold", person="Bob")
    assert file.read_bytes().startswith(whole)
    assert {json.loads(line)["protocol"] for line in file.read_text().splitlines()} == {
        protocol.fingerprint
    }


def test_a_memory_that_is_none_is_refused(tmp_path: Path) -> None:
    protocol, file = labelled("oue", LABELS), tmp_path / "memory"
    lines = ("garbage", "[1]", "[" * 100_000, '{"protocol": 1, "person": "a", "report": 1}',
             '{"protocol": "a", "person": "a", "report": [1]}', '{"protocol": "a"}')  # fmt: skip
    for line in lines:
        file.write_text(f"{line}\n", "utf-8")
        with naming(line[:60]), pytest.raises(CaldpError, match=r"memory .* can't be used"):
            Client(protocol, memory=file)
    with pytest.raises(CaldpError, match="can't be used"):
        Client(protocol, memory=tmp_path)
    with pytest.raises(CaldpError, match="can't be used"):
        Client(protocol, memory=tmp_path / "no" / "folder").report("flu", "Ann")


def test_a_client_takes_the_path_of_a_protocol(tmp_path: Path) -> None:
    scenario = Scenario.from_file(ROOT / "examples" / "galois.json")
    made = Protocol.of(prepare(scenario))
    (tmp_path / "protocol.json").write_text(made.to_json(), "utf-8")
    client = Client(tmp_path / "protocol.json")
    report = client.report(3)
    assert isinstance(report, int)
    assert 0 <= report < made.mechanism.outputs
