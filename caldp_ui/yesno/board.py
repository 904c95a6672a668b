"""The three pictures: the plane of errors, one person's coin, what many reports say.

Room: yesno.
"""

import streamlit as st

from caldp_ui.app.theme import palette
from caldp_ui.charts import drawing
from caldp_ui.parts import icons
from caldp_ui.words import formats
from caldp_ui.yesno import figures, words
from caldp_ui.yesno.shown import Coin, Shown
from caldp_ui.yesno.slot import SLOT


def pictures(what: Shown, pinned: Shown | None) -> None:
    """All three, beside each other where there is room; `pinned` in the plane."""
    colours = palette()
    plane, coin, many = st.columns([1.15, 0.95, 1.15], gap="medium")
    with plane:
        st.markdown("**A spy's two errors** · the corner is this coin")
        drawn = figures.plane(what, pinned, colours, words.alt_plane(what, pinned))
        _show("plane", drawn)
    with coin:
        st.markdown("**One person's coin**")
        with st.container(key=SLOT.key("coin")):
            st.html(_sends(what.ours) + _after(what.ours))
    with many:
        people = formats.people(what.ours.result.setup.n)
        st.markdown(f"**{people} people** · 50 equally likely truths")
        _show("likely", figures.likely(what, colours, words.alt_likely(what)))


def _show(name: str, drawn: str) -> None:
    with st.container(key=SLOT.key(name)):
        drawing.show(drawn, SLOT.key(f"{name}-drawing"), figures.HEIGHT)


def _sends(coin: Coin) -> str:
    """100 people with each answer, and how many of them send yes."""
    rows = []
    for answer in (1, 0):
        share = coin.says_yes[answer]
        said = words.of_hundred(share)
        name = words.ANSWERS[answer]
        title = f"100 people whose answer is {name}; filled: {said} send yes."
        rows.append(
            f'<div class="odds {name}">{icons.people_array(round(100 * share), title)}'
            f"<p><strong>{said}</strong> whose true answer is <em>{name}</em> send “yes”</p></div>"
        )
    return "".join(rows)


def _after(coin: Coin) -> str:
    """What each report gives away to somebody for whom both answers were even."""
    rows = []
    for report in (1, 0):
        word, told = words.gives_away(coin, report)
        right = coin.right_after[report]
        number = "" if right is None else f"<strong>{words.of_hundred(right)}</strong> "
        rows.append(f'<div class="odds after {word}"><b>{word}</b><p>{number}{told}</p></div>')
    return "".join(rows)
