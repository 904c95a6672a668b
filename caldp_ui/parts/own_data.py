"""Your data: paste a text or choose a file, and the page shows it; a scenario's file opens, too.

Room: parts. What is brought is checked before it is shown. It stays in the memory of the machine
that runs the dashboard; nothing here writes it anywhere.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import OWN_NAME_MAX
from caldp_core.datasets import check_size, text_of
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.errors import as_text
from caldp_ui.session import own
from caldp_ui.session.notices import hint, notify
from caldp_ui.session.scenarios import S, made_safe
from caldp_ui.session.slot import Slot

_FILES: Final = ("csv", "tsv", "txt", "json")
_TOLD_MAX: Final = 600
"""Most characters of what is wrong: it may quote what was given."""
_TOO_LONG: Final = (
    "Too long for a link: loaded anew, the page forgets these data, while scenario.json under "
    "“Hand it on” keeps them."
)
_WHERE: Final = (
    "Your data go to the machine that runs this dashboard (your own, if the address begins with "
    "localhost), stay in its memory and are never written to its disk. The address bar holds short "
    "ones as well: who gets the link gets the data. This is a rehearsal with true answers; in "
    "earnest each person's own device would randomise, and nobody would have this list."
)


@dataclass(frozen=True)
class Taken:
    """A scenario with the data that were brought.

    `left_out`: what of them is not in it, as a sentence, or empty. `then`: what to do next.
    """

    scenario: Scenario
    left_out: str
    then: str


@dataclass(frozen=True)
class Form:
    """What a page takes.

    `title`: of the form; `told`: in what form data come, as Markdown; `label`: of the text;
    `example`: what stands there at first, and `name`: what that is called. `take(scenario, text,
    name)` reads a text, or raises `CaldpError`; the name is empty where nobody gave one.
    """

    title: str
    told: str
    label: str
    example: str
    name: str
    take: Callable[[Scenario, str, str], Taken]


def popover(slot: Slot[S], form: Form) -> None:
    """A button, and the form that it opens; drawn only while it is open."""
    held = st.popover(
        "Your data",
        icon=":material/upload_file:",
        help=f"{form.title}: paste it, or choose a file.",
        key=slot.key("own"),
        on_change="rerun",
    )
    if held.open:
        with held:
            _show(slot, form)


def lead_to(slot: Slot[Any]) -> None:
    """The form of a slot's page is open once that page is shown."""
    st.session_state[slot.key("own")] = True


def _show(slot: Slot[S], form: Form) -> None:
    st.markdown(f"**{form.title}** · {form.told}")
    wrong = st.session_state.get(_place(slot, "wrong"))
    for name, value in (("own-text", form.example), ("own-name", "")):
        # A widget's own entry dies while the form is closed.
        st.session_state.setdefault(slot.key(name), st.session_state.get(_place(slot, name), value))
    with st.form(slot.key("own-form"), border=False):
        st.text_area(form.label, height=130, key=slot.key("own-text"))
        left, right = st.columns([3, 2])
        left.file_uploader(
            "or a file: CSV, or a scenario.json",
            type=_FILES,
            key=slot.key("own-file"),
        )
        right.text_input(
            "Name",
            max_chars=OWN_NAME_MAX,
            placeholder="what to call it",
            key=slot.key("own-name"),
        )
        if wrong:
            st.error(as_text(wrong[:_TOLD_MAX]), icon=":material/error:")
        st.form_submit_button(
            "Show it", type="primary", key=slot.key("own-show"), on_click=_take, args=(slot, form)
        )
    st.caption(_WHERE)


def _place(slot: Slot[Any], name: str) -> str:
    return f"{slot.page}/{name}"


def _take(slot: Slot[S], form: Form) -> None:
    """Show what the form holds and close it; what can't be shown is told in the form."""
    for name in ("own-text", "own-name"):
        st.session_state[_place(slot, name)] = st.session_state[slot.key(name)]
    file = st.session_state[slot.key("own-file")]
    try:
        text = st.session_state[slot.key("own-text")] if file is None else text_of(file.getvalue())
        _put(slot, form, text)
    except CaldpError as error:
        st.session_state[_place(slot, "wrong")] = str(error)
        return
    st.session_state[_place(slot, "wrong")] = None
    st.session_state[slot.key("own")] = False


def _put(slot: Slot[S], form: Form, text: str) -> None:
    """Show the data, or the scenario, that a text holds; raises `CaldpError` if it holds none."""
    check_size(text)
    record = slot.now()
    if text.lstrip().startswith("{"):
        taken = Taken(made_safe(Scenario.from_text(text)), "", "")
    else:
        taken = form.take(record.scenario, text, _name(slot, form, text))
    slot.put(replace(record, scenario=taken.scenario))
    own.keep(taken.scenario.dataset)
    too_long = _TOO_LONG if own.is_left_out(slot.query()) else ""
    told = " ".join(filter(None, (taken.left_out, too_long, taken.then)))
    if taken.left_out or too_long:
        notify(told)
    elif told:
        hint(told)


def _name(slot: Slot[Any], form: Form, text: str) -> str:
    """What was typed, else the name of the file or of the example."""
    typed = " ".join(st.session_state[slot.key("own-name")].split())
    file = st.session_state[slot.key("own-file")]
    if typed or file is None:
        return typed or (form.name if text == form.example else "")
    return " ".join(Path(file.name).stem.split())[:OWN_NAME_MAX].strip()
