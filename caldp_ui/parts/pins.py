"""What is pinned, beside what is shown now: its picture, its sentence, and the numbers that differ.

Room: parts.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import pandas as pd
import streamlit as st

from caldp_core.experiments.run import Result
from caldp_ui.parts import numbers
from caldp_ui.session.pins import PinSlot
from caldp_ui.session.slot import R
from caldp_ui.words import formats, policies
from caldp_ui.words.vocabulary import Vocabulary

T = TypeVar("T")


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


def show(slot: PinSlot[R], beside: Beside[R, T], now: T) -> None:
    """What is pinned, if anything is: its picture, and a table of what differs."""
    record = slot.pinned
    if record is None:
        return
    pinned = beside.find(record)
    with st.container(key=slot.key("pinned")):
        column = beside.numbers(pinned)
        if not column:
            st.info("What is pinned takes longer than a second; unpin it, or pin a quick one.")
            return
        st.markdown(f"**Pinned: {beside.title(record)}** · {beside.said(pinned)}")
        beside.picture(now, pinned)
        st.table(differences(beside.numbers(now), column))


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
