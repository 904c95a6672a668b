"""The detected layout of a visitor's own file, to be checked and changed before it is counted.

It is read and counted beside the page, two files at a time in all. Its bytes are held until its
counts are shown or it is discarded, and end with the visit.
"""

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Generic, Protocol, TypeVar

import pandas as pd
import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Progress
from caldp_core.datasets import inspect_data
from caldp_core.datasets.files.layout_detection import DetectedFile, Layout
from caldp_core.datasets.files.refused_rows import RefusedRows
from caldp_core.datasets.files.source import Source
from caldp_ui.app.errors import escape_markdown
from caldp_ui.app.upkeep import THREAD_PREFIX
from caldp_ui.session import jobs
from caldp_ui.session.fair_pool import FairPool
from caldp_ui.session.page_state import PageState
from caldp_ui.words import formats

_ROWS: Final = 4
_COLUMNS: Final = 12
"""Of the preview; of many columns those that are read come first."""
_MARKS: Final = {".": "1,234.5", ",": "1.234,5"}
_HEADS: Final = {True: "column names", False: "data"}


class FileCounts(Protocol):
    """Counts of a file, and which rows are not among them."""

    @property
    def refused(self) -> RefusedRows:
        """The rows that are not counted."""

    @property
    def rounded(self) -> bool:
        """Whether weights were rounded."""


C = TypeVar("C", bound=FileCounts)


@dataclass(frozen=True)
class Columns(Generic[C]):
    """How a page reads a file.

    `roles`: what each column that is read is called on the page, by its name in `Layout`; those of
    `needed` can't be left out. `guess`: the layout of a file for this page; `count(contents,
    layout, title, progress)` counts it, and raises `CaldpError`; `people`: the number of people in
    the counts. `ask(key, contents, layout)`: draws what else the page asks about the file, and
    returns the layout with it, None until it is answered; `key(name)`: of its widgets.
    `describe(counts)`: a further sentence about them.
    """

    roles: Mapping[str, str]
    needed: tuple[str, ...]
    guess: Callable[[DetectedFile], Layout]
    count: Callable[[DetectedFile, Layout, str, Progress], C]
    people: Callable[[C], int]
    ask: Callable[[Callable[[str], str], DetectedFile, Layout], Layout | None] = (
        lambda _, __, layout: layout
    )
    describe: Callable[[C], str] = lambda _: ""


class UploadedFile:
    """A visitor's upload: bytes, the file's name, its title, its number in the visit.

    Streamlit keeps callbacks of widgets that are gone, so whoever still holds this one after
    `discard` holds nothing.
    """

    def __init__(self, data: bytes, name: str, title: str, number: int) -> None:
        self.name, self.title, self.number = name, title, number
        self._data, self._size = data, len(data)

    def source(self) -> Source:
        """The file, to be read from its start."""
        return Source(self.name, lambda: io.BytesIO(self._data), self._size)

    def discard(self) -> None:
        """Hold no data any more."""
        self._data = b""


@st.cache_resource
def _pool() -> FairPool:
    """Each file takes up to 300 MB while it is read: two at once, the others wait."""
    return FairPool(2, 1, f"{THREAD_PREFIX}file")


def show(state: PageState[Any], columns: Columns[C], upload: UploadedFile) -> C | None:
    """Show what was understood; returns the counts once all is known.

    Raises `CaldpError` if the file is refused as it is; a layout of the visitor's that can't be
    counted is reported, and can be changed.
    """
    header = st.session_state.get(_header_key(state, upload))
    contents: DetectedFile | None = jobs.run_automatically(
        _job(state, "look"),
        f"{upload.number}/{header}",
        lambda _: inspect_data(upload.source(), header=header),
        lambda _: "Reading the file …",
        _pool,
    )
    if contents is None:
        return None
    st.markdown(f"**{escape_markdown(upload.name)}**: {escape_markdown(contents.table.kind)}.")
    guess = columns.guess(contents)
    _preview(contents, [getattr(guess, role) for role in columns.roles])
    layout = _ask_layout(state, columns, upload, contents)
    wanted = columns.ask(partial(_key, state, upload), contents, layout)
    missing = _missing(wanted or layout, contents, columns.needed)
    if missing:
        st.info(escape_markdown(missing), icon=":material/help:")
    if missing or wanted is None:
        return None
    try:
        counts = _count_rows(state, columns, upload, contents, wanted)
    except CaldpError as error:
        if wanted == layout:
            raise
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return None
    if counts is not None:
        _result(counts, columns, contents, wanted)
    return counts


def _count_rows(
    state: PageState[Any],
    columns: Columns[C],
    upload: UploadedFile,
    contents: DetectedFile,
    layout: Layout,
) -> C | None:
    """The counts, once they are there."""
    return jobs.run_automatically(
        _job(state, "count"),
        f"{upload.number}/{layout}",
        lambda progress: columns.count(contents, layout, upload.title, progress),
        lambda job: f"Counting, {job.share:.0%} …",
        _pool,
    )


def form_answers(state: PageState[Any], upload: UploadedFile) -> dict[str, object]:
    """The choices made for the file in its form, by the keys of its widgets."""
    begin = _key(state, upload, "")
    values = st.session_state
    return {name: values[name] for name in map(str, values) if name.startswith(begin)}


def forget(state: PageState[Any]) -> None:
    """Let go of the file and all that was made of it."""
    for name in ("look", "count"):
        job = st.session_state.pop(jobs.job_key(_job(state, name)), None)
        if job is not None:
            job.leave()


def _job(state: PageState[Any], name: str) -> str:
    return f"{state.page}/own-{name}"


def _key(state: PageState[Any], upload: UploadedFile, field: str) -> str:
    return state.key(f"file-{upload.number}-{field}")


def _ask_layout(
    state: PageState[Any], columns: Columns[Any], upload: UploadedFile, contents: DetectedFile
) -> Layout:
    """The layout as the visitor chooses it: at first the one that was guessed."""
    layout = columns.guess(contents)
    change: dict[str, Any] = {}
    with st.container(horizontal=True, gap="small"):
        for role in columns.roles:
            change[role] = _column(state, columns, upload, contents, role)
    with st.container(horizontal=True, gap="small"):
        if contents.table.dialect is not None:
            heads = list(_HEADS)
            st.selectbox(
                "The first row has …",
                heads,
                index=None if layout.header is None else heads.index(layout.header),
                format_func=_HEADS.__getitem__,
                placeholder="please say",
                key=_key(state, upload, "header"),
                on_change=lambda: _store_header(state, upload),
            )
            marks = list(_MARKS)
            change["mark"] = st.selectbox(
                "Numbers are written …",
                marks,
                index=None if layout.mark is None else marks.index(layout.mark),
                format_func=_MARKS.__getitem__,
                placeholder="please say",
                key=_key(state, upload, "mark"),
            )
    return replace(layout, **change).with_questions_alone()


def _header_key(state: PageState[Any], upload: UploadedFile) -> str:
    """The key of the visit's state for the visitor's choice of what the first row is."""
    return f"{state.page}/own-header-{upload.number}"


def _store_header(state: PageState[Any], upload: UploadedFile) -> None:
    st.session_state[_header_key(state, upload)] = st.session_state[_key(state, upload, "header")]


def _column(
    state: PageState[Any],
    columns: Columns[Any],
    upload: UploadedFile,
    contents: DetectedFile,
    role: str,
) -> int | None:
    """The column of a role, at first the one that was guessed; None for none."""
    guess: int | None = getattr(columns.guess(contents), role)
    free = role not in columns.needed
    names = contents.names
    options = [*([-1] if free else []), *range(len(names))]
    index = None if guess is None and not free else options.index(-1 if guess is None else guess)
    picked = st.selectbox(
        columns.roles[role],
        options,
        index=index,
        format_func=lambda at: "none" if at < 0 else names[at],
        placeholder="choose a column",
        key=_key(state, upload, f"{contents.places.header}-{role}"),
    )
    return None if picked is None or picked < 0 else int(picked)


def _preview(contents: DetectedFile, read: list[int | None]) -> None:
    first = [at for at in read if at is not None]
    others = [at for at in range(len(contents.names)) if at not in first]
    visible = sorted((first + others)[:_COLUMNS])
    rows = [[row[at][:60] for at in visible] for row in contents.rows[:_ROWS]]
    table = pd.DataFrame(rows, columns=[contents.names[at] for at in visible], dtype=object)
    st.dataframe(table, hide_index=True, height="content")
    more = len(contents.names) - len(visible)
    if more:
        st.caption(f"{formats.count(more, 'more column is', 'more columns are')} not shown.")


def _missing(layout: Layout, contents: DetectedFile, needed: tuple[str, ...]) -> str:
    """What is still missing, as a sentence; empty where nothing is."""
    if layout.header is None:
        return "Please say whether the first row has the names of the columns."
    try:
        layout.check_complete(contents, *needed)
    except CaldpError as error:
        return str(error)
    return ""


def _result(found: C, columns: Columns[C], contents: DetectedFile, layout: Layout) -> None:
    name = "" if layout.count is None else escape_markdown(contents.names[layout.count])
    rows, people = found.refused.rows - found.refused.count, columns.people(found)
    st.markdown(
        f"**{formats.count(people, 'person', 'people')}** in "
        f"{formats.count(rows, 'row', 'rows')} {'is' if people == 1 else 'are'} counted."
        f"{f' The column “{name}” says how many people a row stands for.' if name else ''}"
        f"{' Weights are added up, then rounded to people.' if found.rounded else ''}"
        f"{columns.describe(found)}"
    )
    if found.refused.count:
        st.warning(escape_markdown(found.refused.describe()), icon=":material/filter_alt:")
