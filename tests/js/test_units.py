"""What Python says of the same things, for the tests in Node: one JSON, by the test's own names."""

import base64
import json
import math
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import caldp_core
from caldp_core.basics.types import Ints
from caldp_core.collect import js
from caldp_core.collect.protocol import QUESTION_MAX, FamilyPlan, Protocol, TablePlan
from caldp_core.datasets import us_cities
from caldp_core.domain.domains import Area, Domain, GridDomain
from caldp_core.mechanisms.catalogue import FamilySpec, Galois, Rappor
from caldp_core.privacy.context import Context
from caldp_ui.room.question import PollQuestion, channel_of
from caldp_ui.room.view import question_message
from caldp_ui.stage import records
from caldp_ui.stage.records import Blob
from caldp_ui.values import page_state as answers
from tests.collect.protocols import SPECS, labelled, planned, small, tables
from tests.collect.test_client import NODE
from tests.ui.readings import shares_of

GRID = GridDomain(south=-3.3, west=10.1, cell=0.3, rows=11, columns=7)
QUESTION = PollQuestion("Which?", ("a", "b", "c", "d"), (0, 2, 3), 1.0)
_LINES = np.array([[10.5, -3.25], [11.0004, -3.0], [np.nan, np.nan], [12.0, 0.125], [10.1, 0.0]])
_DRAWN = [
    ["move", 10.5, -3.25],
    ["line", 11, -3],
    ["move", 12, 0.125],
    ["line", 10.1, 0],
]


def cases() -> dict[str, Any]:
    """By name what Node compares with; the same in every run."""
    rng = np.random.default_rng(20)
    return {
        "codes": _codes(rng),
        "blobs": _blobs(rng),
        "grid": _grid(rng),
        "squares": _squares(rng),
        "runs": [{"cells": cells.tolist(), "text": _cells(cells)} for cells in _sets(rng, 60)],
        "answers": [
            {"symbols": symbols.tolist(), "text": ";".join(answers.runs_of(symbols))}
            for symbols in _sets(rng, 60)
        ],
        "nearest": _nearest(rng),
        "protocols": [protocol.to_dict() for protocol in _protocols()],
        "coins": [_coins(QUESTION), _coins(PollQuestion("Odd?", ("yes", "no"), (0,), 2.5))],
    }


def _protocols() -> Iterator[Protocol]:
    """Of all families, with every number and sign that Python and JavaScript write differently."""
    yield from map(small, SPECS)
    yield from tables().values()
    for size in (*range(64), QUESTION_MAX):
        yield Protocol(
            "é" * size, Domain(2, ('\x7f\u2028"\\', "😀")), ("b",), _plan(2, Rappor(0.75))
        )
    yield Protocol("", GridDomain(-0.0, -1e-05, 0.5, 2, 2), ("b",), _plan(4, Galois(share=1.0)))
    levels = [[0.0, 1e-05, math.inf], [2.5e-07, 0.0, 0.0001], [1e17, 1e16, 0.0]]
    made = {"made_by": "hand", "whole": "1", "steps": [["1"]] * 3}
    plan = TablePlan.from_parts({"kind": "matrix", "rows": levels}, made)
    yield Protocol("", Domain(3), ("everything",), plan)


def _plan(k: int, spec: FamilySpec) -> FamilyPlan:
    return planned(Context.plain(k, 1.5), spec)


def _codes(rng: np.random.Generator) -> dict[str, Any]:
    sizes = 10 ** rng.uniform(-13, 0.5, 1500)
    edges = [0.0, 1.0, 7.0, records.SMALLEST, records.SMALLEST * (1 - 1e-9), 1e-300]
    shares = np.concatenate([edges, sizes, -sizes])
    code = records.codes(shares)
    return {
        "shares": shares.tolist(),
        "codes": code.tolist(),
        "values": shares_of(code).tolist(),
    }


def _blobs(rng: np.random.Generator) -> dict[str, Any]:
    shares, labels = rng.normal(0, 1, 40) ** 9, rng.integers(0, 2**32, 40)
    levels, many = (
        rng.integers(0, 6, 40, np.uint8),
        rng.normal(0, 1, 1001) ** 9,
    )  # two bytes a place
    mask = rng.random(43) < 0.5
    rows = [["Zürich", "“CH”", 47.4, 8.5], ["Nice\n", "", -1e-9, 0]]
    made: dict[str, tuple[Blob, Any]] = {
        "codes": (records.encode(shares), records.codes(shares).tolist()),
        "many-codes": (records.encode(many), records.codes(many).tolist()),
        "labels": (records.encode_labels(labels), labels.tolist()),
        "levels": (records.encode_levels(levels), levels.tolist()),
        "mask": (records.encode_mask(mask), mask.astype(int).tolist()),
        "rows": (records.encode_rows(rows), rows),
        "lines": (records.encode_lines(_LINES[:, 0], _LINES[:, 1]), _DRAWN),
    }
    return {
        name: {"parcel": base64.b64encode(records.pack_message({}, [blob])).decode(), "is": value}
        for name, (blob, value) in made.items()
    }


def _grid(rng: np.random.Generator) -> dict[str, Any]:
    area = GRID.area
    latitudes = rng.uniform(area.south - 0.5, area.north + 0.5, 400)
    longitudes = rng.uniform(area.west - 0.5, area.east + 0.5, 400)
    corners = [area.south + GRID.cell * row for row in range(GRID.rows)]  # on edges, with dust
    places = [*zip(latitudes, longitudes, strict=True), *((corner, 11.0) for corner in corners)]
    cells = GRID.locate(*map(np.array, zip(*places, strict=True))).tolist()
    home = [area.south, area.north, area.west, area.east]
    edges = {name: getattr(GRID, name) for name in ("south", "west", "cell", "rows", "columns")}
    return {
        "ground": {**edges, "home": home},
        "places": [[*place, cell] for place, cell in zip(places, cells, strict=True)],
        "boxes": [[*pair, _box(*pair)] for pair in rng.integers(0, GRID.k, (60, 2)).tolist()],
    }


def _box(one: int, other: int) -> list[float]:
    """The box around two cells: the smallest that has both of their middles in it, snapped."""
    rows, columns = (GRID.row_column([one, other])[axis].tolist() for axis in (0, 1))
    latitudes, longitudes = GRID.latitudes(), GRID.longitudes()
    middles = Area(
        latitudes[min(rows)] - 0.1,
        latitudes[max(rows)] + 0.1,
        longitudes[min(columns)] - 0.1,
        longitudes[max(columns)] + 0.1,
    )
    box = GRID.snap(middles)
    assert box is not None
    return [round(edge, 9) for edge in (box.south, box.north, box.west, box.east)]


def _sets(rng: np.random.Generator, count: int) -> Iterator[Ints]:
    for share in np.linspace(0, 1, count):
        yield np.flatnonzero(rng.random(50) < share)


def _cells(cells: Ints) -> str:
    """Runs that the page reads back as these cells, and no shorter text does."""
    pairs = (run.partition("-") for run in answers.runs_of(cells))
    text = ",".join(f"{first}+{int(last or first) - int(first) + 1}" for first, _, last in pairs)
    assert np.flatnonzero(records.parse_runs(text, 50)).tolist() == cells.tolist()
    return text


def _squares(rng: np.random.Generator) -> dict[str, Any]:
    """How many cells share each cell's number, in blocks and without."""
    levels = np.repeat(rng.integers(0, 4, GRID.k // 7 + 1), 7)[: GRID.k]
    row, column = GRID.row_column(np.arange(GRID.k))
    labels = np.where(row < 5, 0, 1 + column // 4)
    shared = []
    for blocks in (np.zeros(GRID.k, np.int64), labels):
        alone = np.where(levels == 0, np.arange(GRID.k), -1)
        which = np.stack([levels, row >> levels, column >> levels, blocks, alone], axis=1)
        _, own, sizes = np.unique(which, axis=0, return_inverse=True, return_counts=True)
        shared.append(sizes[own.ravel()].tolist())
    ground = {**vars(GRID), "home": {}}
    return {"ground": ground, "levels": levels.tolist(), "labels": labels.tolist(), "of": shared}


def _nearest(rng: np.random.Generator) -> dict[str, Any]:
    cities = us_cities()[:300]
    rows = [[city.name, city.region, city.latitude, city.longitude] for city in cities]
    places = []
    for _ in range(60):
        city = cities[rng.integers(len(cities))]
        near = city.latitude + rng.normal(0, 0.05), city.longitude + rng.normal(0, 0.05)
        off = [_km(*near, each.latitude, each.longitude) for each in cities]
        best, next_best = np.sort(off)[:2]
        if next_best > 1.2 * best + 1:  # so that a flat map finds the same
            places.append([*near, cities[int(np.argmin(off))].name, float(best)])
    assert len(places) > 40
    return {"cities": rows, "places": places}


def _km(*degrees: float) -> float:
    """Kilometres of the great circle between two places."""
    lat, lon, to_lat, to_lon = np.radians(degrees)
    cosine = np.sin(lat) * np.sin(to_lat) + np.cos(lat) * np.cos(to_lat) * np.cos(lon - to_lon)
    return float(6371.0 * np.arccos(min(1.0, cosine)))


def _coins(question: PollQuestion) -> dict[str, Any]:
    """Numbers around each threshold of the channel, and what they lead to; some are drawn again."""
    law = question_message(question)["law"]
    whole = int(law["whole"])
    pieces = -(-(whole - 1).bit_length() // 48)
    fair = (1 << 48 * pieces) // whole * whole
    draws = []
    for x, row in enumerate(channel_of(question)):
        sums = list(accumulate(int(q * whole) for q in row))
        assert sums[-1] == whole
        for r in sorted({0, *sums, *(s - 1 for s in sums)} - {whole, -1}):
            report = next(y for y, s in enumerate(sums) if r < s)
            beyond = [fair, (1 << 48 * pieces) - 1] if fair < 1 << 48 * pieces else []
            for first in ([], *([one] for one in beyond)):
                drawn = [*first, r]
                numbers = [piece for one in drawn for piece in _pieces(one, pieces)]
                draws.append({"x": x, "numbers": numbers, "report": report})
            draws.append({"x": x, "numbers": _pieces(fair - whole + r, pieces), "report": report})
    return {"law": law, "draws": draws}


def _pieces(drawn: int, pieces: int) -> Sequence[int]:
    """As a phone draws it, the highest first."""
    return [drawn >> 48 * place & (1 << 48) - 1 for place in reversed(range(pieces))]


HERE = Path(__file__).parent


@pytest.mark.slow
def test_modules_compute_what_they_say_and_what_python_says(tmp_path: Path) -> None:
    file = tmp_path / "cases.json"
    file.write_text(json.dumps(cases()), "utf-8")
    tests = sorted(str(path) for path in HERE.glob("*.test.js"))
    command = [str(NODE), "--import", str(HERE / "resolve.js"), "--test", "--test-reporter=spec"]
    done = subprocess.run(
        [*command, *tests],
        env={**os.environ, "CALDP_CASES": str(file)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    counts = dict(re.findall(r"^ℹ (\w+) (\d+)$", done.stdout, re.MULTILINE))
    assert done.returncode == 0, done.stdout.partition("failing tests:")[2] + done.stderr
    assert int(counts["pass"]) == int(counts["tests"]) >= 70, counts
    assert counts["skipped"] == "0"


PACKAGE = Path(js.__file__).parent
MODULES = Path(os.environ.get("CALDP_NODE_MODULES", HERE / "node_modules"))
DECLARE = (
    "--declaration --allowJs --emitDeclarationOnly --target es2023 --lib es2023,dom "
    "--module esnext --moduleResolution bundler --ignoreConfig"
)


@pytest.mark.slow
@pytest.mark.skipif(not (MODULES / "typescript").exists(), reason="npm install --prefix tests/js")
def test_the_clients_types_are_those_of_its_comments(tmp_path: Path) -> None:
    """Generated once, so that an editor reads them without our tools."""
    tsc = MODULES / "typescript" / "bin" / "tsc"
    command = [str(NODE), str(tsc), str(PACKAGE / "client.js"), *DECLARE.split()]
    subprocess.run([*command, "--outDir", str(tmp_path)], check=True, timeout=120)
    made = (tmp_path / "client.d.ts").read_text("utf-8")
    assert made == (PACKAGE / "client.d.ts").read_text("utf-8"), f"write it anew: tsc {DECLARE}"


def test_the_client_is_a_package_that_node_finds_by_its_name(tmp_path: Path) -> None:
    about = json.loads((PACKAGE / "package.json").read_text("utf-8"))
    assert (about["version"], about["private"]) == (caldp_core.__version__, True)
    home = tmp_path / "node_modules" / about["name"]
    home.mkdir(parents=True)
    for name in ("package.json", *about["files"]):
        (home / name).write_bytes((PACKAGE / name).read_bytes())
    protocol = labelled("hadamard", ("yes", "no"))
    (tmp_path / "protocol.json").write_text(protocol.to_json(), "utf-8")
    (tmp_path / "device.mjs").write_text(
        """import {readFile} from "node:fs/promises";
import {Client} from "caldp-client";
const protocol = JSON.parse(await readFile("protocol.json", "utf-8"));
console.log(JSON.stringify(new Client(protocol).message("no")));
""",
        "utf-8",
    )
    done = subprocess.run(
        [str(NODE), "device.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    message = json.loads(done.stdout)
    assert message["protocol"] == protocol.fingerprint[:16]
    assert message["report"] in range(protocol.mechanism.outputs)
