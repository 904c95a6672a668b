"""A visitor's way from a file to a pack to publish, which is opened again and judged."""

import csv
import io
import json
import math
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from click.testing import CliRunner

from caldp_core.basics.types import no_progress
from caldp_core.cli.commands import main
from caldp_core.datasets import OwnTable, inspect_data, read_places
from caldp_core.datasets.files.maps import MapRequest
from caldp_core.datasets.files.places import count_places
from caldp_core.domain.domains import GridDomain
from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.blocks import OneBlock, PolygonBlocks, SensitiveNear
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.coarser.page_state import Publication, with_data
from caldp_ui.coarser.view import TITLES
from caldp_ui.compute.runs import summarize_privacy
from caldp_ui.maps.scene import BEGIN
from caldp_ui.parts import pack, sharing
from caldp_ui.places.controls import with_dataset
from caldp_ui.words.formats import PLACES
from tests.browser.conftest import OpenLink
from tests.browser.hands import STAGE, expect
from tests.servers import wait_until_settled
from tests.ui.test_own_files import NUMBER, texts

pytestmark = pytest.mark.browser
CLICKS_MAX = 8
ROWS = 3_000
RIDERS = 400
CENTRES = ((48.137, 11.575, 0.02), (48.26, 11.43, 0.01), (48.06, 11.68, 0.01))
DISTRICTS = {
    "Centre": ((11.4513, 48.0807), (11.6821, 48.0918), (11.6602, 48.2011), (11.4409, 48.1904)),
    "North-west": ((11.3603, 48.2013), (11.5008, 48.2104), (11.4911, 48.3117), (11.3602, 48.3109)),
    "South-east": ((11.6007, 48.0012), (11.7504, 48.0003), (11.7511, 48.0806), (11.6002, 48.0709)),
}
CELL = 0.01
WESTS = range(1137, 1167, 2)
"""Of strips, in hundredths of a degree."""
OUTSIDE = "Outside of all areas"
FILES = {
    "areas.csv",
    "areas.geojson",
    "areas.svg",
    "estimate.csv",
    "estimate.geojson",
    "picture.svg",
    "record.html",
}


def scooters() -> str:
    """Rows of rider, latitude and longitude around three centres."""
    rng = np.random.default_rng(7)
    near = rng.choice(3, ROWS, p=(0.7, 0.2, 0.1))
    middle = np.array(CENTRES)[near]
    places = middle[:, :2] + middle[:, 2:] * rng.standard_normal((ROWS, 2)) * (1, 1.5)
    riders = rng.integers(0, RIDERS, ROWS)
    rows = (f"r{r:04d},{y:.5f},{x:.5f}" for r, (y, x) in zip(riders, places, strict=True))
    return "\n".join(("rider_id,latitude,longitude", *rows))


def districts() -> str:
    """The polygons of the districts as GeoJSON."""
    features = [
        {
            "type": "Feature",
            "properties": {"name": name},
            "geometry": {"type": "Polygon", "coordinates": [[*corners, corners[0]]]},
        }
        for name, corners in DISTRICTS.items()
    ]
    return json.dumps({"type": "FeatureCollection", "features": features})


def scenario_of_the_page() -> Scenario:
    """What the page shows of the file at first."""
    return with_dataset(BEGIN, replace(read_places(scooters()).places, title="scooters"))


class Officer:
    """Clicks on a page, counted; a file that is chosen is a click."""

    def __init__(self, page: Any, folder: Path) -> None:
        self.page, self.folder, self.clicks = page, folder, 0

    def press(self, name: str, role: str = "button") -> None:
        self.clicks += 1
        found = self.page.get_by_role(role, name=re.compile(rf"\b{re.escape(name)}\b"))
        expect(found.filter(visible=True)).to_have_count(1)
        found.filter(visible=True).click()

    def pick(self, label: str) -> None:
        self.clicks += 1  # on the words: they lie over the button of a radio
        self.page.get_by_text(label).click()

    def choose(self, css: str, name: str, text: str) -> None:
        self.clicks += 1
        (self.folder / name).write_text(text, "utf-8")
        self.page.locator(f"{css} input[type=file]").set_input_files(self.folder / name)
        expect(self.page.locator(css).get_by_text(name)).to_be_visible()

    def bring(self, name: str, text: str) -> None:
        """The file is read, and asks what it has to ask."""
        self.press("Choose a file")
        self.choose(".st-key-places-own-file", name, text)
        self.press("Read the file")

    def show(self) -> None:
        self.press("Show it")
        self.page.wait_for_url("**own=*")

    def take_pack(self) -> tuple[bytes, dict[str, bytes]]:
        """The pack to publish, after no more clicks than are promised, and its files by name."""
        self.press("Share and export", "tab")
        with self.page.expect_download() as saved:
            self.press(pack.PACK_NAME)
        assert self.clicks <= CLICKS_MAX
        data = Path(saved.value.path()).read_bytes()
        files = unpacked(data)
        assert set(files) == FILES
        return data, files


def test_from_a_file_of_scooters_to_a_pack_to_publish(
    open_link: OpenLink, browser: Any, tmp_path: Path
) -> None:
    page = open_link("", ".st-key-start-ways button")
    officer = Officer(page, tmp_path)
    officer.bring("scooters.csv", scooters())
    officer.show()
    officer.press("By area", "tab")
    officer.choose(".st-key-places-areas-file", "districts.geojson", districts())
    expect(page.get_by_role("button", name="areas.csv")).to_be_visible()
    data, files = officer.take_pack()
    judge_cells(files, scenario_of_the_page(), tmp_path)
    judge_numbers(files)
    judge_truth(data, scenario_of_the_page(), in_districts)
    record = files["record.html"].decode()
    judge_record(browser, record)
    assert "This protects one row. A person may have several rows" in record
    page.get_by_text("Understand", exact=True).first.click()
    page.get_by_role("link", name="Noise, coarser, or nothing?").first.click()
    choose_option(page, page.locator(".st-key-coarser-preset input"), "Yours: scooters")
    officer.press("Share and export", "tab")
    expect(page.locator(".st-key-coarser-publish input")).to_have_value("Noise in blocks")
    wait_until_settled(page)
    for name in ("Larger cells", "Hide small counts", "Random rounding", "Central noise"):
        judge_treatment(browser, treatment_pack(page, name), name)


def judge_treatment(browser: Any, files: dict[str, bytes], name: str) -> None:
    """Areas are sums of published cells; bounds hold their true shares, as a narrower one may not.

    The areas that were brought on the map are those of each treatment.
    """
    assert {"areas.csv", "areas.geojson", "areas.svg"} <= set(files)
    places = scenario_of_the_page().dataset.load()
    assert places.counts is not None
    grid, people = places.domain, int(places.counts.sum())
    assert isinstance(grid, GridDomain)
    row, column = grid.row_column(np.arange(grid.k))
    inside = in_districts(grid.latitudes()[row], grid.longitudes()[column])
    areas = {each["area"]: each for each in rows_of(files["areas.csv"])}
    assert set(areas) == {*DISTRICTS, OUTSIDE}
    has_numbers = name in ("Random rounding", "Central noise")
    rows = rows_of(files["table.csv"]) if has_numbers else []
    cells = np.array([float([*each.values()][3]) for each in rows])
    for district, flags in inside.items():
        low, share, high = (float(areas[district][n]) for n in ("low", "estimated share", "high"))
        assert low <= share <= high
        if has_numbers:
            assert share == pytest.approx(cells[flags].sum() / people, abs=0.002)
        if float(areas[district]["level"]) == 1.0:
            assert low - 1e-9 <= places.counts[flags].sum() / people <= high + 1e-9
    is_bound = {float(each["level"]) == 1.0 for each in areas.values()}
    assert is_bound == {name in ("Larger cells", "Hide small counts")}
    record = files["record.html"].decode()
    assert ("(bound)" in record) == (True in is_bound)
    judge_paper(browser, record)


def test_a_record_of_many_areas_prints_on_one_page(browser: Any) -> None:
    edges = [(west / 100, (west + 2) / 100) for west in WESTS]
    strips = [f"48,{w} 48.3,{w} 48.3,{e} 48,{e}" for w, e in edges]
    names = [f"District number {number} of the city" for number in range(len(strips))]
    ours, spec = run(prepare(scenario_of_the_page())), PolygonBlocks(tuple(names), tuple(strips))
    by_area = pack.by_areas(ours, pack.areas_of_map(ours.setup, spec))
    content = sharing.ReportContent(ours, "", {}, by_area=by_area)
    audit = sharing.AuditReport(summarize_privacy(ours.setup.scenario, no_progress), None)
    record = sharing.publishable_html(PLACES, content, audit, "http://127.0.0.1:8501/places?" * 4)
    assert "more areas in areas.csv" in record
    judge_record(browser, record)


PATIENTS = 2_900
CLINICS = {
    "Clinic North": (48.15, 11.56),
    "Clinic at the river, women's ward": (48.132, 11.585),
    "Clinic West": (48.14, 11.545),
}
METRES = 300
RIVER = {"type": "LineString", "coordinates": [[11.53127, 48.12519], [11.59713, 48.15737]]}


def patients() -> str:
    """Places of patients, two thirds of them at a clinic."""
    rng = np.random.default_rng(9)
    middles = np.array([*CLINICS.values(), (48.14, 11.565)])
    spreads = np.array([[0.0008, 0.001]] * len(CLINICS) + [[0.006, 0.009]])
    at = rng.choice(len(middles), PATIENTS, p=(0.3, 0.25, 0.1, 0.35))
    places = middles[at] + spreads[at] * rng.standard_normal((PATIENTS, 2))
    return "\n".join(("latitude,longitude", *(f"{y:.5f},{x:.5f}" for y, x in places)))


def clinics() -> str:
    """Clinics as a table, one with a comma in its name."""
    rows = (f'"{name}",{y},{x}' for name, (y, x) in CLINICS.items())
    return "\n".join(("clinic,latitude,longitude", *rows))


def scenario_of_clinics() -> Scenario:
    """People within 300 m of a clinic are protected, on a map in cells of 110 m."""
    file = inspect_data(patients())
    layout = replace(file.places, wanted=MapRequest(0.001))
    places = count_places(file, layout, "patients").places
    points = tuple(f"{y},{x},{name}" for name, (y, x) in CLINICS.items())
    near = SensitiveNear(points, METRES / 1000)
    return with_dataset(BEGIN, places).with_context(blocks=OneBlock(), sensitive=near)


def near_clinics(latitudes: Any, longitudes: Any) -> dict[str, Any]:
    """Which cells of 0.001° around these middles come within 300 m of each clinic."""
    found: dict[str, Any] = {}
    for name, (y, x) in CLINICS.items():
        north = np.maximum(np.abs(latitudes - y) - 0.0005, 0.0)
        east = np.maximum(np.abs(longitudes - x) - 0.0005, 0.0) * math.cos(math.radians(y))
        found[name] = 111_195 * np.hypot(north, east) <= METRES
    return found


def test_from_clinics_to_a_pack_that_hides_who_is_near_them(
    open_link: OpenLink, browser: Any, tmp_path: Path
) -> None:
    page = open_link("", ".st-key-start-ways button")
    officer = Officer(page, tmp_path)
    officer.bring("patients.csv", patients())
    officer.pick("people near clinics")
    officer.choose("[class*=points-file]", "clinics.csv", clinics())
    expect(page.locator("[class*=-points] textarea")).to_have_value(re.compile("women's ward"))
    wait_until_settled(page)
    officer.show()
    (tmp_path / "river.geojson").write_text(json.dumps(RIVER), "utf-8")
    page.locator(f"{STAGE} input[type=file]").set_input_files(tmp_path / "river.geojson")
    expect(page.locator(f"{STAGE} .keys")).to_contain_text("they stay in this browser")
    data, files = officer.take_pack()
    assert not any("11.53127" in text for text in texts(data)), "the river"
    judge_cells(files, scenario_of_clinics(), tmp_path)
    cells = rows_of(files["estimate.csv"])
    at, shares = (
        np.array([[float(row[name]) for name in names] for row in cells]).T
        for names in (("latitude", "longitude"), ("estimated share",))
    )
    near = near_clinics(*at)
    sums = {name: float(shares[0][flags].sum()) for name, flags in near.items()}
    sums[OUTSIDE] = float(shares.sum()) - sum(sums.values())
    areas = rows_of(files["areas.csv"])
    assert {row["area"]: pytest.approx(float(row["estimated share"])) for row in areas} == sums
    judge_truth(data, scenario_of_clinics(), near_clinics)
    record = files["record.html"].decode()
    judge_record(browser, record)
    assert "Every place within 300 m of “Clinic North”" in record
    for drawing in ("picture.svg", "areas.svg"):
        assert all(escape(name[:12]) in files[drawing].decode() for name in CLINICS), drawing


HOUSEHOLDS = 5_000
SHARES = {
    "income": {"low": 0.3, "middle": 0.5, "high": 0.2},
    "health": {"good": 0.6, "fair": 0.3, "poor": 0.1},
    "district": {"Mitte": 0.4, "Nord": 0.3, "Ost": 0.2, "West": 0.1},
}


def survey() -> str:
    """Households with their income, health and district."""
    rng = np.random.default_rng(5)
    columns = [rng.choice([*each], HOUSEHOLDS, p=[*each.values()]) for each in SHARES.values()]
    return "\n".join([",".join(SHARES), *(",".join(row) for row in zip(*columns, strict=True))])


def choose_option(page: Any, box: Any, name: str) -> None:
    """Choose in a menu where it shows something else; waits until it shows the choice."""
    if box.input_value() != name:
        box.click()
        box.fill(name)
        page.get_by_role("option", name=name, exact=True).click()
        wait_until_settled(page)
    expect(box).to_have_value(name)


def test_from_a_household_survey_to_packs_of_two_treatments(
    open_link: OpenLink, browser: Any, tmp_path: Path
) -> None:
    page = open_link("coarser", ".st-key-coarser-own button")
    officer = Officer(page, tmp_path)
    officer.press("Your data")
    officer.press("Choose a file", "tab")
    officer.choose(".st-key-coarser-own-file", "survey.csv", survey())
    officer.press("Read the file")
    for column, kind in {"health": "crossed", "district": "group"}.items():
        choose_option(page, page.get_by_role("combobox", name=column), kind)
    officer.press("Show it")
    page.wait_for_url("**own=*")
    officer.press("Share and export", "tab")
    expect(page.locator(".st-key-coarser-publish input")).to_have_value("Noise in blocks")
    wait_until_settled(page)
    names = ("Larger cells", "Hide small counts", "Noise in blocks")
    packs = {name: treatment_pack(page, name) for name in names}
    households = [row.split(",") for row in survey().splitlines()[1:]]
    districts = Counter(district for _, _, district in households)
    cells = Counter((f"{income}, {health}; {at}", at) for income, health, at in households)
    coarse, hidden, noisy = (rows_of(packs[name]["table.csv"]) for name in packs)
    for row in hidden:
        part = cells[row["answer"], row["group"]] / districts[row["group"]]
        assert float(row["share low"]) - 1e-6 <= part <= float(row["share high"]) + 1e-6
    for row in noisy:
        low, part, high = (float(row[n]) for n in ("share low", "share of its group", "share high"))
        assert 0 <= low <= part <= high <= 1
        assert high - low > 0.01
    assert {row["larger cell"]: int(row["people"]) for row in coarse} == districts
    judge_noise(noisy, cells, tmp_path)
    _, _, body = packs["Larger cells"]["record.html"].partition(b"<body>")
    published = numbers_in(body)
    assert published >= {f"{n:.5g}" for n in districts.values()}
    assert not published & {f"{n:.5g}" for n in cells.values() if n > 99}, "counts of cells"
    for files in packs.values():
        judge_paper(browser, files["record.html"].decode())


def treatment_pack(page: Any, name: str) -> dict[str, bytes]:
    """The files of the pack of a treatment."""
    choose_option(page, page.locator(".st-key-coarser-publish input"), name)
    key = next(each for each, title in TITLES.items() if title == name)
    with page.expect_download() as saved:
        page.get_by_role("button", name=f"{key}-{pack.PACK_NAME}").click()
    return unpacked(Path(saved.value.path()).read_bytes())


def judge_noise(
    noisy: list[dict[str, str]], cells: Mapping[tuple[str, str], int], folder: Path
) -> None:
    """Rows are those of the command line; totals of districts alone are true."""
    names = sorted(cells, key=lambda cell: [row["answer"] for row in noisy].index(cell[0]))
    counts, groups = tuple(cells[name] for name in names), tuple(group for _, group in names)
    table = OwnTable(tuple(name for name, _ in names), counts, groups, title="survey")
    scenario, estimate = folder / "scenario.json", folder / "cells.csv"
    shown = with_data(Publication(), table).scenario
    scenario.write_text(json.dumps(shown.to_dict()), "utf-8")
    found = CliRunner().invoke(main, ["run", str(scenario), "--estimate", str(estimate)])
    assert found.exit_code == 0, found.output
    rows = rows_of(estimate.read_bytes())
    assert [row["answer"] for row in noisy] == [row["answer"] for row in rows]
    for row, other in zip(noisy, rows, strict=True):
        assert float(row["people"]) == pytest.approx(float(other["estimated people"]), abs=0.051)
    same = sum(float(row["people"]) == n for row, n in zip(noisy, counts, strict=True))
    assert same <= 2, "of 36 counts hardly any is met by chance"


def rows_of(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode())))


def unpacked(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def judge_cells(files: dict[str, bytes], shown: Scenario, folder: Path) -> None:
    """Cells are those of the command line."""
    scenario, cells = folder / "scenario.json", folder / "cells.csv"
    scenario.write_text(json.dumps(shown.to_dict()), "utf-8")
    found = CliRunner().invoke(main, ["run", str(scenario), "--estimate", str(cells)])
    assert found.exit_code == 0, found.output
    assert files["estimate.csv"].decode() == cells.read_bytes().decode()


def judge_numbers(files: dict[str, bytes]) -> None:
    """Areas are sums of the cells whose centre they hold."""
    rows = list(csv.DictReader(io.StringIO(files["estimate.csv"].decode())))
    polygons = {name: shapely.Polygon(corners) for name, corners in DISTRICTS.items()}
    sums = dict.fromkeys((*DISTRICTS, OUTSIDE), 0.0)
    for row in rows:
        centre = shapely.Point(float(row["longitude"]), float(row["latitude"]))
        inside = [name for name, polygon in polygons.items() if polygon.contains(centre)]
        sums[inside[0] if inside else OUTSIDE] += float(row["estimated share"])
    areas = list(csv.DictReader(io.StringIO(files["areas.csv"].decode())))
    assert {row["area"]: pytest.approx(float(row["estimated share"])) for row in areas} == sums
    for row in areas:
        assert float(row["low"]) <= float(row["estimated share"]) <= float(row["high"])
    for feature in json.loads(files["areas.geojson"])["features"]:
        name, drawn = feature["properties"]["area"], feature["geometry"]
        if name in polygons:  # the cells whose centre it holds, so along its border others
            border = polygons[name].boundary.buffer(CELL)
            shape = shapely.geometry.shape(drawn)
            assert border.contains(shape.difference(polygons[name]))


def in_districts(latitudes: Any, longitudes: Any) -> dict[str, Any]:
    """Which of these places each district holds."""
    points = shapely.points(longitudes, latitudes)
    return {n: shapely.contains(shapely.Polygon(each), points) for n, each in DISTRICTS.items()}


def judge_truth(data: bytes, shown: Scenario, areas: Callable[[Any, Any], dict[str, Any]]) -> None:
    """No file holds a true count or share of one of the areas or of one of the largest cells."""
    places = shown.dataset.load()
    assert places.counts is not None
    grid, counts, people = places.domain, places.counts, int(places.counts.sum())
    assert isinstance(grid, GridDomain)
    row, column = grid.row_column(np.arange(counts.size))
    inside = areas(grid.latitudes()[row], grid.longitudes()[column])
    true = [int(counts[flags].sum()) for flags in inside.values()]
    largest = np.sort(counts)[-5:].tolist()
    marks = {f"{n / people:.5g}" for n in (*true, *largest)}
    marks |= {f"{100 * n / people:.5g}" for n in true}
    marks = {mark for mark in marks if sum(map(str.isdigit, mark.lstrip("0."))) >= 5}
    marks |= {str(n) for n in true if n > 999}
    assert len(marks) >= 4
    assert numbers_in(" ".join(marks).encode()) >= marks
    assert not numbers_in(data) & marks


def numbers_in(data: bytes) -> set[str]:
    """All numbers in a file and in what is packed in it, to five digits."""
    return {
        f"{float(number.replace(',', '')):.5g}"
        for text in texts(data)
        for number in NUMBER.findall(text)
    }


def judge_record(browser: Any, record: str) -> None:
    """It prints on one sheet of either paper, with plain words before technical ones."""
    assert record.index("What is not promised") < record.index("In technical words")
    judge_paper(browser, record)


A4_WIDTH = 703
"""CSS pixels of a line: 210 mm less the record's margins."""
SIZES = """() => {
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
    while (walk.nextNode()) {
        const element = walk.currentNode.parentElement, matrix = element.getScreenCTM?.();
        const scale = matrix ? Math.hypot(matrix.b, matrix.d) : 1;
        const points = 0.75 * scale * parseFloat(getComputedStyle(element).fontSize);
        if (walk.currentNode.data.trim()) found.push([points, walk.currentNode.data]);
    }
    return found;
}"""
"""Each text of a page with the size of its letters in points, as it is drawn."""


def judge_paper(browser: Any, record: str) -> None:
    """It prints on one sheet of either paper, and no letters of it are below 6 points."""
    with browser.new_context() as context:
        sheet = context.new_page()
        sheet.set_content(record)
        sheet.emulate_media(media="print")
        sheet.set_viewport_size({"width": A4_WIDTH, "height": 1000})
        size, text = min(sheet.evaluate(SIZES))
        assert size >= 6, text
        for paper in ("A4", "Letter"):
            assert re.findall(rb"/Count (\d+)", sheet.pdf(format=paper)) == [b"1"], paper
