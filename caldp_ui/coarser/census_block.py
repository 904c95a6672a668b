"""The census block of seven people: its published table, and all blocks that fit it."""

from dataclasses import replace
from html import escape
from typing import Final

import streamlit as st

from caldp_core.attacks.reconstruction import LINES as PRINTED
from caldp_core.attacks.reconstruction import SUPPRESSED, Person, Tables, worlds
from caldp_core.basics.cache import cached
from caldp_ui.coarser.page_state import STATE, Publication
from caldp_ui.controls import choices
from caldp_ui.words.formats import Headline

_LEFT_OUT: Final = {"all": (), "without-4A": ("4A",), "without-2A-2B": ("2A", "2B")}
_TITLES: Final = {
    "all": "The whole table",
    "without-4A": "Without 4A",
    "without-2A-2B": "Without 2A, 2B",
}
_SHOWN_MOST: Final = 8
_WORDS: Final = {"F": "female", "M": "male", "B": "black", "W": "white"}
_UNIONS: Final = {"M": "married", "S": "single"}


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
        return Headline("Seven people, seven counts hidden. Who are they?", _SOURCE)
    sure, many = len(certain_people(record.lines)), len(solutions(record.lines))
    blocks = "one block of people fits" if many == 1 else f"{many} blocks of people fit"
    return Headline(
        f"Of seven people {sure} are known for sure: {blocks} the published table.",
        _SOURCE,
        unprotected=sure > 0,
        figures={"known": sure, "blocks": many},
    )


_SOURCE: Final = (
    "A made-up block, as a census publishes it: Garfinkel, Abowd, Martindale, CACM 62(3), 2019."
)


def show(record: Publication) -> None:
    """The published table, and what comes out of it."""
    blocks = solutions(record.lines) if record.moves else ()
    st.html(f'<div class="seven">{_table(record)}{_blocks(record, blocks)}</div>')


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
        f"{_WORDS[person.race]} {_WORDS[person.sex]} {_UNIONS[person.married]}</li>"
        for person in people
    )
    return f"<ul>{rows}</ul>"


def side(record: Publication) -> None:
    """The controls: the published lines, and the button that solves."""
    st.markdown(
        "Counts of one or two people are hidden. The attacker looks for every block of seven "
        "people whose counts, medians and means are the published ones."
    )
    choices.of_field(STATE, "lines", "Published", _TITLES, st.segmented_control, required=True)
    if record.moves == 0:
        st.button(
            "Solve",
            type="primary",
            icon=":material/play_arrow:",
            key=STATE.key("move"),
            on_click=lambda: STATE.change(lambda r: replace(r, moves=1)),
        )
    else:
        st.caption("Orange: in every block that fits, so known for sure.")
