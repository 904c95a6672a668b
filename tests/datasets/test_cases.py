"""Files as people have them, from file to number: as the page reads them, and as `caldp count`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import no_progress
from caldp_core.cli.commands import main
from caldp_core.datasets import OwnPlaces, OwnTable, inspect_data, read_places
from caldp_core.datasets.files.answers import CountedQuestions
from caldp_core.datasets.files.by_hand import Chosen
from caldp_core.datasets.files.checks.run import read_as_chosen
from caldp_core.datasets.files.source import source_from_bytes
from caldp_ui.places import prior
from caldp_ui.values.page import FORM
from tests.datasets.check_cases import ASKED, READ, Case
from tests.datasets.files import read_table

FOLDER: Final = Path(__file__).parent / "cases"


@dataclass(frozen=True)
class Kept:
    """What a file of the folder leads to: the sentence that refuses it, or people.

    `answers`: what has to be asked, and the answers; `header` and `types`: what has to be chosen.
    `counts`: some answers; `at`: some places in degrees, with the people there.
    """

    people: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    at: tuple[tuple[float, float, int], ...] = ()
    answers: Mapping[str, str] = field(default_factory=dict)
    header: bool | None = None
    types: Mapping[str, str] = field(default_factory=dict)
    refused: str = ""


YES_NO = {"yes": 120, "no": 340, "rather not say": 25}
SPLIT = {"one-column": "split"}
MUNICH = Kept(9, at=((48.137, 11.575, 2), (48.15, 11.6, 4)))
TOWNS = Kept(14, at=((40.7128, -74.006, 6), (40.67, -73.94, 5)), answers=SPLIT)
TIMELINE = Kept(refused="a Google Timeline; convert it to CSV")
SEVERAL = {"Bus; On foot": 2, "Bicycle; Bus": 2, "Bus": 1, "On foot": 1}
COMBINED = Kept(6, SEVERAL, answers={"several-choices": "combinations"})
BANDS = {"0-4": 410, "5-9": 398, "10-14": 377, "15-19": 402, "20-24": 455}
FROM_DATES = Kept(2042, BANDS, answers={"bands-as-dates": "bands"})
FILES: Final[dict[str, Kept]] = {
    "degree-sign.csv": Kept(11, at=((35.0116, 135.7681, 6), (34.6851, 135.8048, 3))),
    "dms.csv": Kept(11, at=((40.7128, -74.0061, 6), (42.358, -71.0636, 3))),
    "hemispheres.csv": Kept(11, at=((40.7128, -74.006, 6), (-12.0464, -77.0428, 3))),
    "one-column.csv": Kept(231, at=((48.8606, 2.3376, 120),), answers=SPLIT),
    "netherlands.csv": Kept(
        110, at=((51.9244, 4.4777, 30), (52.0907, 5.1214, 22)), answers={"exchanged": "exchange"}
    ),
    "longitudes-0-360.csv": Kept(
        40, at=((42.36, -71.06, 14), (39.74, -104.99, 11)), answers={"longitudes-360": "west"}
    ),
    "web-mercator.csv": Kept(answers={"metres": "keep"}, refused="No row of .* says a place"),
    "gb18030.csv": Kept(485, {"是": 120}, answers={"encoding": "gb18030"}),
    "windows-1251.csv": Kept(485, {"да": 120}, answers={"encoding": "cp1251"}),
    "sep-records.csv": Kept(5, {"yes": 3, "no": 2}),
    "sep-two-columns.csv": Kept(42, {"often": 12, "never": 30}),
    "travel.csv": Kept(8500, {"Car": 4210, "On foot": 1450}, answers={"total-row": "leave-out"}),
    "cases.csv": Kept(
        39,
        {"Ashford": 12, "Brookby": 0, "Elmside": 27},
        answers={"hidden-counts": "zero", "total-row": "leave-out"},
    ),
    "microsoft-forms.csv": COMBINED,
    "10_forms_id_as_people.csv": COMBINED,
    "survey.csv": Kept(
        111, {"18": 2}, answers={"no-answer-codes": "leave-out"}, types={"age": "answer"}
    ),
    "bands.csv": FROM_DATES,
    "bands.xlsx": FROM_DATES,
    "zips.csv": Kept(36, {"01949": 1, "02256": 1}, types={"zip": "answer"}),
    "weights.csv": Kept(10, {"rare 1": 1, "rare 5": 0}),
    "weighted-places.csv": Kept(14),
    "all-null.geojson": Kept(refused="must be GeoJSON with points"),
    "multipoint.geojson": Kept(
        7, at=((48.1, 11.5, 2), (48.1, 11.7, 2)), answers={"several-points": "once"}
    ),
    "points.geojson": Kept(9),
    "points.geojsonl": MUNICH,
    "records.json": MUNICH,
    "records.ndjson": MUNICH,
    "Records.json": TIMELINE,
    "Timeline.json": TIMELINE,
    "wkt.csv": TOWNS,
    "geojson-column.csv": TOWNS,
    "cover.xlsx": Kept(485, YES_NO),
    "places.kml": Kept(refused="a KML file; in QGIS"),
    "walk.gpx": Kept(refused="a GPX file; in QGIS"),
    "survey.numbers": Kept(refused="a file of Apple Numbers; in Numbers, export it"),
    "survey.sav": Kept(refused="a file of SPSS; in SPSS, save it as CSV"),
    "01_header_linebreak_answers.csv": Kept(240, {"daily": 120, "weekly": 80, "never": 40}),
    "02_header_linebreak_places.csv": Kept(3),
    "05_crosstab.csv": Kept(
        420, {"good": 240, "fair": 120, "poor": 60}, answers={"crosstab": "columns"}
    ),
    "08_id_becomes_people.csv": Kept(20, at=((48.19823, 11.52353, 1),), answers=SPLIT),
    "09_utm_EN.csv": Kept(20, answers={"metres": "keep", "people": "rows"}),
    "09b_e7.csv": Kept(20, at=((48.19823, 11.5235299, 1),), answers={"ten-millionths": "degrees"}),
    "11_gewicht_body_weight.csv": Kept(39, answers={"people": "rows"}, types={"alter": "answer"}),
    "12_age_minus99.csv": Kept(1890, answers={"no-answer-codes": "leave-out"}),
    "13_crs_ignored.geojson": Kept(refused="and places must be in degrees; save it as WGS 84"),
    "15_sep_line.csv": Kept(8, {"low": 5, "high": 2, "mid": 1}),
    "23.ods": Kept(50, {"low": 26, "high": 12, "mid": 12}),
    "26_euro.csv": Kept(2, {"15.639 €": 1, "57.902 €": 1}),
    "27_long_labels.csv": Kept(11, header=True),
}
IN_TEXT: Final = {**ASKED, **READ}


def of_case(case: Case) -> Kept:
    """What a case of one check leads to."""
    options = dict(zip(case.options[::2], case.options[1::2], strict=False))
    answers = {options["--accept"]: ""} if "--accept" in options else {}
    answers |= {case.check: case.answer} if case.check else {}
    types = {options["--answer"]: "answer"} if "--answer" in options else {}
    header = True if "--header" in case.options else None
    return Kept(case.people, case.counts or {}, (), answers, header, types)


def read_on_the_page(data: bytes, name: str, kept: Kept) -> OwnTable | OwnPlaces:
    """What the form of a page counts; the answers are all that it asks for."""
    chosen = Chosen(header=kept.header)
    opened = chosen.with_answers(kept.answers)
    file = inspect_data(source_from_bytes(data, name), chosen=opened)
    for column, kind in kept.types.items():
        chosen = chosen.with_column(file.names.index(column), kind)
    columns: Any = prior._FORM.columns if is_on_map(kept, file.has_places) else FORM.columns
    guess = columns.guess(file)
    if kept.answers.keys() - {"sheet", "encoding"}:
        assert read_as_chosen(file, guess, chosen, {}).unanswered
    found = read_as_chosen(file, guess, chosen, kept.answers)
    assert not found.unanswered
    assert found.remarks.keys() == kept.answers.keys()
    counted = columns.count(found.reading.file, found.reading.layout, "t", no_progress)
    assert not isinstance(counted, CountedQuestions)
    spec: OwnTable | OwnPlaces = counted.places if hasattr(counted, "places") else counted.table
    return spec


def is_on_map(kept: Kept, has_places: bool) -> bool:
    """Whether the file is brought to *Places on a map*."""
    is_place = {"one-column", "ten-millionths"} & kept.answers.keys()
    return bool(has_places or is_place) and "answer" not in kept.types.values()


def read_by_the_command(data: bytes, name: str, kept: Kept, out: Path) -> OwnTable | OwnPlaces:
    """What `caldp count` writes; raises `CaldpError` with what it says."""
    path = out / name
    path.write_bytes(data)
    counts = out / "counts.csv"
    options = ["--header"] if kept.header else []
    for column, kind in kept.types.items():
        options += ["--column", f"{column}={kind}"]
    for check, answer in kept.answers.items():
        options += ["--accept", f"{check}={answer}"]
    done = CliRunner().invoke(main, ["count", str(path), "-o", str(counts), *options])
    if done.exit_code:
        raise CaldpError(done.stderr)
    if "latitude" in json.loads(done.stdout)["columns"]:
        return read_places(counts).places
    return read_table(counts).table


def assert_is(found: OwnTable | OwnPlaces, kept: Kept) -> None:
    """The people, and where or with which answers they are."""
    if isinstance(found, OwnTable):
        assert sum(found.counts) == kept.people
        counts = dict(zip(found.names, found.counts, strict=True))
        assert {name: counts.get(name) for name in kept.counts} == kept.counts
        return
    assert found.counts().sum() == kept.people
    for latitude, longitude, people in kept.at:
        (cell,) = found.grid().locate([latitude], [longitude])
        assert found.counts()[cell] == people


@pytest.mark.parametrize("name", [*FILES, *IN_TEXT])
def test_a_file_leads_to_its_number_on_the_page_and_by_the_command(
    name: str, tmp_path: Path
) -> None:
    case = IN_TEXT.get(name)
    kept = FILES[name] if case is None else of_case(case)
    data = (FOLDER / name).read_bytes() if case is None else case.text.encode()
    file = name if case is None else case.name
    if not kept.refused:
        assert_is(read_on_the_page(data, file, kept), kept)
        if case is None:  # the command reads the others in `tests/cli/test_checks.py`
            assert_is(read_by_the_command(data, file, kept, tmp_path), kept)
        return
    with pytest.raises(CaldpError, match=kept.refused):
        read_on_the_page(data, file, kept)
    with pytest.raises(CaldpError, match=kept.refused):
        read_by_the_command(data, file, kept, tmp_path)


def test_every_file_of_the_folder_is_read() -> None:
    assert set(FILES) == {path.name for path in FOLDER.iterdir()}
