"""Your data: paste a text or choose a file, and the page shows it; a scenario's file opens, too.

Each of the two has a button of its own, so that the text is never taken for the file. What is
brought is checked before it is shown. It stays in the memory of the machine that runs the
dashboard; nothing here writes it anywhere.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import OWN_NAME_MAX, OWN_TEXT_MAX
from caldp_core.datasets import check_size
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.errors import as_text
from caldp_ui.session import handover, own
from caldp_ui.session.notices import hint, notify
from caldp_ui.session.scenarios import S, made_safe
from caldp_ui.session.slot import Slot

_PASTE: Final = "Paste"
_CHOOSE: Final = "Choose a file"
_NO_FILE: Final = (
    f"There is no file to show: files may have up to {OWN_TEXT_MAX / 2**20:g} MB, and what the "
    "browser refuses never arrives; choose a smaller one, with equal lines put together."
)
_TOLD_MAX: Final = 600
"""Most characters of what is wrong: it may quote what was given."""
_TOO_LONG: Final = (
    "Too long for a link: loaded anew, the page forgets these data, while scenario.json under "
    "“Share and export” keeps them."
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
    take: Callable[[Scenario, str | bytes, str], Taken]


def popover(slot: Slot[S], form: Form) -> None:
    """A button, and the form that it opens; drawn only while it is open."""
    if handover.take_part(slot.page, "own"):
        st.session_state[slot.key("own")] = True
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


def _show(slot: Slot[S], form: Form) -> None:
    st.markdown(f"**{form.title}** · {form.told}")
    wrong = st.session_state.get(_place(slot, "wrong"))
    if wrong:
        st.error(as_text(wrong[:_TOLD_MAX]), icon=":material/error:")
    pasted, chosen = st.tabs([_PASTE, _CHOOSE], key=slot.key("own-way"))
    with pasted, st.form(slot.key("own-form"), border=False):
        _kept(slot, "own-text", form.example)
        st.text_area(form.label, height=130, key=slot.key("own-text"))
        _name_input(slot, "own-name")
        _submit(slot, "own-show", "Show the text", lambda: _take_text(slot, form))
    with chosen, st.form(slot.key("own-file-form"), border=False):
        # Any kind: what a browser holds back, nobody can be told about.
        st.file_uploader("CSV, TSV, plain text, or a scenario.json", key=slot.key("own-file"))
        _name_input(slot, "own-file-name")
        _submit(slot, "own-file-show", "Show the file", lambda: _take_file(slot, form))
    st.caption(_WHERE)


def _submit(slot: Slot[Any], name: str, label: str, take: Callable[[], None]) -> None:
    st.form_submit_button(label, type="primary", key=slot.key(name), on_click=take)


def _name_input(slot: Slot[Any], name: str) -> None:
    _kept(slot, name, "")
    st.text_input("Name", max_chars=OWN_NAME_MAX, placeholder="what to call it", key=slot.key(name))


def _kept(slot: Slot[Any], name: str, value: str) -> None:
    """A widget's own entry dies while the form is closed."""
    st.session_state.setdefault(slot.key(name), st.session_state.get(_place(slot, name), value))


def _place(slot: Slot[Any], name: str) -> str:
    return f"{slot.page}/{name}"


def _take_text(slot: Slot[S], form: Form) -> None:
    text = st.session_state[slot.key("own-text")]
    name = _typed(slot, "own-name") or (form.name if text == form.example else "")
    _take(slot, lambda: _put(slot, form, text, name))


def _take_file(slot: Slot[S], form: Form) -> None:
    def put() -> None:
        file = st.session_state[slot.key("own-file")]
        if file is None:
            raise CaldpError(_NO_FILE)
        stem = " ".join(Path(file.name).stem.split())[:OWN_NAME_MAX].strip()
        _put(slot, form, file.getvalue(), _typed(slot, "own-file-name") or stem)

    _take(slot, put)


def _take(slot: Slot[S], put: Callable[[], None]) -> None:
    """Show what was brought and close the form; what can't be shown is told in the form."""
    for name in ("own-text", "own-name", "own-file-name"):
        st.session_state[_place(slot, name)] = st.session_state[slot.key(name)]
    try:
        put()
    except CaldpError as error:
        st.session_state[_place(slot, "wrong")] = str(error)
        return
    st.session_state[_place(slot, "wrong")] = None
    st.session_state[slot.key("own")] = False


def _put(slot: Slot[S], form: Form, data: str | bytes, name: str) -> None:
    """Show the data, or the scenario, that a text holds; raises `CaldpError` if it holds none."""
    record = slot.now()
    text = _scenario_in(data)
    if text is not None:
        check_size(text)
        taken = Taken(made_safe(Scenario.from_text(text)), "", "")
    else:
        taken = form.take(record.scenario, data, name)
    slot.put(replace(record, scenario=taken.scenario))
    own.keep(taken.scenario.dataset)
    too_long = _TOO_LONG if own.is_left_out(slot.query()) else ""
    told = " ".join(filter(None, (taken.left_out, too_long, taken.then)))
    if taken.left_out or too_long:
        notify(told)
    elif told:
        hint(told)


def _scenario_in(data: str | bytes) -> str | None:
    """The text of a scenario; GeoJSON begins as one does, and says what it is."""
    text = data if isinstance(data, str) else data[: 2 * OWN_TEXT_MAX].decode("utf-8", "replace")
    is_json = text.removeprefix("\ufeff").lstrip().startswith("{")
    return text if is_json and '"coordinates"' not in text else None


def _typed(slot: Slot[Any], name: str) -> str:
    return " ".join(st.session_state[slot.key(name)].split())
