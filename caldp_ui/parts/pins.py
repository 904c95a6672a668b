"""What is pinned, beside what is shown now: its picture, its sentence, and the numbers that differ.

Room: parts.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeVar

import pandas as pd
import streamlit as st

from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.run import Result
from caldp_ui.controls.common import SAME_BUT_COINS, another_outcome
from caldp_ui.parts import numbers
from caldp_ui.session.pins import PinSlot
from caldp_ui.session.scenarios import S
from caldp_ui.session.slot import R
from caldp_ui.stage import Scene, stage
from caldp_ui.words import formats, policies
from caldp_ui.words.vocabulary import Vocabulary

T = TypeVar("T")
MAPS: Final = "pinned-maps"
"""Names the stage of what is pinned in keys."""


@dataclass(frozen=True)
class Beside(Generic[R, T]):
    """How a page shows a pinned record.

    `find`: what there is to show of it, at once. `title`: what it is called; `said`: the sentence
    of its result. `numbers`: the column of a table, also of what is shown now; none before there is
    a result. `picture(now, pinned)`: draws it.
    """

    find: Callable[[R], T]
    title: Callable[[R], str]
    said: Callable[[T], str]
    numbers: Callable[[T], Mapping[str, str]]
    picture: Callable[[T, T], None]


def again(slot: PinSlot[S], told: str = SAME_BUT_COINS) -> None:
    """Another outcome, and the button that pins; `told`: what stays the same in another outcome."""
    with st.container(horizontal=True, gap="xsmall", key=slot.key("again")):
        another_outcome(slot, told)
        button(slot)


def button(slot: PinSlot[Any]) -> None:
    """Pin what is shown, or let go of what is pinned."""
    if slot.pinned is None:
        st.button(
            "Pin",
            icon=":material/keep:",
            key=slot.key("pin"),
            on_click=slot.pin,
            help="Keeps this on screen while you try something else beside it.",
        )
    else:
        st.button("Unpin", icon=":material/keep_off:", key=slot.key("unpin"), on_click=slot.unpin)


def found(slot: PinSlot[R], beside: Beside[R, T]) -> T | None:
    """What there is of what is pinned, for a picture that shows both; None if nothing is."""
    return None if slot.pinned is None else beside.find(slot.pinned)


def show(slot: PinSlot[R], beside: Beside[R, T], now: T) -> None:
    """What is pinned, if anything is: its picture, and a table of what differs."""
    with st.container(key=slot.key("pinned")):  # always there: what follows keeps its place
        if slot.pinned is not None:
            _show(slot.pinned, beside, now)


def _show(record: R, beside: Beside[R, T], now: T) -> None:
    pinned = beside.find(record)
    column = beside.numbers(pinned)
    if not column:
        st.info("What is pinned takes longer than a second; unpin it, or pin a quick one.")
        return
    st.markdown(f"**Pinned: {beside.title(record)}** · {beside.said(pinned)}")
    beside.picture(now, pinned)
    st.table(differences(beside.numbers(now), column))


def in_the_picture(now: object, pinned: object) -> None:
    """For pages whose own picture shows what is pinned, too."""
    del now, pinned


def maps(slot: PinSlot[Any], scene: Scene, now: GridDomain) -> None:
    """The maps of what is pinned, under the view of the page's own, which are of the grid `now`."""
    if scene.ground.domain != now:
        st.caption("Its map is another one, so only the numbers stand beside each other.")
        return
    still = replace(scene, actions=(), can_undo=False, can_redo=False, focus=None)
    stage(replace(still, label=f"Pinned: {scene.label}", look_hint=Scene.look_hint), slot.key(MAPS))


def numbers_of(nouns: Vocabulary, result: Result | None) -> dict[str, str]:
    """The numbers of a result: its levels of privacy, the odds, its errors; none of none."""
    if result is None:
        return {}
    told = policies.told(nouns, result.setup)
    odds = {"guessed right from 50:50, of 100": formats.hundred(told.chance)}
    return {**dict(told.levels), **odds, **numbers.column(result)}


def differences(now: Mapping[str, str], pinned: Mapping[str, str]) -> pd.DataFrame:
    """The rows in which the two differ; "–" for what one of them has not."""
    rows = dict.fromkeys([*now, *pinned])
    frame = pd.DataFrame(
        {"now": [now.get(row, "–") for row in rows], "pinned": [pinned.get(r, "–") for r in rows]},
        index=pd.Index(list(rows), name="number"),
    )
    return frame[frame["now"] != frame["pinned"]]
