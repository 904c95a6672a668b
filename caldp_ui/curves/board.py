"""The curves, what they say in words, runs as points, and the data to take along.

Room: curves.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import streamlit as st

from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.forecast import Forecast
from caldp_core.experiments.turns import Mean, in_turns, means
from caldp_ui.app.theme import palette
from caldp_ui.charts.show import show
from caldp_ui.compute import exports, runs
from caldp_ui.curves import files
from caldp_ui.curves import lines as work
from caldp_ui.curves.axes import AXES, power_at, value_at
from caldp_ui.curves.charts import Drawn, chart
from caldp_ui.curves.lines import LINES_MAX, Found, Line
from caldp_ui.curves.slot import SLOT, Curves
from caldp_ui.parts import hand_on
from caldp_ui.session import findings, jobs
from caldp_ui.words import formats
from caldp_ui.words.vocabulary import PLACES, VALUES

RUNS: Final = 5


def view(record: Curves) -> None:
    """The curves as they come, the runs, and the file."""
    asked = [*work.lines_of(record), *work.beside(record, SLOT.pinned)]
    lines = asked[:LINES_MAX]
    name = work.name(lines)
    measured = _measured_so_far(name, lines)
    findings.filling(
        SLOT.key("curves"),
        name,
        partial(work.expected, lines),
        lambda job: f"{job.share:.0%} of the curves",
        partial(_show, record, lines, measured),
    )
    if len(asked) > LINES_MAX:
        st.info(f"Only {LINES_MAX} curves can be told apart; {len(asked) - LINES_MAX} left out.")
    _runs(name, lines)
    files.show(lines)


def _show(
    record: Curves,
    lines: Sequence[Line],
    measured: Sequence[Sequence[Mean | None]],
    found: list[Found],
) -> None:
    table: list[list[Forecast | None]] = [[None] * len(line.places) for line in lines]
    for each in found:
        table[each.line][each.place] = each.error
    drawn = [Drawn(*row) for row in zip(lines, table, measured, strict=True)]
    place = _present(record, lines)
    own = [each for each in drawn if not each.line.is_pinned]
    with st.container(key="headline"):
        st.markdown(in_words(record, own, place))
    axis = AXES[record.against]
    told = "; ".join(
        f"{each.line.title} from {formats.share(each.there()[0][1].tv)} to "
        f"{formats.share(each.there()[-1][1].tv)}"
        for each in drawn
        if each.there()
    )
    show(
        chart(drawn, work.proved(lines), axis.ticks, place, palette()),
        SLOT.key("chart"),
        f"Expected error against {axis.label}, both logarithmic: {told}.",
    )
    _file(record, drawn)


def _present(record: Curves, lines: Sequence[Line]) -> float:
    """Where on the axis the reader is; its middle where the record does not say."""
    places = lines[0].places
    if record.against == "people":
        return float(runs.people(record.scenario))
    if record.against == "epsilon":
        return record.scenario.context.plain_epsilon
    return places[len(places) // 2]


def in_words(record: Curves, drawn: Sequence[Drawn], place: float) -> str:
    """The least error and plain LDP's at the reader's place, and the slope there."""
    whole = [each for each in drawn if len(each.there()) > 1]
    if not whole:
        return "The curves are being computed: their ends first, then what lies between."
    axis = AXES[record.against]

    def at(each: Drawn) -> float:
        return value_at(*_points(each), place)

    least = min(whole, key=at)
    plain = next((each for each in whole if each.line.is_plain and each is not least), None)
    beside = "" if plain is None else f" ({plain.line.title}: {_short(plain, at(plain))})"
    told = f"**{least.line.title}: {_off(least, at(least))}**{beside}"
    if None in least.expected:
        return f"At {_called(record.against, place)}, {told}."
    x, tv = _points(least)
    slope = axis.power(power_at(x, tv, place))
    if record.against == "people":
        slope += f"; in the end, {_fourfold(power_at(x, tv, x[-1]))}"
    return f"At {_called(record.against, place)}, {told}; {slope}."


def _fourfold(power: float) -> str:
    return f"{2 ** (-1 / power):.2g} times" if power < 0 else "it falls no more"


def _off(each: Drawn, tv: float) -> str:
    """An error as people where the estimate is made of shares."""
    if each.line.scenarios[0].estimator == "none":
        return f"error {_short(each, tv)}"
    is_map = isinstance(runs.dataset(each.line.scenarios[0]).domain, GridDomain)
    unit = PLACES.unit if is_map else VALUES.unit
    return f"{_short(each, tv)} people with the wrong {unit}"


def _short(each: Drawn, tv: float) -> str:
    """The number alone."""
    is_share = each.line.scenarios[0].estimator != "none"
    return formats.of_hundred(min(tv, 1.0)) if is_share else formats.share(tv)


def _points(each: Drawn) -> tuple[list[float], list[float]]:
    there = each.there()
    return [x for x, _ in there], [error.tv for _, error in there]


def _called(against: str, place: float) -> str:
    number = formats.people(place) if against != "epsilon" else f"{place:g}"
    return {
        "people": f"{number} people",
        "epsilon": f"ε = {number}",
        "blocks": formats.count(round(place), "block", "blocks"),
        "sensitive": formats.count(round(place), "sensitive value", "sensitive values"),
    }[against]


def _measured_so_far(name: str, lines: Sequence[Line]) -> list[list[Mean | None]]:
    job = jobs.held(SLOT.key("runs"), name)
    turns = list(job.found) if job is not None else []
    flat = means(turns, sum(len(line.places) for line in lines))
    rows, first = [], 0
    for line in lines:
        rows.append(flat[first : first + len(line.places)])
        first += len(line.places)
    return rows


def _runs(name: str, lines: Sequence[Line]) -> None:
    """The button that measures every point, its progress, and then the points."""
    scenarios = [replace(s, trials=RUNS) for line in lines for s in line.scenarios]
    if any(runs.takes_long(line.scenarios[0]) for line in lines):
        return
    findings.gathered(
        SLOT.key("runs"),
        name,
        lambda progress: in_turns(scenarios, progress=progress),
        jobs.Offer(
            f"Run every point {RUNS} times",
            ":material/scatter_plot:",
            "Draws people, reports and estimates, and shows the mean errors as open marks.",
        ),
        lambda job: f"Run {len(job.found):,} of {len(scenarios) * RUNS:,}",
    )


def csv_of(record: Curves, drawn: Sequence[Drawn]) -> bytes:
    """One row a point of a curve."""
    rows = [
        {
            "curve": each.line.title,
            AXES[record.against].label.partition(" (")[0]: x,
            "expected TV": error.tv if error else None,
            "standard deviation": error.deviation if error else None,
            "way": error.way if error else None,
            "mean TV of runs": mean.tv if mean else None,
            "standard error": mean.standard_error if mean else None,
            "runs": mean.runs if mean else None,
        }
        for each in drawn
        for x, error, mean in zip(each.line.places, each.expected, each.measured, strict=True)
    ]
    return exports.csv(rows)


def _file(record: Curves, drawn: Sequence[Drawn]) -> None:
    st.caption(
        "Lines: expected. Bands: 90 of 100 outcomes. Dotted: where you are. With the estimate "
        "“Unbiased, unprocessed”, thin dots show what the papers prove of Hadamard and "
        "randomized response (of l1, halved)."
    )
    hand_on.file(SLOT.key("csv"), "curves.csv", partial(csv_of, record, drawn))
