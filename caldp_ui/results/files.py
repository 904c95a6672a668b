"""The files of a collection that a visitor brings: read beside the page, kept in the visit."""

from dataclasses import dataclass
from typing import Final

import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.collect.results import Results, made_up_week
from caldp_core.collect.upload import Collection, read_collection
from caldp_ui.app.errors import escape_markdown
from caldp_ui.app.upkeep import THREAD_PREFIX
from caldp_ui.app.uploads import release
from caldp_ui.results.page_state import STATE, ResultsState
from caldp_ui.session import jobs
from caldp_ui.session.fair_pool import FairPool

_FILES_KEY: Final = "results/files"
_NUMBER_KEY: Final = "results/number"
_ERROR_KEY: Final = "results/wrong"
_JOBS: Final = ("results/read", "results/estimate")
_POPOVER: Final = STATE.key("own")
_UPLOADER: Final = STATE.key("files")
_ERROR_MAX: Final = 600
"""Most characters of what is wrong: it may quote what was given."""
_STORAGE_NOTE: Final = (
    "The files go to the machine that runs this dashboard (your own, if the address begins with "
    "localhost), are never written to its disk, and are gone when you close the page. A link holds "
    "none of them. They hold noisy reports added up, and nobody's true answer."
)


class UploadedFiles:
    """Files of a visit by name, and their `number` in it; after `discard` it holds nothing."""

    def __init__(self, files: tuple[tuple[str, bytes], ...], number: int) -> None:
        self.number, self._files = number, files

    def read(self) -> Collection:
        """The collection that they are; raises `CaldpError`."""
        found = read_collection(self._files)
        self.discard()
        return found

    def discard(self) -> None:
        """Hold no data any more."""
        self._files = ()


@dataclass(frozen=True, eq=False)
class ResultsData:
    """What the page shows; `is_example`: the example, as the visitor has brought nothing."""

    results: Results
    is_example: bool


@st.cache_resource
def _pool() -> FairPool:
    """A protocol of a million values takes a gigabyte while it is read: one at a time."""
    return FairPool(1, 1, f"{THREAD_PREFIX}collection")


def load_data(record: ResultsState) -> ResultsData | None:
    """The results of the visitor's files, or of the example; None while they are on their way.

    Files that are no collection are put away; the form says why.
    """
    held: UploadedFiles | None = st.session_state.get(_FILES_KEY)
    if held is not None:
        try:
            return _load_uploaded(held, record.level)
        except CaldpError as error:
            _discard_files()
            st.session_state[_ERROR_KEY] = str(error)
            st.session_state[_POPOVER] = True
    return ResultsData(made_up_week().results(record.level), is_example=True)


def _load_uploaded(upload: UploadedFiles, level: float) -> ResultsData | None:
    read, estimate = _JOBS
    collection: Collection | None = jobs.run_automatically(
        read, str(upload.number), lambda _: upload.read(), lambda _: "Reading the files …", _pool
    )
    if collection is None:
        return None
    results: Results | None = jobs.run_automatically(
        estimate,
        f"{upload.number}/{level}",
        lambda _: collection.results(level),
        lambda _: "Estimating …",
        _pool,
    )
    return None if results is None else ResultsData(results, is_example=False)


def popover(*, is_example: bool) -> None:
    """A button, and the form that it opens; `made_up`: nothing was brought yet."""
    if not is_example:
        st.button(
            "Example", icon=":material/science:", key=STATE.key("example"), on_click=_discard_files
        )
    form = st.popover(
        "Your files", icon=":material/upload_file:", key=_POPOVER, on_change="rerun",
        help="The tallies of your collection, or its estimate, and its protocol.",
    )  # fmt: skip
    if form.open:
        with form, st.container(key=STATE.key("own-panel"), gap="small"):
            _form()


def _form() -> None:
    st.markdown(
        "**The files of your collection** · protocol.json, and all `*.tally.json` files of it: one "
        "a day shows what came when. Or protocol.json with estimate.csv, and record.json if there "
        "is one. docs/collect.md says how they are made."
    )
    wrong = st.session_state.get(_ERROR_KEY)
    if wrong:
        st.error(escape_markdown(wrong[:_ERROR_MAX]), icon=":material/error:")
    with st.form(STATE.key("form"), border=False, clear_on_submit=True):
        # Any kind: what a browser holds back, nobody can be told about.
        st.file_uploader("Protocol and tallies", accept_multiple_files=True, key=_UPLOADER)
        st.form_submit_button(
            "Show them", type="primary", key=STATE.key("show"), on_click=_receive_files
        )
    st.caption(_STORAGE_NOTE)


def _receive_files() -> None:
    """Keep what was brought, to be read."""
    files = st.session_state[_UPLOADER]
    _discard_files()
    if not files:
        st.session_state[_ERROR_KEY] = (
            "There is no file to read; choose protocol.json and the tallies together, "
            f"{st.get_option('server.maxUploadSize')} MB in all."
        )
        return
    st.session_state[_NUMBER_KEY] = st.session_state.get(_NUMBER_KEY, 0) + 1
    taken = tuple((file.name, file.getvalue()) for file in files)
    for file in files:
        release(file.file_id)
    st.session_state[_FILES_KEY] = UploadedFiles(taken, st.session_state[_NUMBER_KEY])
    st.session_state[_POPOVER] = False


def _discard_files() -> None:
    """Let go of the files and of all that was made of them."""
    held: UploadedFiles | None = st.session_state.pop(_FILES_KEY, None)
    st.session_state[_ERROR_KEY] = None
    if held is not None:
        held.discard()
    for each in _JOBS:
        job = st.session_state.pop(jobs.job_key(each), None)
        if job is not None:
            job.leave()
