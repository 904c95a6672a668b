"""Large GeoJSON is read by a process of its own: a hostile file fills that, not the server."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from caldp_core.basics.aside import read_aside
from caldp_core.basics.errors import CaldpError
from caldp_core.datasets.files.geojson import areas_of, as_csv, read_polygons, table_of
from caldp_core.datasets.files.source import PAGE_BOUNDS, source_from_bytes
from tests import ROOT
from tests.contract.checks import naming

MEASURED = """
import json, resource, sys
from pathlib import Path
from caldp_core.basics.errors import CaldpError
from dataclasses import replace
from caldp_core.datasets.files.source import PAGE_BOUNDS
from caldp_core.datasets.reading import inspect_data
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    inspect_data(Path(sys.argv[1]).read_bytes(), replace(PAGE_BOUNDS, seconds=None))
    said = ""
except CaldpError as error:
    said = str(error)
whose = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
here, aside = (resource.getrusage(each).ru_maxrss for each in whose)
print(json.dumps([said, (here - before) / 1024, aside / 1024]))
"""
POINT = {"type": "Point", "coordinates": [2.3, 48.9]}


def feature(number: int) -> dict[str, Any]:
    return {"type": "Feature", "properties": {"n": number, "text": "é" * 20}, "geometry": POINT}


def collection(features: list[Any], **more: Any) -> bytes:
    return json.dumps({"type": "FeatureCollection", "features": features, **more}).encode()


@pytest.mark.parametrize(
    ("hostile", "words"),
    [
        (
            b'{"features": [{"geometry": {"coordinates": [' + b"[]," * 10_000_000 + b"[]]}}]}",
            "large",
        ),
        (b'{"features": [' + b'{"type": "Feature"},' * 1_000_000 + b"{}]}", "has none"),
        pytest.param(
            b'{"features": [], "more": [' + b"[]," * 10_000_000 + b"[]]}",
            "large",
            marks=pytest.mark.thorough,  # the lists of the first, in a place that is skipped
        ),
    ],
)
def test_a_hostile_file_fills_no_memory_but_a_bounded_process(
    tmp_path: Path, hostile: bytes, words: str
) -> None:
    path = tmp_path / "hostile.geojson"
    path.write_bytes(hostile)
    command = [sys.executable, "-c", MEASURED, str(path)]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    said, here, aside = json.loads(found.stdout)
    assert words in said
    assert here < 4 * len(hostile) / 2**20 + 20
    assert aside < 600


def test_a_large_file_is_the_table_and_the_areas_that_it_is_in_this_process() -> None:
    many = collection([feature(number) for number in range(6_000)])
    assert as_csv(source_from_bytes(many, "x"), PAGE_BOUNDS).head(2**22) == table_of(many, "x")
    ring = [[0, 0], [0, 1], [1, 1], [0, 0]]
    shapes = [
        {"properties": {"name": f"a{n}"}, "geometry": {"type": "Polygon", "coordinates": [ring]}}
        for n in range(90)
    ]
    areas = collection(shapes, padding="x" * 600_000)
    assert read_polygons(areas, "x") == areas_of(areas, "x")
    with pytest.raises(CaldpError, match=r"'a\.geojson' must be GeoJSON with polygons"):
        read_polygons(collection([], padding="x" * 600_000), "a.geojson")


def test_features_one_by_one_are_those_of_the_whole_document() -> None:
    crs = {"properties": {"name": "urn:ogc:def:crs:OGC:1.3:CRS84"}}
    texts = {
        "spaces": json.dumps({"features": [feature(1), feature(2)], "crs": crs}, indent=3),
        "alone": json.dumps(feature(1)),
        "bare": json.dumps(POINT),
        "others": json.dumps({"features": [1, None, [], feature(3)], "bbox": [1, 2]}),
        "marked": "\ufeff" + json.dumps({"features": [feature(4)]}),
    }
    rows = {"spaces": 2, "alone": 1, "bare": 1, "others": 1, "marked": 1}
    for name, text in texts.items():
        with naming(name):
            table = table_of(text.encode(), "x").decode().splitlines()
            assert len(table) == 1 + rows[name]
            assert all(row.startswith("48.9,2.3") for row in table[1:])
    whole = collection([feature(1)]).decode()
    broken = (whole[:-1], whole + "x", whole.replace("[{", "[,{"), whole.replace("}]", "},]"))
    for text in (*broken, "{", '{"features"}', '{"features": [}', "{1: 2}", "[]"):
        with naming(text), pytest.raises(CaldpError, match="not valid JSON"):
            table_of(text.encode(), "x")
    with pytest.raises(CaldpError, match="places must be in degrees"):
        table_of(collection([feature(1)], crs={"properties": {"name": "EPSG:25832"}}), "x")


READER = """
import os, sys, time
from pathlib import Path
from caldp_core.basics.aside import run_reader

def read(data):
    mark = Path(data.decode())
    mark.touch(exist_ok=False)  # fails where another one reads
    time.sleep(0.1)
    mark.unlink()
    return str(os.nice(0)).encode()

sys.exit(run_reader(read))
"""


def test_one_process_reads_at_a_time_and_after_others_of_the_machine(tmp_path: Path) -> None:
    reader, mark = tmp_path / "reader.py", str(tmp_path / "reading").encode()
    reader.write_text(READER)
    with ThreadPoolExecutor(3) as threads:
        readings = [threads.submit(read_aside, reader, (), mark, 512, None) for _ in range(3)]
    assert {int(each.result()) for each in readings} == {os.nice(0) + 10}
