"""What is pinned, beside what is shown: a picture, the numbers that differ, and all as files."""

import io
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Generic, TypeVar

import pandas as pd
import streamlit as st

from caldp_core.domain.grid import Area, GridDomain
from caldp_core.experiments.run import Result, Setup
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import exports, runs
from caldp_ui.controls.common import REDRAW_HELP, redraw_button
from caldp_ui.parts import numbers, pictures, sharing
from caldp_ui.session.page_state import R
from caldp_ui.session.pins import PINS_MAX, PinPageState
from caldp_ui.session.scenarios import S
from caldp_ui.stage import Scene, stage
from caldp_ui.words import formats, policies
from caldp_ui.words.vocabulary import Vocabulary

T = TypeVar("T")
MAPS: Final = "pinned-maps"
"""Names the stage of what is pinned in keys."""


def _scenario(record: Any) -> Scenario:
    """A record's own scenario."""
    scenario: Scenario = record.scenario
    return scenario


def _no_files(data: object) -> dict[str, bytes]:
    del data
    return {}


@dataclass(frozen=True)
class PinView(Generic[R, T]):
    """How a page shows a pinned record.

    `load`: its data, without waiting. `title`: its title; `describe`: the sentence of its result.
    `numbers`: the column of a table, also of what is shown now; empty before there is a result.
    `picture(current, pinned)`: draws it. `scenario`: what is written into a file of it; `files`:
    its pictures as PNG by name.
    """

    load: Callable[[R], T]
    title: Callable[[R], str]
    describe: Callable[[T], str]
    numbers: Callable[[T], Mapping[str, str]]
    picture: Callable[[T, T], None]
    scenario: Callable[[R], Scenario] = _scenario
    files: Callable[[T], Mapping[str, bytes]] = _no_files


def redraw_and_pin(
    state: PinPageState[S], title: Callable[[S], str], help_text: str = REDRAW_HELP
) -> None:
    """The buttons that draw new noise and that pin; `help_text`: what new noise leaves as it is."""
    with st.container(horizontal=True, gap="xsmall", key=state.key("again")):
        redraw_button(state, help_text)
        pin_button(state, title)


def pin_button(state: PinPageState[R], title: Callable[[R], str]) -> None:
    """The button that pins what is shown, and the menu of what is pinned, by `title`."""
    full = len(state.pins) >= PINS_MAX
    st.button(
        "Pin",
        icon=":material/keep:",
        key=state.key("pin"),
        on_click=state.pin,
        disabled=not state.can_pin,
        help=f"Up to {PINS_MAX} are kept; let one go first."
        if full
        else "Keeps this to compare it with what you try next.",
    )
    if not state.pins:
        return
    popup = st.popover(
        f"Pinned {len(state.pins)}",
        icon=":material/push_pin:",
        key=state.key("pins"),
        on_change="rerun",
    )
    if popup.open:
        with popup, st.container(key=state.key("pinned-menu")):
            _menu(state, title)


def _menu(state: PinPageState[R], title: Callable[[R], str]) -> None:
    for number, record in enumerate(state.pins, 1):
        with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
            st.button(
                f"{number}: {title(record)}",
                key=state.key(f"choose-{number}"),
                type="primary" if record == state.pinned else "secondary",
                width="stretch",
                on_click=state.choose_pin,
                args=(record,),
            )
            st.button(
                f"Unpin {number}",
                key=state.key(f"unpin-{number}"),
                icon=":material/keep_off:",
                on_click=state.unpin,
                args=(record,),
            )
    st.caption("The chosen one is drawn beside what you try; the table below compares all.")
    if len(state.pins) > 1:
        st.button("Unpin all", key=state.key("unpin-all"), on_click=state.unpin_all)


def pinned_data(state: PinPageState[R], view: PinView[R, T]) -> T | None:
    """Data of the chosen pin, for a picture that shows both; None if nothing is pinned."""
    return None if state.pinned is None else view.load(state.pinned)


def show(state: PinPageState[R], view: PinView[R, T], current: T) -> None:
    """The chosen pin's picture, a table of what differs between all pins and now, and all files."""
    with st.container(key=state.key("pinned")):  # always there: what follows keeps its place
        if not state.pins:
            return
        if state.pinned is not None:
            _show(state.pinned, view, current)
        pinned = [view.load(record) for record in state.pins]
        titles = [f"pin {at}: {view.title(each)}" for at, each in enumerate(state.pins, 1)]
        table = {
            "now": view.numbers(current),
            **dict(zip(titles, map(view.numbers, pinned), strict=True)),
        }
        st.table(differing_rows(table))
        entries = {"now": (state.current(), current)}
        for at, pair in enumerate(zip(state.pins, pinned, strict=True), 1):
            entries[f"pin-{at}"] = pair
        make = partial(pack, view, table, entries)
        scenarios = [view.scenario(record) for record, _ in entries.values()]
        sharing.true_file(state.key("pins-zip"), "pins.zip", make, *scenarios)


def _show(record: R, view: PinView[R, T], current: T) -> None:
    pinned = view.load(record)
    if not view.numbers(pinned):
        st.info("What is pinned takes longer than a second; unpin it, or pin a quick one.")
        return
    st.markdown(f"**Pinned: {view.title(record)}** · {view.describe(pinned)}")
    view.picture(current, pinned)


def pack(
    view: PinView[R, T],
    table: Mapping[str, Mapping[str, str]],
    entries: Mapping[str, tuple[R, T]],
) -> bytes:
    """A ZIP file: the table as compare.csv, and of each of `entries` its scenario and pictures."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("compare.csv", exports.csv(comparison_table(table).reset_index()))
        for folder, (record, data) in entries.items():
            packed.writestr(f"{folder}/scenario.json", exports.scenario_json(view.scenario(record)))
            for name, png in view.files(data).items():
                packed.writestr(f"{folder}/{name}.png", png)
    return buffer.getvalue()


def map_files(results: Mapping[str, Result | None], part: Area) -> dict[str, bytes]:
    """Pictures of a part of the maps of results, by name, and of the truth that they share."""
    ready = {name: result for name, result in results.items() if result is not None}
    if not ready:
        return {}
    first = next(iter(ready.values())).setup
    shares = {name: result.first.estimate for name, result in ready.items()}
    return pictures.maps(
        {"truth": first.dataset.distribution, **shares},
        runs.map_of(first.dataset),
        part,
        first.n,
    )


def skip_picture(current: object, pinned: object) -> None:
    """Draws nothing: for pages whose own picture shows what is pinned, too."""
    del current, pinned


def maps(state: PinPageState[Any], scene: Scene, current: GridDomain) -> None:
    """The maps of the pins, under the view of the page's own maps, whose grid is `current`."""
    if scene.ground.domain != current:
        st.caption("Its map is another one, so only the numbers stand beside each other.")
        return
    still = replace(scene, actions=(), can_undo=False, can_redo=False, focus=None)
    stage(
        replace(still, label=f"Pinned: {scene.label}", look_hint=Scene.look_hint), state.key(MAPS)
    )


def result_numbers(nouns: Vocabulary, result: Result | None) -> dict[str, str]:
    """The numbers of a result: its levels of privacy, the odds, its errors; empty for None."""
    if result is None:
        return {}
    levels = dict(policies.describe_promise(nouns, result.setup).levels)
    return {**levels, **odds_numbers(nouns, result.setup), **numbers.column(result)}


def odds_numbers(nouns: Vocabulary, setup: Setup) -> dict[str, str]:
    """How many people are protected, and how often an attacker's even guess about one is right."""
    texts = policies.describe_promise(nouns, setup)
    covered = {"protected by nothing": texts.exposed} if texts.exposed else {}
    covered |= {"people protected": formats.out_of(texts.protected_share)}
    if texts.protected_share <= 0.0:
        return covered
    return {
        **covered,
        "right guesses about a protected person, of 100": formats.upper_bound(texts.chance),
    }


def comparison_table(table: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
    """Numbers as rows, titles as columns; "–" for a number that a column lacks."""
    rows = list(dict.fromkeys(row for column in table.values() for row in column))
    columns = {title: [column.get(row, "–") for row in rows] for title, column in table.items()}
    return pd.DataFrame(columns, index=pd.Index(rows, name="number"))


def differing_rows(table: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
    """The rows in which not all are alike."""
    frame = comparison_table(table)
    return frame[frame.nunique(axis=1) > 1]
