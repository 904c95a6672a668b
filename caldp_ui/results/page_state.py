"""State of the page beside the files: level of the intervals, and reports of one person.

A link holds these two alone: a collection's files stay in the visit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import streamlit as st

from caldp_core.basics.errors import CaldpError, check_choice
from caldp_core.collect.estimate import Collection, Results, made_up_week, read_collection
from caldp_core.estimation.intervals import Looks, every_look, one_look
from caldp_ui.app.delivery import THREAD_PREFIX
from caldp_ui.app.texts import escape_markdown, read_texts
from caldp_ui.controls import choices
from caldp_ui.server.uploads import take_content, was_taken
from caldp_ui.session import jobs
from caldp_ui.session.links import RecordLink
from caldp_ui.session.page_state import PageState
from caldp_ui.session.visit import UploadedFile

LEVELS: Final = (0.8, 0.9, 0.95, 0.99, 0.999)
TIMES: Final = (1, 2, 3, 5, 7, 10, 30, 100, 365)


@dataclass(frozen=True)
class ResultsState:
    """The page's record. `level`: chance that an interval holds its share, one of `LEVELS`.

    `times`: reports of one person, one of `TIMES`. `running`: reports still come, so that ranges
    hold at every look.
    """

    level: float = 0.95
    times: int = 3
    running: bool = False

    @property
    def looks(self) -> Looks:
        """Looks at which the ranges hold together."""
        return every_look if self.running else one_look


def _check(record: ResultsState) -> None:
    """Raise `CaldpError` for a level or a number of reports that the page does not offer."""
    check_choice("level", record.level, LEVELS)
    check_choice("times", record.times, TIMES)


LINK: Final = RecordLink(ResultsState(), _check)
STATE: Final = PageState("results", LINK)


_FILES_KEY: Final = "results/files"
_NUMBER_KEY: Final = "results/number"
_ERROR_KEY: Final = "results/wrong"
_JOBS: Final = ("results/read", "results/estimate")
_POPOVER: Final = STATE.key("own")
_UPLOADER: Final = STATE.key("files")
_ERROR_MAX: Final = 600
"""Most characters of an error message: it may quote the files."""
TEXTS: Final = read_texts(__file__)


@dataclass(frozen=True, eq=False)
class ResultsData:
    """Results on the page; `is_example`: of the example, as nothing was uploaded."""

    results: Results
    is_example: bool


@st.cache_resource
def _pool() -> jobs.FairPool:
    """Pool of one worker: a protocol of a million values takes a gigabyte while it is read."""
    return jobs.FairPool(1, 1, f"{THREAD_PREFIX}collection")


def load_data(record: ResultsState) -> ResultsData | None:
    """Results of the uploaded files, or of the example; None while they are computed.

    Files that are not a collection are discarded; the form shows why.
    """
    files: Sequence[UploadedFile] = st.session_state.get(_FILES_KEY, ())
    if files:
        try:
            return _load_uploaded(files, record)
        except CaldpError as error:
            _discard_files()
            st.session_state[_ERROR_KEY] = str(error)
            st.session_state[_POPOVER] = True
    return ResultsData(made_up_week().results(record.level, record.looks), is_example=True)


def _load_uploaded(files: Sequence[UploadedFile], record: ResultsState) -> ResultsData | None:
    def read() -> Collection:
        collection = read_collection(tuple((each.name, each.data) for each in files))
        for each in files:
            each.discard()
        return collection

    (at_reading, at_estimating), number = _JOBS, files[0].number
    collection: Collection | None = jobs.run_automatically(
        at_reading, str(number), lambda _: read(), lambda _: "Reading the files …", _pool
    )
    if collection is None:
        return None
    results: Results | None = jobs.run_automatically(
        at_estimating,
        f"{number}/{record.level}/{record.running}",
        lambda _: collection.results(record.level, record.looks),
        lambda _: "Estimating …",
        _pool,
    )
    return None if results is None else ResultsData(results, is_example=False)


def popover(*, is_example: bool) -> None:
    """Show the form for files; beside it, unless `is_example`, the button back to the example."""
    if not is_example:
        STATE.button("example", "Example", _discard_files, icon="science")
    help_text = "The tallies of your collection, or its estimate, and its protocol."
    icon = ":material/upload_file:"
    choices.fold(st.popover, "Your files", _POPOVER, _panel, icon=icon, help=help_text)


def _panel() -> None:
    with st.container(key=STATE.key("own-panel"), gap="small"):
        st.markdown(TEXTS["files"])
        error = st.session_state.get(_ERROR_KEY)
        if error:
            st.error(escape_markdown(error[:_ERROR_MAX]), icon=":material/error:")
        with st.form(STATE.key("form"), border=False, clear_on_submit=True):
            # Any kind of file: one that the browser refuses could not be reported as an error.
            st.file_uploader("Protocol and tallies", accept_multiple_files=True, key=_UPLOADER)
            st.form_submit_button(
                "Show them", type="primary", key=STATE.key("show"), on_click=_receive_files
            )
        st.caption(TEXTS["storage"])


def _receive_files() -> None:
    """Store the uploaded files, to be read."""
    files = st.session_state.get(_UPLOADER)
    # The first of two quick clicks has taken them, or has closed the form that they were in.
    if files is None or any(map(was_taken, files)):
        return
    _discard_files()
    if not files:
        most = st.get_option("server.maxUploadSize")
        st.session_state[_ERROR_KEY] = TEXTS["no_file"].format(most=most)
        return
    number = st.session_state[_NUMBER_KEY] = st.session_state.get(_NUMBER_KEY, 0) + 1
    st.session_state[_FILES_KEY] = [
        UploadedFile(take_content(file), file.name, "", number) for file in files
    ]
    st.session_state[_POPOVER] = False


def _discard_files() -> None:
    """Discard the files and all jobs on them."""
    st.session_state[_ERROR_KEY] = None
    for file in st.session_state.pop(_FILES_KEY, ()):
        file.discard()
    for each in _JOBS:
        job = st.session_state.pop(jobs.job_key(each), None)
        if job is not None:
            job.leave()
