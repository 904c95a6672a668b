"""What the page shows of a record: its headline, its maps, the marked box, the sizes of cells."""

from dataclasses import replace
from html import escape
from typing import Final

from caldp_core.domain.grid import Area
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.experiments.forecast import has_valid_errors
from caldp_core.experiments.regions import CellErrors, RegionReport
from caldp_core.experiments.run import Result
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.compute.runs import CellErrorCurves
from caldp_ui.maps.ground import ground
from caldp_ui.maps.scene import (
    OURS,
    PAIR,
    PLAIN,
    TRUTH,
    error_fact,
    error_id,
    estimate_code,
    pooling_levels,
    scene,
    subtitle,
)
from caldp_ui.parts import markup
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.parts.markup import SENTENCE, headline_html
from caldp_ui.places import page_state
from caldp_ui.places.page_state import PlacesData, PlacesState
from caldp_ui.shell.page import View
from caldp_ui.stage import Ground, Scene, Step
from caldp_ui.words import accuracy, formats, policies
from caldp_ui.words.formats import PLACES, Headline


def region_sentences(report: RegionReport, scenario: Scenario) -> list[str]:
    """Notes on a region's numbers: its range, one below 0, whole blocks, the sum of its cells."""
    sentences = []
    if report.half_width > 0:
        sentences.append(
            "The 95 % range holds for all boxes of this map at once, so also for one that is "
            "marked because of what it shows."
        )
    if round(report.estimate) < 0:
        sentences.append(
            "An estimate below 0: noise outweighs the people here. It is not cut off at 0, so that "
            "it is right on average."
        )
    if report.exact_blocks:
        sentences.append(
            f"{formats.count(report.exact_blocks, 'block lies', 'blocks lie')} in the box as a "
            "whole. No block hides how many people it holds, so they add no privacy noise."
        )
    estimator = ESTIMATORS[scenario.estimator]
    sentences.append(
        "The cells of the map of this protection add up to "
        f"{formats.people(report.processed_estimate)} here: "
        f"they show “{estimator.title}”, {estimator.sentence}. The estimate above is made for the "
        "box as a whole and is right on average."
    )
    return sentences


def describe_area(area: Area) -> str:
    """A box in words."""
    edges = (area.south, area.west, area.north, area.east)
    cell = 0.2 if all(abs(10 * edge - round(10 * edge)) < 1e-6 for edge in edges) else 0.02
    corner = formats.degrees(area.south, area.west, cell)
    return f"{corner} to {formats.degrees(area.north, area.east, cell)}"


def dots_text(report: RegionReport) -> str:
    """What the dots of the range of a box mean."""
    if report.half_width <= 0:
        return "Known exactly: nothing in this box is hidden."
    low, high = formats.people(report.low), formats.people(report.high)
    return (
        f"For a box that was chosen before anybody saw the map, the range from {low} to {high} "
        "holds the true number in 95 of 100 collections. Between two neighbouring dots it is in 1 "
        f"of {markup.DOTS}."
    )


def cell_sizes_sentence(ladder: CellErrorCurves, finest: float) -> str:
    """The size of cells that comes closest to the truth, for this protection and plain LDP.

    `finest`: side of the smallest cells in degrees.
    """
    ours, plain = (min(each, key=lambda e: e.both) for each in (ladder.ours, ladder.plain))
    return (
        f"With this protection, cells of **{accuracy.cell_size_text(ours.cell)}** come closest to "
        f"where people truly are: {formats.of_hundred(ours.both)} in the wrong cell of "
        f"{finest:g}°. With plain LDP it is cells of **{accuracy.cell_size_text(plain.cell)}**: "
        f"{formats.of_hundred(plain.both)}."
    )


_TOLERANCE: Final = 1e-9


def cell_sizes_html(ladder: CellErrorCurves, now: float, finest: float) -> str:
    """A table of the errors at each size of cells; `now`, `finest`: sides in degrees."""
    rows = "".join(
        _row_html(ours, plain, abs(ours.cell - now) < finest / 2, ladder)
        for ours, plain in zip(ladder.ours, ladder.plain, strict=True)
    )
    heads = ("cells of", "blur", "noise", "together", "noise, plain LDP", "together, plain LDP")
    head = "".join(f"<th scope=col>{escape(each)}</th>" for each in heads)
    return f'<table class="ladder"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _row_html(ours: CellErrors, plain: CellErrors, is_now: bool, ladder: CellErrorCurves) -> str:
    least = (min(each.both for each in rows) + _TOLERANCE for rows in (ladder.ours, ladder.plain))
    best = [each.both <= most for each, most in zip((ours, plain), least, strict=True)]
    here = " (now)" if is_now else ""
    return (
        f"<tr{' class=now' if is_now else ''}><th "
        f"scope=row>{accuracy.cell_size_text(ours.cell)}{here}</th>"
        f"{_bar_html(ours.blur, 'blur')}{_bar_html(ours.noise, 'noise')}"
        f"{_bar_html(ours.both, 'both', best[0])}"
        f"{_bar_html(plain.noise, 'noise')}{_bar_html(plain.both, 'both', best[1])}</tr>"
    )


def _bar_html(tv: float, kind: str, best: bool = False) -> str:
    number = f"<b>{formats.per_hundred(tv)}</b> least" if best else formats.per_hundred(tv)
    return f'<td class="{kind}" style="--of:{min(tv, 1.0):.3f}"><i></i><span>{number}</span></td>'


def headline(data: ComparisonData) -> Headline:
    """Who is not protected, if anybody; the error of this protection and of plain LDP."""
    ours, plain = (
        None if each is None else each.first.errors.tv for each in (data.ours, data.plain)
    )
    return accuracy.headline(PLACES, data.setup, ours, plain)


def one_line_summary(data: ComparisonData) -> str:
    """What is protected, and the error of the map."""
    has_error = data.ours is not None and has_valid_errors(data.setup)
    tv = data.ours.first.errors.tv if has_error and data.ours is not None else None
    error = accuracy.error_sentence(PLACES, tv, None)
    return f"{policies.promise_summary(PLACES, data.setup)} {error}"


def view(data: PlacesData, pinned: PlacesData | None, _: object) -> View:
    """The headline, the odds, and the maps to look at; those of a pin are called so."""
    return _view(data, scene(data, _ground(data), *(["Pinned"] if data is pinned else [])))


def view_to_draw_on(data: PlacesData) -> View:
    """The view with the tools of its maps."""
    return _view(
        data,
        scene(
            data,
            _ground(data),
            actions=page_state.actions(data.setup),
            arrangement=PAIR,
        ),
    )


def _view(data: PlacesData, maps: Scene) -> View:
    risk = {markup.PLACE: markup.odds_html(PLACES, data.setup)}
    return View(headline(data), texts=risk, scene=maps, still=TRUTH)


def _ground(data: PlacesData) -> Ground:
    return ground(data.setup, runs.map_of(data.setup.dataset), data.region)


def render(record: PlacesState) -> Step:
    """What moves along ε: maps, errors, headline and odds."""
    scenario = record.scenario
    ours, plain = runs.result(scenario), runs.result(runs.best_plain_ldp(scenario))
    step = render_outcome(ours, plain)
    return replace(
        step, replacements={**step.replacements, markup.PLACE: markup.odds_html(PLACES, ours.setup)}
    )


def render_outcome(ours: Result, plain: Result) -> Step:
    """What moves with new noise: maps, errors and headline."""
    pair = {PLAIN: plain, OURS: ours}
    sentence = headline(ComparisonData(ours.setup, plain.setup, ours, plain))
    named = pair | {error_id(name): result for name, result in pair.items()}
    return Step(
        codes={name: estimate_code(result) for name, result in pair.items()},
        subtitles={name: subtitle(result) for name, result in named.items()},
        facts={name: error_fact(result) for name, result in named.items()},
        pooled={name: levels for name, r in pair.items() if (levels := pooling_levels(r))},
        replacements={SENTENCE: headline_html(sentence)},
        headline=sentence,
    )
