"""Your data: paste a text or choose a file, confirm what was understood, then the page shows it.

Each of the two has a button of its own, so that the text is never taken for the file. It stays in
the memory of the machine that runs the dashboard until it is counted; nothing here writes it
anywhere, and of its rows nothing but counts is kept. A scenario's file opens, too.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Generic

import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import OWN_NAME_MAX, OWN_TEXT_MAX
from caldp_core.datasets import check_size
from caldp_core.datasets.own import check_line
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.errors import escape_markdown
from caldp_ui.app.uploads import release
from caldp_ui.parts import own_file
from caldp_ui.parts.own_file import C, Columns, UploadedFile
from caldp_ui.session import handover, visitor_data
from caldp_ui.session.notices import notify, show_toast_later
from caldp_ui.session.page_state import PageState
from caldp_ui.session.scenarios import S, make_safe
from caldp_ui.session.ticking import run_page

_PASTE: Final = "Paste"
_CHOOSE: Final = "Choose a file"
_KINDS: Final = "CSV, Excel, Parquet or GeoJSON, packed or not; or a scenario.json"
_TOLD_MAX: Final = 600
"""Most characters of an error on the form: it may quote the data."""
_TOO_LONG: Final = (
    "Too long for a link: loaded anew, the page forgets these data, while scenario.json under "
    "“Share and export” keeps them."
)
_WHERE: Final = (
    "Your data go to the machine that runs this dashboard (your own, if the address begins with "
    "localhost) and are never written to its disk. It keeps their counts alone, while you are "
    "here. The address bar holds short ones as well: who gets the link gets the counts. This is a "
    "rehearsal with true answers; in earnest each person's own device would randomise, and nobody "
    "would have this list."
)


@dataclass(frozen=True)
class Form(Generic[C]):
    """A page's form for a visitor's own data.

    `title`: of the form; `instructions`: the format of the data, as Markdown; `label`: of the text;
    `example`: the text at first, and `name`: its name; `default`: the name of data without one.
    `columns`: how a file is read; `apply_counts(scenario, counts)`: the scenario with the counts;
    `next_step`: what to do next, as a sentence. `hidden_choices`: where the form asks what of the
    counts is hidden, the answers, and what each makes of the scenario.
    """

    title: str
    instructions: str
    label: str
    example: str
    name: str
    default: str
    columns: Columns[C]
    apply_counts: Callable[[Scenario, C], Scenario]
    next_step: Callable[[C], str]
    hidden_choices: Callable[[C], Mapping[str, Callable[[Scenario], Scenario]]] = lambda _: {}


def popover(slot: PageState[S], form: Form[Any]) -> None:
    """A button, and the form that it opens; drawn only while it is open."""
    if handover.take_part(slot.page, "own"):
        st.session_state[slot.key("own")] = True
    counted = st.session_state.pop(_state_key(slot, "own-counted"), None)
    if counted is not None:
        _accept(slot, form, *counted)  # before the form is drawn, which it closes
        run_page()
    popup = st.popover(
        "Your data",
        icon=":material/upload_file:",
        help=f"{form.title}: paste it, or choose a file.",
        key=slot.key("own"),
        on_change="rerun",
    )
    if popup.open:
        with popup, st.container(key=slot.key("own-panel"), gap="small"):
            _show(slot, form)


def _show(slot: PageState[S], form: Form[C]) -> None:
    st.markdown(f"**{form.title}** · {form.instructions}")
    upload: UploadedFile | None = st.session_state.get(_state_key(slot, "own-held"))
    if upload is not None and _confirm(slot, form, upload):
        return
    wrong = st.session_state.get(_state_key(slot, "wrong"))
    if wrong:
        st.error(escape_markdown(wrong[:_TOLD_MAX]), icon=":material/error:")
    pasted, chosen = st.tabs([_PASTE, _CHOOSE], key=slot.key("own-way"))
    with pasted, st.form(slot.key("own-form"), border=False):
        _restore_widget(slot, "own-text", form.example)
        st.text_area(form.label, height=130, key=slot.key("own-text"))
        _name_input(slot, "own-name")
        _submit(slot, "own-show", "Read the text", lambda: _take_text(slot, form))
    with chosen, st.form(slot.key("own-file-form"), border=False):
        # Any kind: a file that the browser holds back could not be answered by an error.
        st.file_uploader(_KINDS, key=slot.key("own-file"))
        _name_input(slot, "own-file-name")
        _submit(slot, "own-file-show", "Read the file", lambda: _take_file(slot, form))
    st.caption(_WHERE)


def _confirm(slot: PageState[S], form: Form[C], upload: UploadedFile) -> bool:
    """Show what was understood, and the button that accepts it; False if it was refused."""
    try:
        with st.container(key=slot.key("own-seen"), gap="small"):
            counts = own_file.show(slot, form.columns, upload)
    except CaldpError as error:
        st.session_state[_state_key(slot, "wrong")] = str(error)
        _discard_upload(slot)
        return False
    way = _ask_hidden(slot, form, counts)
    if counts is not None and st.session_state.pop(_state_key(slot, "own-wanted"), False):
        st.session_state[_state_key(slot, "own-counted")] = counts, way
        run_page()
    with st.container(horizontal=True, gap="small"):
        if counts is not None:
            answers = own_file.form_answers(slot, upload)
            st.button(
                "Show it",
                type="primary",
                icon=":material/check:",
                key=slot.key("own-accept"),
                on_click=lambda: _show_or_count(slot, form, counts, way, answers),
            )
        st.button(
            "Choose another", key=slot.key("own-again"), on_click=lambda: _discard_upload(slot)
        )
    return True


def _show_or_count(
    slot: PageState[S],
    form: Form[C],
    found: C,
    way: Callable[[Scenario], Scenario],
    answers: dict[str, object],
) -> None:
    """Show the counts, or, where a quick hand has chosen anew since, count first."""
    upload: UploadedFile | None = st.session_state.get(_state_key(slot, "own-held"))
    if upload is None or own_file.form_answers(slot, upload) == answers:
        _accept(slot, form, found, way)
    else:
        st.session_state[_state_key(slot, "own-wanted")] = True


def _ask_hidden(
    slot: PageState[Any], form: Form[C], found: C | None
) -> Callable[[Scenario], Scenario]:
    """The visitor's choice of what is hidden, where the form asks; at first the most."""
    ways = {} if found is None else form.hidden_choices(found)
    if not ways:
        return lambda scenario: scenario
    picked = st.radio("Sensitive is …", list(ways), key=slot.key("own-hidden"))
    return ways[picked or next(iter(ways))]


def _discard_upload(slot: PageState[Any]) -> None:
    st.session_state.pop(_state_key(slot, "own-wanted"), None)
    upload: UploadedFile | None = st.session_state.pop(_state_key(slot, "own-held"), None)
    if upload is not None:
        upload.discard()
    own_file.forget(slot)


def _accept(
    slot: PageState[S], form: Form[C], found: C, way: Callable[[Scenario], Scenario]
) -> None:
    """Show the counts and close the form; the form shows the error if that fails."""
    _discard_upload(slot)
    try:
        record = slot.current()
        _show_scenario(slot, way(form.apply_counts(record.scenario, found)), form.next_step(found))
    except CaldpError as error:
        st.session_state[_state_key(slot, "wrong")] = str(error)


def _submit(slot: PageState[Any], name: str, label: str, take: Callable[[], None]) -> None:
    st.form_submit_button(label, type="primary", key=slot.key(name), on_click=take)


def _name_input(slot: PageState[Any], name: str) -> None:
    _restore_widget(slot, name, "")
    st.text_input("Name", max_chars=OWN_NAME_MAX, placeholder="what to call it", key=slot.key(name))


def _restore_widget(slot: PageState[Any], name: str, value: str) -> None:
    """A widget's own entry dies while the form is closed."""
    st.session_state.setdefault(slot.key(name), st.session_state.get(_state_key(slot, name), value))


def _state_key(slot: PageState[Any], name: str) -> str:
    return f"{slot.page}/{name}"


def _take_text(slot: PageState[S], form: Form[C]) -> None:
    text = st.session_state[slot.key("own-text")]
    name = _typed(slot, "own-name") or (form.name if text == form.example else "")

    def put() -> None:
        check_size(text)
        _store(slot, form, text.encode("utf-8", "replace"), "Your text", name)

    _receive(slot, put)


def _take_file(slot: PageState[S], form: Form[C]) -> None:
    def put() -> None:
        file = st.session_state[slot.key("own-file")]
        if file is None:
            raise CaldpError(_no_file())
        data = file.getvalue()
        release(file.file_id)
        stem = " ".join(Path(file.name).stem.split())[:OWN_NAME_MAX].strip()
        _store(slot, form, data, file.name, _typed(slot, "own-file-name") or stem)

    _receive(slot, put)


def _receive(slot: PageState[S], put: Callable[[], None]) -> None:
    """Keep an upload to be read; the form shows the error if that fails."""
    for name in ("own-text", "own-name", "own-file-name"):
        st.session_state[_state_key(slot, name)] = st.session_state[slot.key(name)]
    st.session_state[_state_key(slot, "wrong")] = None
    _discard_upload(slot)
    try:
        put()
    except CaldpError as error:
        st.session_state[_state_key(slot, "wrong")] = str(error)


def _store(slot: PageState[S], form: Form[C], data: bytes, file: str, name: str) -> None:
    """Keep data, or show the scenario that they are; raises `CaldpError` if that can't be shown."""
    text = _scenario_in(data)
    if text is not None:
        check_size(text)
        _show_scenario(slot, make_safe(Scenario.from_text(text)), "")
        return
    number = st.session_state.get(_state_key(slot, "own-number"), 0) + 1
    st.session_state[_state_key(slot, "own-number")] = number
    title = check_line("The name", name) if name else form.default
    st.session_state[_state_key(slot, "own-held")] = UploadedFile(data, file, title, number)


def _show_scenario(slot: PageState[S], scenario: Scenario, then: str) -> None:
    """Show a scenario with data of one's own, and close the form."""
    slot.put(replace(slot.current(), scenario=scenario))
    visitor_data.keep_all(scenario)
    st.session_state[slot.key("own")] = False
    if visitor_data.lacks_data(slot.query()):
        notify(f"{_TOO_LONG} {then}".strip())
    elif then:
        show_toast_later(then)


def _scenario_in(data: bytes) -> str | None:
    """The text of a scenario; GeoJSON begins as one does, and says what it is."""
    text = data[: 2 * OWN_TEXT_MAX].decode("utf-8", "replace")
    is_json = text.removeprefix("\ufeff").lstrip().startswith("{")
    return text if is_json and '"coordinates"' not in text else None


def _no_file() -> str:
    return (
        "There is no file to read: files may have up to "
        f"{st.get_option('server.maxUploadSize')} MB, and what the browser refuses never arrives; "
        "count larger ones with “caldp count”, and bring the counts."
    )


def _typed(slot: PageState[Any], name: str) -> str:
    return " ".join(st.session_state[slot.key(name)].split())
