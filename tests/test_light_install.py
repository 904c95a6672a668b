"""Without the extras everything works, or one sentence says which extra to install."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from caldp_core.basics.extras import EXTRAS
from tests import ROOT, packages
from tests.collect import written
from tests.collect.protocols import small
from tests.datasets.files import GOOD
from tests.test_architecture import imports_of

REFUSED = {
    "map of Paris": "shapely",
    "map of Fiji": "shapely",
    "blocks of hexagons": "h3",
    "as GeoParquet": "pyarrow",
    "to pandas": "pandas",
    "tally of bytes": "pyarrow",
    "worker": "pyarrow",
    "Spark": "pyarrow",
}


def write_files(folder: Path) -> None:
    """What a light install reads."""
    for name, suffix in (("a workbook", "xlsx"), ("Parquet", "parquet"), ("GeoJSON", "geojson")):
        (folder / f"paris.{suffix}").write_bytes(GOOD[name])
    (folder / "snap.txt").write_text("0\t2010-10-19T23:55:27Z\t48.85\t2.35\t1\n" * 5, "utf-8")
    for name, family in (("numbers", "hadamard"), ("bytes", "rappor")):
        protocol = small(family)
        (folder / name).write_text(protocol.to_json(), "utf-8")
        sent = written.payloads(protocol, [0, 1, 2], seed=1)
        written.write(folder / f"{name}.parquet", sent)


def sentence_about(package: str) -> str:
    """A pattern: one sentence with the package and the command that installs its extra."""
    return (
        rf"[^.;]+ needs {package}; "
        rf"run pip install '\.\[{EXTRAS[package]}\]' in caldp's folder\."
    )


@pytest.mark.package
def test_a_light_install_works_or_names_the_extra(tmp_path: Path) -> None:
    write_files(tmp_path)
    command = [sys.executable, "-m", "tests.light_install", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    refusals = json.loads(done.stdout)
    assert refusals.keys() >= REFUSED.keys()
    right = {name: sentence_about(REFUSED[name]) if name in REFUSED else "" for name in refusals}
    assert not {
        name: sentence
        for name, sentence in refusals.items()
        if not re.fullmatch(right[name], sentence)
    }


def test_the_core_imports_what_it_depends_on_and_the_extras_that_it_names() -> None:
    found: set[str] = set()
    for path in (ROOT / "caldp_core").rglob("*.py"):
        found |= imports_of(path.read_text(encoding="utf-8"))
    depended = {name.replace("-", "_") for name in packages.DEPENDENCIES}
    assert found - sys.stdlib_module_names - depended - {"caldp_core"} == EXTRAS.keys()
    for package, extra in EXTRAS.items():
        assert package in packages.EXTRAS[extra]
