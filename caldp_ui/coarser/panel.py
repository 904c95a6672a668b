"""The attack: which one, what the attacker knows, the next move, and what comes out."""

from dataclasses import replace
from html import escape

import streamlit as st

from caldp_core.domain.grid import GridDomain
from caldp_ui.coarser import attack_words, words
from caldp_ui.coarser.outcomes import NAMES, Outcome, Played, pair
from caldp_ui.coarser.slot import ATTACKS, PAIRED, PAIRS, REGIONS, SLOT, Publication
from caldp_ui.coarser.treated import PageData
from caldp_ui.maps.choice import place


def choice(record: Publication) -> None:
    """Which attack is played."""
    st.selectbox(
        "Attack",
        list(ATTACKS),
        format_func=words.ATTACK_TITLES.__getitem__,
        label_visibility="collapsed",
        **SLOT.bind("attack", record.attack, lambda r, name: r.playing(name)),
    )


def show(what: PageData, found: Played | None) -> None:
    """The whole of it, for attacks on the table."""
    record = what.record
    with st.container(key=SLOT.key("which"), horizontal=True, gap="small"):
        choice(record)
        if record.attack in PAIRED and isinstance(what.domain, GridDomain):
            place(SLOT, "Where the person is", what.domain, int(pair(what)[0]))
    with st.container(key=SLOT.key("knows")):
        st.markdown(attack_words.scene_of(what))
    if found is not None:
        st.html(bars(what, found))
    with st.container(key=SLOT.key("moves"), horizontal=True, gap="small"):
        _move(record)
        _settings(record)


def _settings(record: Publication) -> None:
    """What the reader may change about the attack."""
    if record.attack in PAIRED:
        st.segmented_control(
            "The other place",
            [False, True],
            format_func=lambda far: "Other block" if far else "Same block",
            label_visibility="collapsed",
            required=True,
            **SLOT.bind("far", record.far, lambda r, far: replace(r, far=bool(far))),
        )
    elif record.attack == REGIONS:
        st.select_slider(
            "Pairs of regions",
            sorted({*PAIRS, record.pairs}),
            label_visibility="collapsed",  # the sentence above says it: the panel fits a projector
            **SLOT.bind("pairs", record.pairs, lambda r, n: replace(r, pairs=int(n))),
        )


def _move(record: Publication) -> None:
    """The next move; after the last, the way back to the first."""
    label = attack_words.next_move(record)
    if label is not None:
        icon = ":material/shield:" if label == attack_words.OFFICE_MOVE else ":material/play_arrow:"
        st.button(label, type="primary", icon=icon, key=SLOT.key("move"), on_click=_forward)
    else:
        st.button(
            "Start again", icon=":material/replay:", key=SLOT.key("restart"), on_click=_restart
        )


def _forward() -> None:
    SLOT.change(lambda r: replace(r, moves=min(r.moves + 1, r.last_move)))


def _restart() -> None:
    SLOT.change(lambda r: r.playing(r.attack))


def bars(what: PageData, found: Played) -> str:
    """A bar a treatment, as HTML: how much comes out, hatched where the attacker knows it."""
    attack = what.record.attack
    guess = attack in PAIRED
    head = f"<b>{escape(words.UNIT[attack])}</b>"
    mark = '<i class="guess">50: a mere guess</i>' if guess else ""
    rows = "".join(_bar(words.TITLES[name], found.by[name]) for name in NAMES)
    kind = "bars guessed" if guess else "bars"
    odds = f"<small>{escape(words.in_short(what))}</small>"
    return f'<div class="{kind}"><p>{head}{mark}</p><ul>{rows}</ul>{odds}</div>'


def _bar(title: str, outcome: Outcome) -> str:
    known = outcome.share is not None
    number = words.of_hundred(outcome.share) if outcome.share is not None else "?"
    wide = 100 * (outcome.share or 0.0)
    kind = "open" if outcome.sure and wide > 0 else "safe"
    told = f"{title}: {number} of 100" if known else f"{title}: not known yet"
    return (
        f'<li aria-label="{escape(told)}"><span>{escape(title)}</span>'
        f'<em><i class="{kind}" style="width:{wide:.2f}%"></i></em><strong>{number}</strong></li>'
    )
