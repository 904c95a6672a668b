"""State of the desk: which question is open. List, answers and office stay in the visit.

A link holds the number of the question alone. An officer's list and the office's file are bytes in
the memory of the visit, and end with it: the office takes its file away with each pack.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import streamlit as st

from caldp_core.basics.errors import check_whole, require
from caldp_core.datasets.files.source import PAGE_BOUNDS
from caldp_core.release.desk import earlier_releases, read_record
from caldp_core.release.files import Files, detect_file, files_from_bytes, read_columns
from caldp_core.release.frozen import Line, line_of
from caldp_core.release.office import MemoryStore, Office
from caldp_core.release.settings import Settings
from caldp_ui.session.links import RecordLink
from caldp_ui.session.page_state import PageState

STEPS: Final = (
    "Person",
    "Areas and answers",
    "Earlier releases",
    "Protection",
    "Responsible",
    "Release",
)
"""The questions in their order, the last of which is the release itself."""
PERSON, AREAS, BEFORE, TREATMENT, RESPONSIBLE, RELEASE = range(len(STEPS))
VALUES_MAX: Final = 100
"""Most values of a column from which the officer chooses who is counted."""
RECORDS_MAX: Final = 50


@dataclass(frozen=True)
class DeskState:
    """The page's record; `step`: the number of the open question, see `STEPS`."""

    step: int = PERSON


def _check(record: DeskState) -> None:
    """Raise `CaldpError` for a question that the desk does not ask."""
    check_whole("step", record.step, PERSON, RELEASE)


LINK: Final = RecordLink(DeskState(), _check)
STATE: Final = PageState("desk", LINK)
_DRAFT_KEY: Final = "desk/draft"


@dataclass(frozen=True, eq=False)
class Draft:
    """What the officer has brought and answered so far.

    `file`: the name of the list's file, "" before there is one; `columns`: its titles. `contents`:
    bytes of all files by name. `answers`: by name of a part of the settings what it holds as plain
    data (`Settings.from_record`). `records`: names of records of earlier releases. `public`: by
    the number of a list of areas or answers the name of the public file that has it. `store`: the
    office's files; None until the question on earlier releases is answered.
    """

    file: str = ""
    columns: tuple[str, ...] = ()
    contents: Mapping[str, bytes] = field(default_factory=dict)
    answers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    records: tuple[str, ...] = ()
    public: Mapping[int, str] = field(default_factory=dict)
    store: MemoryStore | None = None

    @property
    def files(self) -> Files:
        """All files, within the bounds of a server that others use, too."""
        return files_from_bytes(self.contents, PAGE_BOUNDS)

    @property
    def last_step(self) -> int:
        """The last question that can be opened: all before it are answered."""
        answered = {
            PERSON: "list" in self.answers,
            AREAS: "cells" in self.answers,
            BEFORE: self.store is not None,
            TREATMENT: "treatment" in self.answers,
            RESPONSIBLE: "publication" in self.answers,
        }
        return next((step for step, is_known in answered.items() if not is_known), RELEASE)

    def part(self, name: str) -> Mapping[str, Any]:
        """What is answered of a part of the settings; {} before."""
        return self.answers.get(name, {})

    def settings(self) -> Settings:
        """The settings of the release; raises `CaldpError` for answers that do not fit."""
        record: dict[str, Any] = {name: dict(part) for name, part in self.answers.items()}
        if self.records:
            record["earlier"] = {"records": list(self.records)}
        return Settings.from_record(record)

    def with_answers(self, name: str, part: Mapping[str, Any]) -> "Draft":
        """The draft with another part answered."""
        return replace(self, answers={**self.answers, name: part})

    def with_list(self, data: bytes, name: str) -> "Draft":
        """The draft of another list: all answers about its columns are asked again."""
        kept = {part: self.answers[part] for part in ("publication",) if part in self.answers}
        held = Draft(name, contents={name: data}, answers=kept, store=self.store)
        return replace(held, columns=tuple(detect_file(held.files, name).names))

    def with_file(self, data: bytes, name: str) -> "Draft":
        """The draft with a further file; raises `CaldpError` for the name of the list itself."""
        require(name != self.file, "This file has the name of the list; rename it.")
        return replace(self, contents={**self.contents, name: data})

    def with_public(self, number: int, data: bytes, name: str) -> "Draft":
        """The draft with the public file of a list; raises `CaldpError` if it can't be read."""
        found = self.with_file(data, name)
        detect_file(found.files, name)
        return replace(found, public={**self.public, number: name})

    def without_public(self, number: int) -> "Draft":
        """The draft with the values of a list typed; the question on cells is asked anew."""
        public = {key: name for key, name in self.public.items() if key != number}
        answers = {name: part for name, part in self.answers.items() if name != "cells"}
        return replace(self, public=public, answers=answers)

    def with_record(self, data: bytes, name: str) -> "Draft":
        """The draft with a record of an earlier release; raises `CaldpError` for another file."""
        require(len(self.records) < RECORDS_MAX, f"Bring at most {RECORDS_MAX} records.")
        line_of(read_record(data, name), "trust")
        named = f"earlier-{len(self.records) + 1}-{name}"
        return replace(self.with_file(data, named), records=(*self.records, named))

    def values_of(self, column: str) -> tuple[str, ...]:
        """The first values of a column of the list, in order; `VALUES_MAX` at most."""
        rows = read_columns(self.files, self.file, [column])
        return tuple(sorted({row[0] for row in rows if row[0]})[:VALUES_MAX])

    def earlier(self) -> Sequence[Line]:
        """The releases of this list that are known so far, by ledger and by records.

        Raises `CaldpError` for a record of another list.
        """
        office = Office(self.store or MemoryStore())
        mark = office.seal(["list", self.files.digest(self.file)])
        name = str(self.part("list").get("name", ""))
        return earlier_releases(name, self.records, self.files, office, mark)


def current_draft() -> Draft:
    """The draft of this visit."""
    draft: Draft = st.session_state.get(_DRAFT_KEY, Draft())
    return draft


def keep_draft(draft: Draft) -> None:
    """Keep the draft until the visit ends."""
    st.session_state[_DRAFT_KEY] = draft
