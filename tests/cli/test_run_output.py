"""`caldp run` asks for the place of its table before it works, and writes over nothing it read."""

import json
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner

from caldp_core.cli import run as command
from caldp_core.cli.commands import main

SCENARIO: Final = json.dumps(
    {
        "caldp_scenario": 2,
        "dataset": {"kind": "table", "names": ["a", "b"], "counts": [30, 70]},
        "policy": {"kind": "context", "blocks": {"kind": "one"}},
    }
)


def test_a_scenario_of_an_editor_on_windows_is_run(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(SCENARIO, "utf-8-sig")
    out = tmp_path / "out.csv"
    done = CliRunner().invoke(main, ["run", str(tmp_path / "s.json"), "--estimate", str(out)])
    assert done.exit_code == 0, done.output
    assert out.read_text("utf-8").startswith("number,answer,")


@pytest.mark.parametrize(
    ("estimate", "words"),
    [
        ("out.xlsx", "must end in .csv or .geojson, got 'out.xlsx'"),
        ("out", "must end in .csv or .geojson, got 'out'"),
        ("no/out.csv", "can't be written: No such file or directory"),
        ("same.csv", "'same.csv' is read by this command and would be lost"),
        ("out.geojson", "GeoJSON needs a map"),
    ],
)
def test_a_table_without_a_place_is_refused_before_the_run(
    estimate: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.json").write_text(SCENARIO, "utf-8")
    (tmp_path / "same.csv").symlink_to("s.json")
    before = sorted(tmp_path.iterdir())
    monkeypatch.setattr(command, "run", None)  # an error without a sentence, were it called
    done = CliRunner().invoke(main, ["run", "s.json", "--estimate", estimate])
    assert (done.exit_code, done.output.count("\n")) == (2, 1), done.output
    assert words in done.output
    assert sorted(tmp_path.iterdir()) == before


def test_areas_that_overlap_are_said_by_each_command_that_reads_them(tmp_path: Path) -> None:
    people = " ".join(f"{x}:5" for x in range(16))
    west, east, all_of_it = ((-100, -98), (-99, -96), (-100, -96))
    said = {}
    for name, areas in (("overlap", (west, east)), ("apart", (all_of_it,))):
        polygons = [f"40,{w} 40,{e} 44,{e} 44,{w}" for w, e in areas]
        policy = {"kind": "polygons", "names": ["west", "east"][: len(areas)], "polygons": polygons}
        scenario = {
            "caldp_scenario": 2,
            "dataset": {"kind": "places", "people": people, "area": "40,44,-100,-96", "cell": 1},
            "policy": {"kind": "context", "blocks": policy},
        }
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(scenario), "utf-8")
        for words in ("run", "audit", "protocol"):
            done = CliRunner().invoke(main, [words, str(path)])
            assert done.exit_code == 0, done.output
            said[name, words] = done.stderr
            if words != "protocol":
                found = json.loads(done.stdout).get("areas", [])
                assert "".join(f"Warning: {sentence}\n" for sentence in found) in done.stderr
                assert len(found) == (name == "overlap")
    # By hand: the second of four columns is in both.
    sentence = (
        "Warning: 4 cells lie in several areas and belong to the latest of them in the file: "
        "“east” takes 4 of “west”.\n"
    )
    assert all((sentence in text) == (name == "overlap") for (name, _), text in said.items())
