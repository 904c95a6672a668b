"""Two attacks that stand alone, each with its headline, picture and controls.

The census block of seven people: its published table, and all blocks that fit it. Many tables about
everybody's secret answer: how many answers an attacker reconstructs. Dinur and Nissim's attack; the
slider is the number of tables, along the chart's own axis.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from typing import Final, TypeAlias

import streamlit as st

from caldp_core.attacks import reconstruction as attacks
from caldp_core.basics.cache import cached
from caldp_core.basics.types import Progress
from caldp_ui.app.texts import read_texts, read_toml
from caldp_ui.app.theme import Palette, palette
from caldp_ui.charts import curves
from caldp_ui.charts import show as charts
from caldp_ui.coarser.page_state import STATE, TABLE_COUNTS, Publication
from caldp_ui.controls import choices, common
from caldp_ui.session import jobs
from caldp_ui.words import formats
from caldp_ui.words.formats import Headline

TEXTS: Final = read_texts(__file__)
_NAMES: Final = read_toml(__file__, "names.toml")["census_block"]
_LEFT_OUT: Final[dict[str, list[str]]] = _NAMES["left_out"]
_SHOWN_MOST: Final = 8


@cached
def solutions(lines: str) -> tuple[tuple[attacks.Person, ...], ...]:
    """Every block of people that fits the published lines; `lines`: one of `LINES`."""
    left_out = _LEFT_OUT[lines]
    return tuple(
        attacks.worlds(
            attacks.Tables(tuple(p.number for p in attacks.LINES if p.number not in left_out))
        )
    )


def certain_people(lines: str) -> list[attacks.Person]:
    """The people who are in every block that fits: they are known for sure."""
    first, *rest = solutions(lines)
    return [each for each in first if all(each in other for other in rest)]


def block_headline(record: Publication) -> Headline:
    """How many people come out for sure."""
    if record.moves == 0:
        return Headline("Seven people, seven counts hidden. Who are they?", TEXTS["census_source"])
    sure, many = len(certain_people(record.lines)), len(solutions(record.lines))
    blocks = "one block of people fits" if many == 1 else f"{many} blocks of people fit"
    return Headline(
        f"Of seven people {sure} are known for sure: {blocks} the published table.",
        TEXTS["census_source"],
        unprotected=sure > 0,
        figures={"known": sure, "blocks": many},
    )


def show_block(record: Publication) -> Headline:
    """Draw the published table and what comes out of it; returns the headline."""
    blocks = solutions(record.lines) if record.moves else ()
    st.html(f'<div class="seven">{_table(record)}{_blocks(record, blocks)}</div>')
    return block_headline(record)


def _table(record: Publication) -> str:
    left_out = _LEFT_OUT[record.lines]
    rows = [
        (line.number, line.who, str(line.count), f"{line.median:g}", f"{line.mean:g}")
        if line.number not in left_out
        else (line.number, line.who, "–", "–", "–")
        for line in attacks.LINES
    ]
    cells = {row[0]: "".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows}
    cells |= {
        number: f'<td>{number}</td><td>{escape(who)}</td><td colspan="3">hidden</td>'
        for number, who in attacks.SUPPRESSED
    }
    body = "".join(f"<tr>{cells[number]}</tr>" for number in sorted(cells))
    head = "".join(f'<th scope="col">{each}</th>' for each in _COLUMNS)
    return (
        "<div><h2>What is published, with ages</h2><table>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


_COLUMNS: Final = ("line", "who", "count", "median", "mean")


def _blocks(record: Publication, blocks: tuple[tuple[attacks.Person, ...], ...]) -> str:
    if not blocks:
        return "<div><h2>Who lives there?</h2><p>Press “Solve”.</p></div>"
    sure = certain_people(record.lines)
    items = "".join(_block(people, sure) for people in blocks[:_SHOWN_MOST])
    heading = (
        "The only block that fits" if len(blocks) == 1 else f"All {len(blocks)} blocks that fit"
    )
    kind = "worlds alone" if len(blocks) == 1 else "worlds"
    return f'<div><h2>{heading}</h2><div class="{kind}">{items}</div></div>'


def _block(people: tuple[attacks.Person, ...], sure: list[attacks.Person]) -> str:
    rows = "".join(
        f'<li class="{"open" if person in sure else "safe"}"><b>{person.age}</b> '
        f"{_NAMES['race'][person.race]} {_NAMES['sex'][person.sex]} "
        f"{_NAMES['union'][person.married]}</li>"
        for person in people
    )
    return f"<ul>{rows}</ul>"


def block_side(record: Publication) -> None:
    """The controls: the published lines, and the button that solves."""
    st.markdown(TEXTS["census_attack"])
    choices.of_field(
        STATE, "lines", "Published", _NAMES["titles"], st.segmented_control, required=True
    )
    if record.moves == 0:
        solve = partial(STATE.change, lambda r: replace(r, moves=1))
        STATE.button("move", "Solve", solve, type="primary", icon="play_arrow")
    else:
        st.caption("Orange: in every block that fits, so known for sure.")


PEOPLE: Final = 100
_RUNS: Final = 3
_EXACT: Final = "exact counts"
_ROUNDED: Final = "rounded at random"
_NOISY: Final = "noise, one ε for all tables"


Curves: TypeAlias = Mapping[str, Sequence[float]]
"""By treatment the shares of answers that are right, in [0, 1], at each of `TABLE_COUNTS`."""


def compute_curves(record: Publication, progress: Progress) -> Curves:
    """All lines at all numbers of tables; each point is the mean of a few runs."""
    treatments: dict[str, attacks.Publisher] = {
        _EXACT: attacks.publish_exact,
        _ROUNDED: attacks.Rounded(record.base),
        _NOISY: attacks.Noisy(record.scenario.policy.plain_epsilon),
    }
    right: dict[str, list[float]] = {name: [] for name in treatments}
    for step, many in enumerate(TABLE_COUNTS):
        progress(step / len(TABLE_COUNTS))
        for name, publish in treatments.items():
            right[name].append(_right_share(many, publish, record.scenario.seed))
    return right


@cached
def _right_share(tables: int, publish: attacks.Publisher, seed: int) -> float:
    runs = (
        attacks.reconstruct(PEOPLE, tables, publish, _RUNS * seed + run) for run in range(_RUNS)
    )
    return sum(run.accuracy for run in runs) / _RUNS


def tables_headline(record: Publication, lines: Curves | None) -> Headline:
    """How many answers the record's number of tables gives away."""
    if lines is None:
        return Headline("The attacker has not solved the tables yet.", TEXTS["people_of_tables"])
    right = {name: value_at(line, record.tables) for name, line in lines.items()}
    exact, rounded, noisy = (f"{each:.0f}" for each in right.values())
    return Headline(
        f"{formats.integer(record.tables)} exact tables reveal {exact} of {PEOPLE} answers, "
        f"noisy ones {noisy}; a mere guess is right for 50.",
        f"Rounded to multiples of {record.base}: {rounded}. {TEXTS['people_of_tables']}",
        unprotected=float(exact) > 60,
        figures=right,
    )


def value_at(line: Sequence[float], tables: int) -> float:
    """A line's value, of 100, at the nearest number of tables that was tried."""
    nearest = min(range(len(TABLE_COUNTS)), key=lambda i: abs(TABLE_COUNTS[i] - tables))
    return 100 * line[nearest]


def show_tables(record: Publication) -> Headline:
    """Draw the chart once its lines are there; returns the headline."""
    epsilon, seed = record.scenario.policy.plain_epsilon, record.scenario.seed
    lines = jobs.run_automatically(
        STATE.key("many"),
        f"{record.base} {epsilon} {seed}",
        lambda progress: compute_curves(record, progress),
        lambda job: (
            f"Solving {len(TABLE_COUNTS) * 3 * _RUNS} linear programs: {job.seconds:.0f} s so far"
        ),
    )
    if lines is not None:
        charts.show(figure(record, lines, palette()), STATE.key("curves"), alt(record, lines))
    return tables_headline(record, lines)


def alt(record: Publication, lines: Curves) -> str:
    """The chart in words: each line's value at the record's number of tables."""
    right = {name: value_at(line, record.tables) for name, line in lines.items()}
    values = "; ".join(f"{name}: {value:.0f}" for name, value in right.items())
    return f"Answers right of 100, by number of tables. At {record.tables}: {values}."


def figure(record: Publication, lines: Curves, colours: Palette) -> charts.Figure:
    """Answers right by number of tables, and where the reader is."""
    styles = {
        _EXACT: ("#C65A00", "solid", "square"),
        _ROUNDED: (colours.pinned, "dash", "diamond"),
        _NOISY: (colours.ours, "solid", "circle"),
    }
    counts, hover = list(TABLE_COUNTS), "%{y:.0f} of 100"
    traces = [
        curves.share_trace(name, counts, line, styles[name], hover) for name, line in lines.items()
    ]
    names = [
        curves.ChartLabel(TABLE_COUNTS[-1], 100 * line[-1], name, styles[name][0])
        for name, line in lines.items()
    ]
    here = curves.ChartLabel(
        record.tables, 40, f"{record.tables} tables", colours.text, "top right"
    )
    guess = curves.ChartLabel(TABLE_COUNTS[-1], 50, "50: a guess", colours.text, "bottom left")
    return curves.plane(
        traces,
        {"title": "tables", "range": [0, TABLE_COUNTS[-1]]},
        {"title": "answers right, of 100", "range": [40, 102]},
        [curves.horizontal_line(50, colours), curves.vertical_line(record.tables, colours)],
        colours,
        words=curves.Words(names, (), (here, guess)),
    )


def tables_side() -> None:
    """The controls: the number of tables, with what the attacker does."""
    st.markdown(TEXTS["reconstruction"])
    common.show(STATE, common.field_slider("tables", TABLE_COUNTS), "Tables")
    st.markdown(TEXTS["reconstruction_noise"])
