"""The census block of seven people: its published table, and all blocks that fit it."""

from dataclasses import replace
from functools import partial
from html import escape
from typing import Final

import streamlit as st

from caldp_core.attacks.reconstruction import LINES as PRINTED
from caldp_core.attacks.reconstruction import SUPPRESSED, Person, Tables, worlds
from caldp_core.basics.cache import cached
from caldp_ui.app.texts import read_texts, read_toml
from caldp_ui.coarser.page_state import STATE, Publication
from caldp_ui.controls import choices
from caldp_ui.words.formats import Headline

TEXTS: Final = read_texts(__file__)
_NAMES: Final = read_toml(__file__, "names.toml")["census_block"]
_LEFT_OUT: Final[dict[str, list[str]]] = _NAMES["left_out"]
_SHOWN_MOST: Final = 8


@cached
def solutions(lines: str) -> tuple[tuple[Person, ...], ...]:
    """Every block of people that fits the published lines; `lines`: one of `LINES`."""
    left_out = _LEFT_OUT[lines]
    return tuple(worlds(Tables(tuple(p.number for p in PRINTED if p.number not in left_out))))


def certain_people(lines: str) -> list[Person]:
    """The people who are in every block that fits: they are known for sure."""
    first, *rest = solutions(lines)
    return [each for each in first if all(each in other for other in rest)]


def headline(record: Publication) -> Headline:
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


def show(record: Publication) -> Headline:
    """Draw the published table and what comes out of it; returns the headline."""
    blocks = solutions(record.lines) if record.moves else ()
    st.html(f'<div class="seven">{_table(record)}{_blocks(record, blocks)}</div>')
    return headline(record)


def _table(record: Publication) -> str:
    left_out = _LEFT_OUT[record.lines]
    rows = [
        (line.number, line.who, str(line.count), f"{line.median:g}", f"{line.mean:g}")
        if line.number not in left_out
        else (line.number, line.who, "–", "–", "–")
        for line in PRINTED
    ]
    cells = {row[0]: "".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows}
    cells |= {
        number: f'<td>{number}</td><td>{escape(who)}</td><td colspan="3">hidden</td>'
        for number, who in SUPPRESSED
    }
    body = "".join(f"<tr>{cells[number]}</tr>" for number in sorted(cells))
    head = "".join(f'<th scope="col">{each}</th>' for each in _COLUMNS)
    return (
        "<div><h2>What is published, with ages</h2><table>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


_COLUMNS: Final = ("line", "who", "count", "median", "mean")


def _blocks(record: Publication, blocks: tuple[tuple[Person, ...], ...]) -> str:
    if not blocks:
        return "<div><h2>Who lives there?</h2><p>Press “Solve”.</p></div>"
    sure = certain_people(record.lines)
    items = "".join(_block(people, sure) for people in blocks[:_SHOWN_MOST])
    heading = (
        "The only block that fits" if len(blocks) == 1 else f"All {len(blocks)} blocks that fit"
    )
    kind = "worlds alone" if len(blocks) == 1 else "worlds"
    return f'<div><h2>{heading}</h2><div class="{kind}">{items}</div></div>'


def _block(people: tuple[Person, ...], sure: list[Person]) -> str:
    rows = "".join(
        f'<li class="{"open" if person in sure else "safe"}"><b>{person.age}</b> '
        f"{_NAMES['race'][person.race]} {_NAMES['sex'][person.sex]} "
        f"{_NAMES['union'][person.married]}</li>"
        for person in people
    )
    return f"<ul>{rows}</ul>"


def side(record: Publication) -> None:
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
