"""The files of a collection that a visitor brings: read beside the page, kept in the visit."""

from dataclasses import dataclass
from typing import Final

import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.collect.results import Results, made_up_week
from caldp_core.collect.upload import Collection, read_collection
from caldp_ui.app.errors import as_text
from caldp_ui.app.upkeep import THREADS
from caldp_ui.app.uploads import release
from caldp_ui.results.slot import SLOT, ResultsView
from caldp_ui.session import jobs
from caldp_ui.session.fair_pool import FairPool

_HELD: Final = "results/files"
_NUMBER: Final = "results/number"
_WRONG: Final = "results/wrong"
_JOBS: Final = ("results/read", "results/estimate")
_POPOVER: Final = SLOT.key("own")
_UPLOADER: Final = SLOT.key("files")
_WRONG_MAX: Final = 600
"""Most characters of what is wrong: it may quote what was given."""
_WHERE: Final = (
    "The files go to the machine that runs this dashboard (your own, if the address begins with "
    "localhost), are never written to its disk, and are gone when you close the page. A link holds "
    "none of them. They hold noisy reports added up, and nobody's true answer."
)


class Held:
    """Files of a visit by name, and their `number` in it; after `let_go` it holds nothing."""

    def __init__(self, files: tuple[tuple[str, bytes], ...], number: int) -> None:
        self.number, self._files = number, files

    def read(self) -> Collection:
        """The collection that they are; raises `CaldpError`."""
        found = read_collection(self._files)
        self.let_go()
        return found

    def let_go(self) -> None:
        """Hold no data any more."""
        self._files = ()


@dataclass(frozen=True, eq=False)
class PageData:
    """What the page shows; `made_up`: the example, as the visitor has brought nothing."""

    results: Results
    made_up: bool


@st.cache_resource
def _pool() -> FairPool:
    """A protocol of a million values takes a gigabyte while it is read: one at a time."""
    return FairPool(1, 1, f"{THREADS}collection")


def load(record: ResultsView) -> PageData | None:
    """The results of the visitor's files, or of the example; None while they are on their way.

    Files that are no collection are put away; the form says why.
    """
    held: Held | None = st.session_state.get(_HELD)
    if held is not None:
        try:
            return _load_held(held, record.level)
        except CaldpError as error:
            _put_away()
            st.session_state[_WRONG] = str(error)
            st.session_state[_POPOVER] = True
    return PageData(made_up_week().results(record.level), made_up=True)


def _load_held(held: Held, level: float) -> PageData | None:
    read, estimate = _JOBS
    collection: Collection | None = jobs.started(
        read, str(held.number), lambda _: held.read(), lambda _: "Reading the files …", _pool
    )
    if collection is None:
        return None
    results: Results | None = jobs.started(
        estimate,
        f"{held.number}/{level}",
        lambda _: collection.results(level),
        lambda _: "Estimating …",
        _pool,
    )
    return None if results is None else PageData(results, made_up=False)


def popover(*, made_up: bool) -> None:
    """A button, and the form that it opens; `made_up`: nothing was brought yet."""
    if not made_up:
        st.button("Example", icon=":material/science:", key=SLOT.key("example"), on_click=_put_away)
    form = st.popover(
        "Your files", icon=":material/upload_file:", key=_POPOVER, on_change="rerun",
        help="The tallies of your collection, or its estimate, and its protocol.",
    )  # fmt: skip
    if form.open:
        with form, st.container(key=SLOT.key("own-panel"), gap="small"):
            _form()


def _form() -> None:
    st.markdown(
        "**The files of your collection** · protocol.json, and all `*.tally.json` files of it: one "
        "a day shows what came when. Or protocol.json with estimate.csv, and record.json if there "
        "is one. docs/collect.md says how they are made."
    )
    wrong = st.session_state.get(_WRONG)
    if wrong:
        st.error(as_text(wrong[:_WRONG_MAX]), icon=":material/error:")
    with st.form(SLOT.key("form"), border=False, clear_on_submit=True):
        # Any kind: what a browser holds back, nobody can be told about.
        st.file_uploader("Protocol and tallies", accept_multiple_files=True, key=_UPLOADER)
        st.form_submit_button("Show them", type="primary", key=SLOT.key("show"), on_click=_take)
    st.caption(_WHERE)


def _take() -> None:
    """Keep what was brought, to be read."""
    files = st.session_state[_UPLOADER]
    _put_away()
    if not files:
        st.session_state[_WRONG] = (
            "There is no file to read; choose protocol.json and the tallies together, "
            f"{st.get_option('server.maxUploadSize')} MB in all."
        )
        return
    st.session_state[_NUMBER] = st.session_state.get(_NUMBER, 0) + 1
    taken = tuple((file.name, file.getvalue()) for file in files)
    for file in files:
        release(file.file_id)
    st.session_state[_HELD] = Held(taken, st.session_state[_NUMBER])
    st.session_state[_POPOVER] = False


def _put_away() -> None:
    """Let go of the files and of all that was made of them."""
    held: Held | None = st.session_state.pop(_HELD, None)
    st.session_state[_WRONG] = None
    if held is not None:
        held.let_go()
    for each in _JOBS:
        job = st.session_state.pop(jobs.place(each), None)
        if job is not None:
            job.leave()
