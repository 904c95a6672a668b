"""Devices in Python and in JavaScript: equal reports from equal coins, and their exact laws."""

import base64
import hashlib
import json
import os
import shutil
import stat
import subprocess
import unicodedata
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import numpy as np
import playwright
import pytest

import caldp_core.collect
from caldp_core import CaldpError, Client, Protocol, Scenario, prepare
from caldp_core.audit.pairwise import audit_channel
from caldp_core.collect import device
from caldp_core.collect.client import PLANNED, VERSION_KEY, normal_name
from caldp_core.collect.collected_tally import CollectedTally
from caldp_core.collect.collector import tally_files
from caldp_core.collect.device import NUMBER, NUMBER_RANGE, Device, DrawnCoins, as_text
from caldp_core.collect.estimate import estimate_table
from caldp_core.collect.protocol import PROTOCOL_KEY, REPEATED, TABLE
from caldp_core.collect.questions import Questions
from caldp_core.domain.domains import GridDomain
from caldp_core.mechanisms.catalogue import RandomizedResponse
from caldp_core.privacy.context import Context
from tests import ROOT
from tests.collect.protocols import (
    SPECS,
    in_base64,
    labelled,
    planned,
    sent_by,
    small,
    stated,
    tables,
)
from tests.collect.vectors import vectors
from tests.contract.checks import CONTEXTS, naming

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
        [1.5, 12.5],
        np.array([1.5, 12.5]),
        np.array([1.5, 12.5], np.float32),
        (1, 12),
        (np.float32(1.5), np.float32(12.5)),
        [np.int64(1), Fraction(25, 2)],
    )
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
    lines = (
        "garbage",
        "[1]",
        "[" * 100_000,
        '{"protocol": 1, "person": "a", "report": 1}',
        '{"protocol": "a", "person": "a", "report": [1]}',
        '{"protocol": "a"}',
    )
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


@pytest.mark.parametrize("family", SPECS)
def test_a_device_sends_exactly_what_the_channel_says(family: str) -> None:
    for kind in CONTEXTS:
        protocol = small(family, kind)
        with naming(kind):
            for symbol, law in enumerate(stated(protocol)):
                assert sent_by(protocol, symbol) == law


def test_a_table_sends_exactly_what_its_mechanism_says() -> None:
    for name, protocol in tables().items():
        with naming(name):
            for symbol, law in enumerate(stated(protocol)):
                assert sent_by(protocol, symbol) == law


def payload_channel(protocol: Protocol) -> list[list]:  # type: ignore[type-arg]
    laws = [sent_by(protocol, symbol) for symbol in range(protocol.domain.k)]
    payloads = sorted({payload for law in laws for payload in law}, key=repr)
    return [[law.get(payload, 0) for payload in payloads] for law in laws]


@pytest.mark.parametrize("family", SPECS)
def test_what_is_sent_keeps_the_policy_and_one_more_of_two_to_the_48th_would_not(
    family: str,
) -> None:
    protocol = small(family, epsilon=0.7)
    policy = protocol.mechanism.policy
    assert audit_channel(payload_channel(protocol), policy).holds
    assert isinstance(protocol.device, Device)
    name, by = ("truth", 1) if "truth" in protocol.device.blocks[0] else ("cover", -1)
    blocks = [{**of, name: of[name] + by * (of[name] > 0)} for of in protocol.device.blocks]
    device = Device(
        protocol.plan.name,
        protocol.format.oracle_count,
        blocks,
        protocol.device.block_of,
        protocol.device.rank_of,
    )
    wrong = replace(protocol, plan=replace(protocol.plan))
    wrong.plan.__dict__["device"] = device
    assert not audit_channel(payload_channel(wrong), policy).holds


def test_coins_are_even_whatever_the_numbers_are() -> None:
    """All of a small source's numbers: how many lead to each result."""
    least = DrawnCoins(iter((0, 4, 5, NUMBER_RANGE - 1)).__next__)
    assert [least.flip(5) for _ in range(4)] == [True, True, False, False]
    numbers = iter(
        [NUMBER_RANGE - 1, 7]
    )  # 2^48 − 1 is above the largest multiple of 3 … 2^48 = 1 mod 3
    assert DrawnCoins(numbers.__next__).uniform_below(3) == 1
    wide = iter([1, 5])
    assert DrawnCoins(wide.__next__).uniform_below(NUMBER_RANGE**2) == NUMBER_RANGE + 5
    assert DrawnCoins().uniform_below(1) == 0
    # Below 2^48 + 1 two numbers are drawn, and 2^96 mod that is 1: the largest is drawn again.
    again = iter([NUMBER_RANGE - 1, NUMBER_RANGE - 1, 0, 6])
    assert DrawnCoins(again.__next__).draw_step([6, 7, NUMBER_RANGE + 1], NUMBER_RANGE + 1) == 1


NODE: Final = Path(playwright.__file__).parent / "driver" / "node"
"""The one that Playwright brings."""
CLIENT: Final = Path(caldp_core.collect.__file__).parent / "js" / "client.js"
PROTOCOLS: Final = [
    *(small(family, kind) for family in SPECS for kind in CONTEXTS),
    *tables().values(),
]


GRIDS: Final = (
    GridDomain(-20.0, 170.0, 2.5, 4, 8),  # on to 170° W
    GridDomain(-90.0, -180.0, 30.0, 6, 12),
    GridDomain(-30.0, -180.0, 30.0, 2, 3),
)
PLACES: Final = [
    [latitude, longitude]
    for latitude in (-91.0, -20.0, -17.6, -15.0, -10.0, 0.0, 90.0)
    for longitude in (-190.0, -180.0, -177.6, -170.0, -95.2, 0.1, 169.9, 170.0, 178.4, 180.0, 189.9)
]


def map_of(grid: GridDomain) -> Protocol:
    plan = planned(Context.plain(grid.k, 1.0), RandomizedResponse())
    return Protocol("", grid, ("all",), plan)


def in_node(**inputs: Any) -> dict[str, Any]:
    payload = {"client": str(CLIENT), "vectors": [], "protocols": [], "places": []} | inputs
    done = subprocess.run(
        [str(NODE), str(Path(__file__).with_name("harness.mjs"))],
        input=json.dumps(payload),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def output() -> dict[str, Any]:
    protocols = [protocol.to_dict() for protocol in PROTOCOLS]
    places = [{"protocol": map_of(grid).to_dict(), "answers": PLACES} for grid in GRIDS]
    return in_node(vectors=vectors(), protocols=protocols, places=places)


def test_the_file_of_vectors_is_what_the_python_client_draws() -> None:
    """From the file's own protocols: floats of a table's channel differ from machine to machine."""
    held = json.loads((ROOT / "docs" / "reports.vectors.json").read_text("utf-8"))
    *made, several = vectors()
    assert held.pop() == several
    for each, right in zip(held, made, strict=True):
        protocol = Protocol.from_dict(each["protocol"])
        if protocol.plan.name != TABLE:
            assert each == right
        for case in each["cases"]:
            numbers = iter(case["numbers"])
            sent = protocol.device.draw(case["value"], DrawnCoins(lambda: next(numbers)))  # noqa: B023
            with naming(f"{protocol.plan.name}, {case}"):
                assert as_text(protocol.format.encode(*sent)) == case["report"]
                assert not list(numbers)


def test_it_draws_what_the_vectors_say(output: dict[str, Any]) -> None:
    assert output["wrong"] == []
    changed = vectors()[0]
    changed["cases"][0]["report"] += 1
    changed["cases"][1]["numbers"].append(0)
    assert in_node(vectors=[changed])["wrong"] == changed["cases"][:2]


def test_it_sends_exactly_what_the_channel_says(output: dict[str, Any]) -> None:
    for protocol, laws in zip(PROTOCOLS, output["laws"], strict=True):
        is_number = protocol.format.kind == NUMBER
        right = [
            {(sent if is_number else in_base64(sent)): chance for sent, chance in law.items()}  # type: ignore[arg-type]
            for law in stated(protocol)
        ]
        found = [
            {
                sent: sum(n * Fraction(chance) for chance, n in Counter(chances).items())
                for sent, chances in law
            }
            for law in laws
        ]
        with naming(f"{protocol.plan.name}, {protocol.domain.k}"):
            assert found == right


def test_places_are_in_the_cells_that_maps_have(output: dict[str, Any]) -> None:
    latitudes, longitudes = zip(*PLACES, strict=True)
    for grid, found in zip(GRIDS, output["cells"], strict=True):
        right = grid.locate(latitudes, longitudes).tolist()
        with naming(str(grid)):
            assert [-1 if cell is None else cell for cell in found] == right
            assert len(set(right)) > 4


def test_its_numbers_are_the_systems_and_its_coins_even(output: dict[str, Any]) -> None:
    numbers = output["numbers"]
    assert all(0 <= number < NUMBER_RANGE for number in numbers)
    assert len(set(numbers)) == len(numbers)  # 200 of 2^48 meet once in 10^10 runs
    for bit in range(48):
        assert len({number >> bit & 1 for number in numbers}) == 2
    assert (output["below"], output["among"]) == (1, 1)


REMEMBER: Final = """
import {readFileSync} from "node:fs";
import {pathToFileURL} from "node:url";
const {client, protocol, asks, stored} = JSON.parse(readFileSync(0, "utf8"));
const {Client} = await import(pathToFileURL(client));
const kept = new Map(Object.entries(stored));
const memory = {getItem: key => kept.get(key) ?? null, setItem: (key, text) => kept.set(key, text),
    removeItem: key => kept.delete(key)};
const device = new Client(protocol, {memory});
const reports = asks.map(([answer, ...person]) => {
    try { return device.report(answer, ...person); }
    catch (error) { return {error: error.message}; }
});
process.stdout.write(JSON.stringify({reports, kept: Object.fromEntries(kept)}));
"""
JAVASCRIPT_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


def remembered(protocol: Protocol, asks: list[Any], stored: dict[str, str]) -> dict[str, Any]:
    """What a client with a memory sends to each ask, and what the memory then holds."""
    payload = {"client": str(CLIENT), "protocol": json.loads(protocol.to_json())}
    done = subprocess.run(
        [str(NODE), "--input-type=module", "-e", REMEMBER],
        input=json.dumps(payload | {"asks": asks, "stored": stored}),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    output: dict[str, Any] = json.loads(done.stdout)
    return output


def test_a_memory_wants_names_and_keeps_their_digests() -> None:
    """Twelve people without a name on one browser sent one report."""
    protocol = labelled("oue", tuple(JAVASCRIPT_LETTERS))
    nobody = [["a"], ["a", ""], ["a", " \n"], ["a", None], ["a", 7], ["a", "Ann\ud800"]]
    names = [
        "Zoë",
        unicodedata.normalize("NFD", "Zoë"),
        "\tZoë\u3000",
        "\ufeffZoë\r\n",
        "ZOË",
        "周",
    ]
    asks = [*nobody, *([JAVASCRIPT_LETTERS[i], name] for i, name in enumerate(names))]
    output = remembered(protocol, asks, {})
    refused, sent = output["reports"][: len(nobody)], output["reports"][len(nobody) :]
    for each in refused:
        assert "give each a name of their own" in each["error"]
    assert len(set(sent[:4])) == 1
    assert len(set(sent[3:])) == 3
    right = (f"{protocol.fingerprint} {normal_name(name)}" for name in (names[0], *names[4:]))
    assert set(output["kept"]) == {f"caldp.{hashlib.sha256(e.encode()).hexdigest()}" for e in right}


def test_a_name_that_an_earlier_version_stored_gives_its_report_and_is_forgotten() -> None:
    protocol = labelled("oue", tuple(JAVASCRIPT_LETTERS))
    for spelled in ("Zoë", unicodedata.normalize("NFD", "Zoë"), "Zoë ", "\tZoë"):
        stored = {f"caldp.{protocol.fingerprint}.{spelled}": '"AAAA"', "theirs": "kept"}
        output = remembered(protocol, [["a", spelled], ["b", "Zoë"], ["c", spelled]], stored)
        with naming(repr(spelled)):
            assert output["reports"] == ["AAAA"] * 3
            (key,) = set(output["kept"]) - {"theirs"}
            assert "Zo" not in key


def test_it_is_one_small_file_that_asks_for_nothing() -> None:
    source = CLIENT.read_text("utf-8")
    assert len(source.encode()) <= 23_500
    for word in ("import ", "require(", "fetch(", "Math.random", "eval("):
        assert word not in source


KEPT: Final = Path(__file__).with_name("kept")
FIRST: Final = sorted((KEPT / "1").iterdir())
PLANS: Final = sorted((KEPT / "2").iterdir())


def read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def answers(protocol: Protocol) -> list[Any]:
    return list(protocol.labels) or list(range(protocol.domain.k))


def in_javascript(folder: Path, protocol: Protocol) -> dict[str, str]:
    """What a browser's memory holds of the same people."""
    lines = map(json.loads, (folder / "memory.jsonl").read_text("utf-8").splitlines())
    mark = protocol.fingerprint
    return {
        f"caldp.{line['person']}": json.dumps(line["report"])
        for line in lines
        if line["protocol"] == mark
    }


def test_a_protocol_has_the_fingerprint_that_it_had() -> None:
    assert [folder.name for folder in FIRST] == ["blocks", "hadamard", "oue", "table"]
    assert [folder.name for folder in PLANS] == ["budget", "memo", "noisy-memo", "once"]
    for folder in FIRST + PLANS:
        data = read(folder / "protocol.json")
        protocol = Protocol.from_dict(data)
        with naming(folder.name):
            assert protocol.fingerprint == data["fingerprint"]
            assert protocol.to_dict() | {"caldp_version": data["caldp_version"]} == data
            assert data[PROTOCOL_KEY] == int(folder.parent.name)


def test_reports_are_counted_as_they_were(tmp_path: Path) -> None:
    for folder in FIRST:
        protocol = Protocol.from_file(folder / "protocol.json")
        output = tmp_path / f"{folder.name}.json"
        tally_files(protocol, [folder / "reports.jsonl"], output)
        old, new = (CollectedTally.from_file(p) for p in (folder / "tally.json", output))
        with naming(folder.name):
            assert (new.tally.n, new.refused, new.batches) == (40, old.refused, old.batches)
            assert sum(old.refused.values()) == 2
            np.testing.assert_array_equal(new.tally.counts, old.tally.counts)
            np.testing.assert_array_equal(new.buckets, old.buckets)
            assert (new.protocol, new.tally.fingerprint) == (old.protocol, old.tally.fingerprint)
            # A run goes on with it, and counts nothing twice.
            shutil.copy(folder / "tally.json", output)
            assert tally_files(protocol, [folder / "reports.jsonl"], output).files_skipped == 1
            shares = estimate_table(protocol, old, 0.95)["estimated share"]
            assert sum(map(float, shares)) == pytest.approx(1.0)  # type: ignore[arg-type]


def test_a_memory_sends_what_it_stored(tmp_path: Path) -> None:
    for folder in FIRST:
        protocol, sent = Protocol.from_file(folder / "protocol.json"), read(folder / "sent.json")
        memory = Path(shutil.copy(folder / "memory.jsonl", tmp_path / folder.name))
        client, last = Client(protocol, memory), answers(protocol)[-1]
        with naming(folder.name):
            assert {name: client.report(last, name) for name in sent} == sent
            assert memory.read_bytes() == (folder / "memory.jsonl").read_bytes()
            asks = [[last, name] for name in sent]
            output = remembered(protocol, asks, in_javascript(folder, protocol))
            assert output["reports"] == list(sent.values())


def test_a_plan_goes_on_from_what_it_stored(tmp_path: Path) -> None:
    for folder in PLANS:
        protocol, sent = Protocol.from_file(folder / "protocol.json"), read(folder / "sent.json")
        memory = Path(shutil.copy(folder / "memory.jsonl", tmp_path / folder.name))
        client, asked = Client(protocol, memory), answers(protocol)[:2]
        with naming(folder.name):
            for name, reports in sent.items():
                if folder.name == "budget":
                    with pytest.raises(CaldpError, match="1 a day and 2 in all"):
                        client.report(asked[0], name)
                elif folder.name == "noisy-memo":
                    assert client.report(asked[0], name) in (0, 1)  # the third of three
                    with pytest.raises(CaldpError, match="as many reports"):
                        client.report(asked[0], name)
                else:
                    assert [client.report(answer, name) for answer in asked] == reports


def test_several_questions_are_what_they_were(tmp_path: Path) -> None:
    folder = KEPT / "3" / "survey"
    data, sent = read(folder / "protocol.json"), read(folder / "sent.json")
    asked = Questions.from_dict(data)
    assert (asked.fingerprint, data[PROTOCOL_KEY]) == (data["fingerprint"], 3)
    memory = Path(shutil.copy(folder / "memory.jsonl", tmp_path / "memory"))
    client, last = Client(asked, memory), {n: e.labels[-1] for n, e in asked.protocols.items()}
    assert {name: client.report(last, name) for name in sent} == sent
    assert memory.read_bytes() == (folder / "memory.jsonl").read_bytes()


def test_a_file_of_a_later_version_is_refused(tmp_path: Path) -> None:
    """Never read as something else: an earlier version can't know what a later one means."""
    folder = KEPT / "2" / "memo"
    data = read(folder / "protocol.json")
    with pytest.raises(CaldpError, match=f"this file has {REPEATED + 1}"):
        Protocol.from_dict(data | {PROTOCOL_KEY: REPEATED + 1})
    tally = read(KEPT / "1" / "hadamard" / "tally.json")
    with pytest.raises(CaldpError, match="another format"):
        CollectedTally.from_dict(tally | {"caldp_tally": 2})
    line = json.loads((folder / "memory.jsonl").read_text("utf-8").splitlines()[0])
    (tmp_path / "memory").write_text(f"{json.dumps(line | {VERSION_KEY: PLANNED + 1})}\n", "utf-8")
    with pytest.raises(CaldpError, match="can't be used"):
        Client(Protocol.from_dict(data), tmp_path / "memory")
