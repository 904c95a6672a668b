"""The JavaScript client: the Python client's reports from the same coins, and exact laws."""

import hashlib
import json
import subprocess
import unicodedata
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import playwright
import pytest

import caldp_core.collect
from caldp_core.collect.client import normal_name
from caldp_core.collect.device import NUMBER, NUMBER_RANGE, DrawnCoins, as_text
from caldp_core.collect.protocol import TABLE, Protocol
from caldp_core.domain.grid import GridDomain
from caldp_core.mechanisms.catalogue import RandomizedResponse
from caldp_core.privacy.context import Context
from tests import ROOT
from tests.collect.laws import stated
from tests.collect.protocols import SPECS, labelled, planned, small, tables
from tests.collect.vectors import vectors
from tests.collect.written import in_base64
from tests.contract.checks import naming
from tests.contract.contexts import CONTEXTS

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
        input=json.dumps(payload), capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
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
    made = vectors()
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
            {sent: sum(n * Fraction(chance) for chance, n in Counter(chances).items())
             for sent, chances in law} for law in laws
        ]  # fmt: skip
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
LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


def remembered(protocol: Protocol, asks: list[Any], stored: dict[str, str]) -> dict[str, Any]:
    """What a client with a memory sends to each ask, and what the memory then holds."""
    payload = {"client": str(CLIENT), "protocol": json.loads(protocol.to_json())}
    done = subprocess.run(
        [str(NODE), "--input-type=module", "-e", REMEMBER],
        input=json.dumps(payload | {"asks": asks, "stored": stored}),
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    output: dict[str, Any] = json.loads(done.stdout)
    return output


def test_a_memory_wants_names_and_keeps_their_digests() -> None:
    """Twelve people without a name on one browser sent one report."""
    protocol = labelled("oue", tuple(LETTERS))
    nobody = [["a"], ["a", ""], ["a", " \n"], ["a", None], ["a", 7], ["a", "Ann\ud800"]]
    names = [
        "Zoë",
        unicodedata.normalize("NFD", "Zoë"),
        "\tZoë\u3000",
        "\ufeffZoë\r\n",
        "ZOË",
        "周",
    ]
    asks = [*nobody, *([LETTERS[i], name] for i, name in enumerate(names))]
    output = remembered(protocol, asks, {})
    refused, sent = output["reports"][: len(nobody)], output["reports"][len(nobody) :]
    for each in refused:
        assert "give each a name of their own" in each["error"]
    assert len(set(sent[:4])) == 1
    assert len(set(sent[3:])) == 3
    right = (f"{protocol.fingerprint} {normal_name(name)}" for name in (names[0], *names[4:]))
    assert set(output["kept"]) == {f"caldp.{hashlib.sha256(e.encode()).hexdigest()}" for e in right}


def test_a_name_that_an_earlier_version_stored_gives_its_report_and_is_forgotten() -> None:
    protocol = labelled("oue", tuple(LETTERS))
    for spelled in ("Zoë", unicodedata.normalize("NFD", "Zoë"), "Zoë ", "\tZoë"):
        stored = {f"caldp.{protocol.fingerprint}.{spelled}": '"AAAA"', "theirs": "kept"}
        output = remembered(protocol, [["a", spelled], ["b", "Zoë"], ["c", spelled]], stored)
        with naming(repr(spelled)):
            assert output["reports"] == ["AAAA"] * 3
            (key,) = set(output["kept"]) - {"theirs"}
            assert "Zo" not in key


def test_it_is_one_small_file_that_asks_for_nothing() -> None:
    source = CLIENT.read_text("utf-8")
    assert len(source.encode()) <= 20_000
    for word in ("import ", "require(", "fetch(", "Math.random", "eval("):
        assert word not in source
