"""Packs of a rehearsal: all files say what they are, and no word of them is of publishing."""

import io
import json
import re
import zipfile
from collections.abc import Iterator
from typing import Final

import numpy as np
import pytest
from PIL import Image

from caldp_core.basics.types import no_progress
from caldp_core.datasets import DatasetSpec, OwnPlaces, OwnTable
from caldp_core.scenarios.blocks import GroupBlocks, OneBlock
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.coarser import packs
from caldp_ui.coarser.outcomes import load_data
from caldp_ui.coarser.page_state import NOTHING, Publication, with_data
from caldp_ui.compute import runs
from caldp_ui.parts import pack, sharing
from caldp_ui.parts.comparison import load_fast_results
from caldp_ui.words.formats import PLACES, VALUES
from tests.contract.checks import naming
from tests.ui.test_own_files import PUBLISHING

GROUPS: Final = (*"xxxyyy",)
CELLS: Final = {0: 1, 14: 2, 29: 3, 30: 400, 70: 9, 100: 57, 143: 128}
MAP: Final = OwnPlaces(
    " ".join(f"{cell}:{people}" for cell, people in CELLS.items()),
    "48,49.2,11,12.2",
    0.1,
    "City",
)
TABLE: Final = OwnTable(
    tuple(f"{answer}; {group}" for group in "xy" for answer in "abc"),
    (128, 3, 57, 88, 2, 143),
    GROUPS,
    title="Clinic",
    reading="3 rows with “<5” were left out",
)


def files_of_scenario(spec: DatasetSpec) -> dict[str, str | bytes]:
    """What *Places on a map* and *Sensitive answers* put into the pack; blocks are open."""
    blocks = GroupBlocks() if isinstance(spec, OwnTable) else OneBlock()
    scenario = runs.with_dataset(Scenario(policy=ContextPolicy(OneBlock())), spec)
    scenario = scenario.with_context(blocks=blocks)
    ours = runs.result(scenario)
    areas = pack.areas_of_table(ours.setup) if isinstance(spec, OwnTable) else None
    nouns = VALUES if isinstance(spec, OwnTable) else PLACES
    content = sharing.ReportContent(ours, "It is so.", {}, by_area=pack.by_areas(ours, areas))
    report = sharing.audit_scenario(scenario, no_progress)
    return sharing.rehearsal_files(nouns, content, report, "")


def all_packs() -> Iterator[tuple[str, dict[str, str | bytes]]]:
    """Name and files of each pack that a page can make of a table and of a map."""
    for spec in (TABLE, MAP):
        yield f"{spec.title}: scenario", files_of_scenario(spec)
        data = load_data(with_data(Publication(), spec), load_fast_results)
        areas = pack.areas_of_table(data.setup) if spec is TABLE else None
        for treatment in data.treatments.keys() - {NOTHING}:
            yield f"{spec.title}: {treatment}", packs.files_of(data, treatment, areas)


def opened(files: dict[str, str | bytes]) -> dict[str, bytes]:
    """The members of the marked pack, as a visitor saves it."""
    with zipfile.ZipFile(io.BytesIO(pack.mark("pack.zip", pack.zip_of(files)))) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


@pytest.mark.slow
def test_each_file_of_each_pack_says_that_it_is_a_rehearsal() -> None:
    kinds = set()
    for name, files in all_packs():
        for member, data in opened(files).items():
            with naming(f"{name}: {member}"):
                text = data.decode()
                assert pack.LINE in text
                assert not PUBLISHING.search(f"{member} {text}")
                kinds.add(member.rpartition(".")[2])
                if member.endswith(".csv"):  # in every row, however they are sorted and cut
                    assert all(pack.LINE in row for row in text.splitlines()[1:])
                if member.endswith(".geojson"):
                    features = json.loads(text)["features"]
                    assert all(f["properties"]["internal"] == pack.LINE for f in features)
                if member.endswith(".html"):
                    assert not re.findall(r"<h2>[^<]*</h2>\s*(?=<h2>|$)", text)  # empty headings
                    assert "localhost" not in text
                    assert "127.0.0.1" not in text
                    assert "nobody but one's own device" not in text
                    assert "for all tables together" not in text
    assert kinds == {"csv", "geojson", "html", "json", "svg", "txt"}


def test_a_record_says_that_the_holder_of_the_list_is_to_be_trusted_and_how_it_was_read() -> None:
    record = opened(files_of_scenario(TABLE))["record.html"].decode()
    assert "its holder knows everything, and has to be trusted" in record
    data = load_data(with_data(Publication(), TABLE), load_fast_results)
    for treatment in data.treatments.keys() - {NOTHING}:
        with naming(treatment):
            files = packs.files_of(data, treatment, None)
            assert "3 rows with “&lt;5” were left out" in str(files["record.html"])
            assert "exact of true" not in str(files["record.html"])


def test_exact_totals_of_areas_are_called_exact() -> None:
    """They had stood under “estimated people”."""
    data = load_data(with_data(Publication(), TABLE), load_fast_results)
    areas = pack.areas_of_table(data.setup)
    exact = np.bincount([0, 0, 0, 1, 1, 1], TABLE.counts).astype(int).tolist()
    for treatment in data.treatments:
        found = packs.by_area(data, treatment, areas)
        assert found is not None
        with naming(treatment):
            assert not [title for title in found.columns if "estimated" in title]
            is_exact = treatment in ("nothing", "larger", "hide", "blocks")
            assert (set(found.columns["kind"]) == {"exact"}) == is_exact
            if is_exact:
                assert found.columns["people"] == exact


def test_a_marked_picture_is_below_its_band() -> None:
    files = files_of_scenario(MAP)
    svg = opened(files)["picture.svg"].decode()
    plain = str(files["picture.svg"])
    height = int(re.findall(r'height="(\d+)"', plain)[0])
    assert f'viewBox="0 0 440 {height + 24}"' in svg
    assert svg.index(pack.RED) < svg.index(plain)
    png = io.BytesIO()
    Image.new("RGB", (400, 10)).save(png, "PNG")
    assert pack.LINE.encode() in pack.mark("a.png", png.getvalue())
