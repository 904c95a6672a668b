"""Small pictures, words of strength, addresses and the record: each says what was computed."""

import base64
import io
import math
import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from PIL import Image

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.basics.types import no_progress
from caldp_core.datasets import us_cities
from caldp_core.domain.grid import US_GRID, Area
from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.blocks import SensitiveAreas, StateBlocks
from caldp_ui.app import gate, theme
from caldp_ui.app.theme import CIVIDIS, NIGHT_LAND
from caldp_ui.compute import exports, runs
from caldp_ui.compute.runs import summarize_privacy
from caldp_ui.maps.ground import home
from caldp_ui.maps.presets import BEGIN
from caldp_ui.parts import markup, pictures, sharing
from caldp_ui.words import accuracy, formats, promise
from caldp_ui.words.formats import MEANING, PLACES, STRENGTHS, strength
from tests.ui.readings import full_people


@pytest.mark.parametrize("marked", [0, 37, 100])
def test_a_hundred_people_of_whom_some_are_full(marked: int) -> None:
    html = markup.people_array(marked, 'a "title"')
    assert full_people(html) == [marked]
    assert 'aria-label="a &quot;title&quot;"' in html


def places_of(dots: str) -> list[tuple[float, float]]:
    found = re.findall(r"left:([\d.]+)%;bottom:([\d.]+)rem", dots)
    return [(float(left), float(bottom)) for left, bottom in found]


def test_fifty_dots_are_spread_like_the_normal_they_stand_for() -> None:
    dots = places_of(markup.dotplot(1000.0, 196.0, ""))
    assert len(dots) == len(set(dots)) == markup.DOTS
    left = np.array([place for place, _ in dots])
    middle = (left.min() + left.max()) / 2
    # Of a normal cut at its 1st and 99th percent, 68 of 100 lie within 1 of its 2.33 deviations.
    within = (np.abs(left - middle) <= (left.max() - middle) / 2.33 + 2).mean()
    assert within == pytest.approx(0.7, abs=0.06)


def test_a_range_that_begins_at_nobody_stacks_its_dots_there() -> None:
    dots = places_of(markup.dotplot(10.0, 100.0, ""))
    assert sum(left == 0 for left, _ in dots) >= 20
    assert len(places_of(markup.dotplot(10.0, 0.0, ""))) == 1


def test_words_for_the_odds_are_those_of_the_numbers_beside_them() -> None:
    limits = [int(number) for number in re.findall(r"up to (\d+)", MEANING)]
    words = [each.word for each in STRENGTHS]
    for epsilon in np.geomspace(0.01, 20, 400):
        chance = max_guess_accuracy(float(epsilon))
        number = float(formats.hundred(chance).removeprefix("more than "))
        assert strength(chance).word == words[sum(number > most for most in limits)]
    assert strength(1.0).word == "none"


def test_each_strength_has_its_colours_in_the_style_sheet() -> None:
    css = theme.SHEET.read_text("utf-8")
    for each in STRENGTHS:
        colours = f"{{ --on-light: {each.light}; --on-dark: {each.dark}; }}"
        assert f":is(.odds, .grade).{each.word} {colours}" in css


def test_a_guess_and_repeated_reports_are_the_odds_of_their_epsilons() -> None:
    assert max_guess_accuracy(math.log(3)) == pytest.approx(0.75)
    assert max_guess_accuracy(0.4, 5) == pytest.approx(max_guess_accuracy(2.0))
    assert max_guess_accuracy(20.0, 100) == 1.0


@pytest.mark.parametrize(
    ("host", "server", "others"),
    [
        ("https://class.example.org/places", "127.0.0.1", "https://class.example.org/places"),
        ("http://127.0.0.1:8501/places", "127.0.0.1", None),
        ("http://localhost:8501/places", "::1", None),
        ("http://192.0.2.7:8501/", "0.0.0.0", "http://192.0.2.7:8501/"),
    ],
)
def test_an_address_for_others(
    monkeypatch: pytest.MonkeyPatch, host: str, server: str, others: str | None
) -> None:
    monkeypatch.setattr(st, "get_option", lambda name: server)
    assert gate.shared_address(host) == others


def test_an_address_that_only_this_machine_knows_is_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(st, "get_option", lambda name: "0.0.0.0")
    monkeypatch.setattr(gate, "_own_address", lambda: "192.0.2.9")
    address = gate.shared_address("http://localhost:8501/places?epsilon=2")
    assert address == "http://192.0.2.9:8501/places?epsilon=2"


@pytest.mark.parametrize(
    ("url", "name", "address"),
    [
        ("http://192.0.2.7:8501/classroom", "room", "http://192.0.2.7:8501/room"),
        ("http://192.0.2.7:8501/classroom?station=sum", "room", "http://192.0.2.7:8501/room"),
        ("http://192.0.2.7:8501/room", "classroom", "http://192.0.2.7:8501/classroom"),
        ("http://192.0.2.7:8501/classroom", "classroom", "http://192.0.2.7:8501/classroom"),
        ("http://192.0.2.7:8501", "room", "http://192.0.2.7:8501/room"),
        ("http://192.0.2.7:8501/classroom/", "", "http://192.0.2.7:8501/"),
        ("https://example.org/class/classroom", "room", "https://example.org/class/room"),
        ("https://example.org/class/", "room", "https://example.org/class/room"),
    ],
)
def test_an_address_names_the_page_that_is_shown(url: str, name: str, address: str) -> None:
    assert gate.page_address(url, name, {"", "room", "classroom"}) == address


def test_a_picture_has_its_cities_where_they_are() -> None:
    shares = np.zeros(US_GRID.k)
    brightest = us_cities()[0]
    shares[US_GRID.locate(brightest.latitude, brightest.longitude)] = 1.0
    part = home(US_GRID)
    picture = Image.open(io.BytesIO(pictures.png(shares, US_GRID, part))).convert("RGB")
    assert picture.size == (pictures.WIDTH, pictures.height(US_GRID, part))
    x = (brightest.longitude - part.west) / (part.east - part.west) * picture.width
    y = (part.north - brightest.latitude) / (part.north - part.south) * picture.height
    pixels = np.asarray(picture)
    rows, columns = np.nonzero((pixels == CIVIDIS[-1]).all(axis=2))
    assert abs(columns.mean() - x) < 4
    assert abs(rows.mean() - y) < 6
    assert tuple(pixels[0, 0]) == NIGHT_LAND


def test_a_csv_has_every_cell_of_the_estimate() -> None:
    result = runs.result(replace(BEGIN.with_context(blocks=StateBlocks()), n=10_000))
    head, *rows = exports.estimate_csv(result).decode().splitlines()
    columns = "number,latitude,longitude,block,estimated share,estimated people"
    assert head == f"{columns},low,high,level,relative error,may be noise"
    assert len(rows) == US_GRID.k
    shares = np.array([float(row.rsplit(",", 7)[1]) for row in rows])
    np.testing.assert_array_equal(shares, result.first.estimate)


@pytest.mark.parametrize("sign", ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1"])
def test_no_text_of_a_csv_is_a_formula_and_numbers_are_left_alone(sign: str) -> None:
    made = exports.csv({sign: [sign, "-3", "plain"], "share": [-0.25, 1e-7, -3]})
    frame = pd.read_csv(io.BytesIO(made), dtype={0: str})
    assert list(frame.columns) == [f"'{sign}", "share"]
    assert frame.iloc[:, 0].tolist() == [f"'{sign}", "-3", "plain"]
    assert frame["share"].tolist() == [-0.25, 1e-7, -3]


def test_all_csv_goes_through_the_guard() -> None:
    root = Path(exports.__file__).parents[1]
    by = [path for path in root.rglob("*.py") if "to_csv" in path.read_text("utf-8")]
    assert by == [Path(exports.__file__)]


def record_of(scenario_blocks: str) -> tuple[str, str]:
    """The record's HTML and its text, of a scenario with that sensitive area."""
    scenario = BEGIN.with_context(sensitive=SensitiveAreas((scenario_blocks,)))
    ours, plain = runs.result(scenario), runs.result(runs.best_plain_ldp(scenario))
    part = Area(40, 42, -75, -72)
    png = pictures.png(ours.first.estimate, US_GRID, part)
    checked = sharing.AuditReport(
        summarize_privacy(scenario, no_progress),
        runs.expected_error(runs.best_plain_ldp(scenario)),
    )
    off = accuracy.error_sentence(PLACES, ours.first.errors.tv, plain.first.errors.tv)
    content = sharing.ReportContent(ours, off, {"This protection": png})
    html = sharing.html(PLACES, content, checked, "http://x/?a=1&b=2")
    return html, unescape(re.sub(r"<[^>]*>", "", html))


def test_the_record_says_what_was_computed_and_audited_and_needs_nothing_else() -> None:
    html, text = record_of("+40,42,-75,-72")
    scenario = BEGIN.with_context(sensitive=SensitiveAreas(("+40,42,-75,-72",)))
    ours, plain = run(prepare(scenario)), run(prepare(runs.best_plain_ldp(scenario)))
    headline = accuracy.error_sentence(PLACES, ours.first.errors.tv, plain.first.errors.tv)
    assert headline.replace("**", "") in text
    for sentence in promise.not_promised(PLACES, ours.setup):
        assert sentence in text
    assert promise.protected_text(PLACES, ours.setup).replace("**", "") in text
    assert "It holds." in text
    assert formats.share(ours.first.errors.tv) in text
    assert "http://x/?a=1&b=2" in text
    assert '"+40,42,-75,-72"' in text
    assert full_people(html) == [round(100 * promise.protected_share(ours.setup))]
    assert not re.search(r'(?:src|href)="(?!data:)', html)
    for data in re.findall(r'src="data:image/png;base64,([^"]+)"', html):
        assert Image.open(io.BytesIO(base64.b64decode(data))).size[0] == pictures.WIDTH


def test_a_verdict_that_does_not_hold_is_said_loudly() -> None:
    from caldp_ui.compute.runs import PrivacySummary

    assert "does NOT hold" in sharing._audit(PrivacySummary(False, "every entry", 1.2, 1.0))
    assert "Not audited: too large." in sharing._audit(PrivacySummary(None, reason="too large."))
