"""The three pictures: the plane of errors, one person's coin, what many reports say.

Room: yesno.
"""

import streamlit as st

from caldp_ui.app.theme import Palette, palette
from caldp_ui.charts import drawing
from caldp_ui.parts import icons
from caldp_ui.parts.reels import Sight
from caldp_ui.words import formats
from caldp_ui.yesno import figures, words
from caldp_ui.yesno.shown import Coin, Shown
from caldp_ui.yesno.slot import SLOT

_COIN = f".st-key-{SLOT.key('coin')} .coins"
_MANY = ".many"
"""Where words are that change with the pictures, as CSS selectors."""


def pictures(what: Shown, pinned: Shown | None) -> None:
    """All three, beside each other where there is room; `pinned` in the plane."""
    seen = look(what, pinned, palette())
    plane, coin, many = st.columns([1.15, 0.95, 1.15], gap="medium")
    with plane:
        st.markdown("**A spy's two errors** · the corner is this coin")
        _show("plane", seen)
    with coin:
        st.markdown("**One person's coin**")
        with st.container(key=SLOT.key("coin")):
            st.html(seen.elsewhere[_COIN])
    with many:
        st.html(seen.elsewhere[_MANY])
        _show("likely", seen)


def look(what: Shown, pinned: Shown | None, colours: Palette) -> Sight:
    """What is seen of a question, with its sentence."""
    people = formats.people(what.ours.result.setup.n)
    return Sight(
        words.headline(what),
        {
            _drawing("plane"): figures.plane(what, pinned, colours, words.alt_plane(what, pinned)),
            _drawing("likely"): figures.likely(what, colours, words.alt_likely(what)),
        },
        {
            _COIN: f'<div class="coins">{_sends(what.ours)}{_after(what.ours)}</div>',
            _MANY: f'<p class="many"><b>{people} people</b> · 50 equally likely truths</p>',
        },
    )


def _drawing(name: str) -> str:
    return SLOT.key(f"{name}-drawing")


def _show(name: str, seen: Sight) -> None:
    with st.container(key=SLOT.key(name)):
        drawing.show(seen.pictures[_drawing(name)], _drawing(name), figures.HEIGHT)


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
