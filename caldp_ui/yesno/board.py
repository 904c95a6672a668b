"""Three panels with arrows: one person sends, an attacker reads one report, the server reads all.

Each has its picture, and its own controls at its foot.
"""

from html import escape

import streamlit as st

from caldp_ui.app.navigation import ADVERSARY
from caldp_ui.app.theme import Palette, palette
from caldp_ui.charts import drawing
from caldp_ui.parts import films, icons
from caldp_ui.stage import Step
from caldp_ui.words import formats
from caldp_ui.yesno import dots, figures, side, words
from caldp_ui.yesno.shown import Coin, Shown
from caldp_ui.yesno.slot import SLOT

_SENDS = f".st-key-{SLOT.key('sends')} .coins"
_READS = f".st-key-{SLOT.key('reads')} .coins"
_MANY = f".st-key-{SLOT.key('many')} .many"
"""Where words and icons are that change with the sliders, as CSS selectors."""
_LIKELY = SLOT.key("likely-drawing")
_ADDS_UP = "Asked again with new noise, the odds add up."


def panels(what: Shown, pinned: Shown | None) -> None:
    """All three, beside each other where there is room; `pinned` in the dots and in the plane."""
    seen = look(what, pinned, palette())
    with st.container(key=SLOT.key("steps")):
        with st.container(key=SLOT.key("sends")):
            st.html(_title(1, "One person sends a noisy answer"))
            st.html(seen.elsewhere[_SENDS])
            side.levels()
            side.level_buttons()
        with st.container(key=SLOT.key("reads")):
            st.html(_title(2, "An attacker reads one report"))
            st.html(seen.elsewhere[_READS])
            with st.container(key=SLOT.key("adds-up")):
                st.markdown(_ADDS_UP)
                st.page_link(ADVERSARY, label="What an attacker learns")
            _plane(what, pinned)
        with st.container(key=SLOT.key("many")):
            st.html(seen.elsewhere[_MANY])
            with st.container(key=SLOT.key("likely")):
                drawing.show(seen.pictures[_LIKELY], _LIKELY, None)
            side.crowd()
            side.outcome_buttons()


def look(what: Shown, pinned: Shown | None, colours: Palette) -> Step:
    """What is seen of a question, with its sentence."""
    people = formats.people(what.ours.result.setup.n)
    sends = "".join(_sends(what.ours, answer) for answer in (1, 0))
    reads = "".join(_reads(what.ours, report) for report in (1, 0))
    return films.seen(
        words.headline(what),
        {_LIKELY: dots.likely(what, pinned, colours)},
        {
            _SENDS: f'<div class="coins">{sends}</div>',
            _READS: f'<div class="coins">{reads}</div>',
            _MANY: f'<div class="many">{_title(3, f"The server reads {people} reports")}</div>',
        },
    )


def _title(place: int, words: str) -> str:
    return f'<h2 class="panel"><b>{place}</b>{escape(words)}</h2>'


def _sends(coin: Coin, answer: int) -> str:
    """100 people with that answer, and how many of them send yes."""
    number, told = words.sends(coin, answer)
    name, share = words.ANSWERS[answer], coin.says_yes[answer]
    title = f"100 people whose true answer is {name}; filled: {number} send yes."
    told = escape(told).replace(f"is {name}", f"is <em>{name}</em>")
    return _odds(name, icons.people_array(round(100 * share), title), number, told)


def _reads(coin: Coin, report: int) -> str:
    """100 people who sent that report, and of how many it is the true answer, from even odds."""
    number, told, grade = words.reads(coin, report)
    name, right = words.ANSWERS[report], coin.right_after[report] or 0.0
    title = f"100 people who send {name}; filled: {number or 'none of 100'} truly mean it."
    said = f'<b class="{grade}">“{name}” protection: {grade}</b>'
    return _odds(name, icons.people_array(round(100 * right), title), number, f"{told}{said}")


def _odds(name: str, array: str, number: str, told: str) -> str:
    strong = f"<strong>{number}</strong>" if number else ""
    return f'<div class="odds {name}">{array}<p>{strong}{told}</p></div>'


def _plane(what: Shown, pinned: Shown | None) -> None:
    """The plane of both errors, drawn only while it is open."""
    held = st.popover(
        "Both errors on one plane",
        icon=":material/show_chart:",
        key=SLOT.key("errors"),
        on_change="rerun",
    )
    if not held.open:
        return
    key, alt = SLOT.key("plane-drawing"), words.alt_plane(what, pinned)
    with held, st.container(key=SLOT.key("plane")):
        st.markdown("**Two errors of an attacker** who takes each report at its word")
        drawing.show(figures.plane(what, pinned, palette(), alt), key, figures.HEIGHT)
