"""The desk: counts a held list, enters the release in the ledger, draws once, and freezes.

The same settings and the same bytes of the list give the same pack, byte by byte, and nothing is
drawn for it. Anything else is a further release: refused, with the ε of all together, until the
office says that it is meant.
"""

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np

from caldp_core.basics.errors import CaldpError, count_text, quoted, require
from caldp_core.basics.files import decode_text
from caldp_core.basics.types import Progress, no_progress
from caldp_core.release import pack as packs
from caldp_core.release.cells import ELSEWHERE, Cells, describe_cells, make_cells
from caldp_core.release.counting import count_people
from caldp_core.release.files import Files
from caldp_core.release.frozen import Frozen, Line, Row, epsilon_together, line_of
from caldp_core.release.office import RELEASE, Office, normalize_list_name
from caldp_core.release.sentences import together_sentence
from caldp_core.release.settings import CentralNoise, HiddenCounts, LargerCells, Settings
from caldp_core.release.treatments import (
    HIDDEN,
    Numbers,
    Prepared,
    facts_without_numbers,
    prepare,
)
from caldp_core.release.two_tables import (
    ExactTable,
    NotCheckedError,
    check_two_tables,
    require_checkable,
)

RECORD_MAX_BYTES: Final = 64 * 2**20
_DRAFT: Final = "not released"


class SecondReleaseError(CaldpError):
    """The list was released before, and nobody said that a further release is meant.

    `earlier`: those before; `together`: ε with this one, None if it cannot be stated.
    """

    def __init__(self, sentence: str, earlier: tuple[Line, ...], together: float | None) -> None:
        super().__init__(sentence)
        self.earlier, self.together = earlier, together


@dataclass(frozen=True)
class Released:
    """A release and the files of its pack by name.

    `is_new`: False where it was taken again, and nothing drawn. `remarks`: for the officer alone,
    with true numbers; they are in no file.
    """

    frozen: Frozen
    files: dict[str, bytes]
    is_new: bool
    remarks: tuple[str, ...] = ()


def release(
    settings: Settings,
    files: Files,
    office: Office,
    *,
    second: bool = False,
    progress: Progress = no_progress,
) -> Released:
    """Release a table of the held list once, or give the same pack again.

    `files`: the list, public lists and records of earlier releases that the settings name;
    `second`: whether a further release of the list is meant. `progress` is called now and then
    until the release is counted, and may raise `Cancelled`; then nothing was counted. Raises
    `CaldpError` for what cannot be released, and `SecondReleaseError`.
    """
    with office.held():
        mark = _mark(settings, files, office)
        list_mark = _list_mark(settings, files, office)
        for entry in office.entries():
            if entry.mark == mark:
                return _again(office, entry.line.id)
        earlier = earlier_releases(settings.list.name, settings.earlier, files, office, list_mark)
        line = _line(settings, secrets.token_hex(6))
        if earlier and not second:
            raise _second_release(settings, earlier, line)
        cells = make_cells(settings.cells, files)
        counted = count_people(settings, cells, files)
        # One order for all releases of a list, so that two tables hide the same zeros.
        order_of = partial(office.secret_order, normalize_list_name(settings.list.name))
        prepared = prepare(settings, cells, counted, order_of, progress)
        compared = _compare_tables(settings, files, office, prepared, earlier, progress=progress)
        office.enter(settings.list.name, mark, list_mark, line)
        # From here on coins are thrown, and the release counts whatever happens.
        numbers = prepared.draw()
        whole = counted.people if isinstance(settings.treatment, CentralNoise) else None
        frozen = replace(
            _draft(settings, cells, earlier, line),
            facts=numbers.facts | compared,
            people=whole if settings.list.most == 1 else None,
            rows=_rows(prepared.cells, numbers, settings),
        )
        record = frozen.to_record()
        made = packs.make_pack(frozen, office.seal(record))
        office.keep_pack(line.id, made)
        return Released(frozen, made, True, counted.remarks)


def is_in_ledger(settings: Settings, files: Files, office: Office) -> bool:
    """Whether this very release stands in the ledger: it is taken again, and nothing is drawn."""
    mark = _mark(settings, files, office)
    return any(entry.mark == mark for entry in office.entries())


def _mark(settings: Settings, files: Files, office: Office) -> str:
    """What a release is known by: its settings and the bytes of all its files."""
    digests = [files.digest(name) for name in settings.files]
    return office.seal(["release", settings.to_record(), digests])


def _list_mark(settings: Settings, files: Files, office: Office) -> str:
    return office.seal(["list", files.digest(settings.list.file)])


def draft(settings: Settings, files: Files, office: Office) -> Frozen:
    """The release before anything is drawn: for a preview of the record. The list is not read.

    If it stands in the ledger already, it is none of those before it.
    """
    list_mark = _list_mark(settings, files, office)
    known = earlier_releases(settings.list.name, settings.earlier, files, office, list_mark)
    mark = _mark(settings, files, office)
    own = {entry.line.id for entry in office.entries() if entry.mark == mark}
    earlier = tuple(line for line in known if line.id not in own)
    line = _line(settings, _DRAFT)
    return _draft(settings, make_cells(settings.cells, files), earlier, line)


@dataclass(frozen=True)
class HidingPreview:
    """What would be hidden of a table, for the officer alone: these are true numbers.

    `numbers`: cells and totals of the table. `small`: those that must be hidden by themselves.
    `hidden`: all that are hidden, with those from which a small one would follow.
    """

    numbers: int
    small: int
    hidden: int


def preview_hiding(
    settings: Settings, files: Files, office: Office, progress: Progress = no_progress
) -> HidingPreview:
    """What a release by these settings would hide, before it is drawn; nothing is counted.

    The treatment must be hidden counts or larger cells, which need no coins: the release hides the
    same. Raises `CaldpError` where the release would be refused.
    """
    require(
        isinstance(settings.treatment, HiddenCounts | LargerCells),
        f"Only hidden counts can be looked at before a release, got {settings.treatment.kind}.",
    )
    with office.held():
        cells = make_cells(settings.cells, files)
        counted = count_people(settings, cells, files)
        order_of = partial(office.secret_order, normalize_list_name(settings.list.name))
        prepared = prepare(settings, cells, counted, order_of, progress)
        mark = _list_mark(settings, files, office)
        earlier = earlier_releases(settings.list.name, settings.earlier, files, office, mark)
        _compare_tables(settings, files, office, prepared, earlier, progress=progress)
    words = prepared.draw().words
    return HidingPreview(len(words), prepared.small, words.count(HIDDEN))


def _compare_tables(
    settings: Settings,
    files: Files,
    office: Office,
    prepared: Prepared,
    earlier: Sequence[Line],
    *,
    progress: Progress,
) -> dict[str, Any]:
    """Dates of the earlier tables that this one was compared with, and of those it was not.

    Noise alone needs no comparing: its ε is added. Raises `CaldpError` where small numbers follow
    from two tables together.
    """
    checked, unchecked = [], []
    mark, list_mark = _mark(settings, files, office), _list_mark(settings, files, office)
    own = {entry.line.id for entry in office.entries() if entry.mark == mark}
    same = {entry.line.id for entry in office.entries() if entry.list_mark == list_mark}
    for line in earlier:
        if line.id in own or (line.kind == "central" and settings.treatment.kind == "central"):
            continue
        table = None
        if line.id in same and settings.treatment.kind in _EXACT and line.kind in _EXACT:
            table = _earlier_table(settings, files, office, line)
        try:
            require_checkable(table is not None)
            assert table is not None
            base = make_cells(settings.cells, files)
            new = ExactTable(settings, base, prepared.cells, prepared.draw().values)
            follow = check_two_tables(new, table, files, progress)
        except NotCheckedError:
            unchecked.append(line.date)
            continue
        require(
            follow == 0,
            f"With the table of {line.date}, {count_text(follow, 'small number', 'small numbers')} "
            "would follow from the two tables together; take the same areas and answers, larger "
            "cells, or noise.",
        )
        checked.append(line.date)
    return {"checked": checked, "unchecked": unchecked}


_EXACT: Final = (HiddenCounts.kind, LargerCells.kind)


def _earlier_table(
    settings: Settings, files: Files, office: Office, line: Line
) -> ExactTable | None:
    """A table of this office; None where its draw was cut off, or the list of its areas is gone."""
    pack = office.pack(line.id)
    if pack is None:
        return None
    frozen = Frozen.from_record(json.loads(pack[RELEASE]))
    record = frozen.settings | {"list": frozen.settings["list"] | {"file": settings.list.file}}
    old = Settings.from_record(record)
    try:
        base = make_cells(old.cells, files)
    except CaldpError:  # the public list of its areas was not brought this time
        return None
    cells = base.larger() if isinstance(old.treatment, LargerCells) else base
    if old.list.unit != "table":
        cells = cells.with_elsewhere()
    published = iter(frozen.rows)
    numbers: list[int] = []
    for title, _ in _titles(cells, old):
        # A group of everybody else alone has no row: it is the last cell.
        people = next(published).people if title else numbers[len(cells.names) - 1]
        numbers.append(-1 if people is None else people)
    return ExactTable(old, base, cells, np.array(numbers, np.int64))


def earlier_releases(
    list_name: str, records: Sequence[str], files: Files, office: Office, list_mark: str = ""
) -> tuple[Line, ...]:
    """What was published from this list before: in the ledger, and by records that are brought in.

    `records`: names of files. A list is the same by its name, and in the ledger also by its bytes
    (`list_mark`), whatever its name is. Raises `CaldpError` for a record of another list.
    """
    name = normalize_list_name(list_name)
    found: dict[str, Line] = {}
    for entry in office.entries():
        if normalize_list_name(entry.list) == name or (list_mark and entry.list_mark == list_mark):
            found[entry.line.id] = replace(entry.line, by="this ledger")
    for file in records:
        record = read_record(files.read_bytes(file), file)
        require(
            normalize_list_name(str(record.get("list"))) == name,
            f"The record {quoted(file)} is of the list {quoted(record.get('list'))}, and this one "
            f"is {quoted(list_name)}; take it out, or use the same name.",
        )
        by = "this office's seal" if office.is_sealed(record) else "trust"
        lines = [line_of(record, by)]
        # What was released before that record counts as well.
        lines += [line_of(each, by) for each in record.get("earlier", [])]
        for line in lines:
            found.setdefault(line.id, line)
    return tuple(sorted(found.values(), key=lambda line: (line.date, line.id)))


def read_record(data: bytes, name: str) -> dict[str, Any]:
    """The record of a release, by the bytes of its release.json.

    Raises `CaldpError` for another file.
    """
    advice = "give the release.json of a pack"
    text = decode_text(data, f"The record {quoted(name)}", RECORD_MAX_BYTES, advice)
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        record = None
    is_record = isinstance(record, dict) and isinstance(record.get("earlier", []), list)
    require(
        is_record and all(isinstance(each, dict) for each in record.get("earlier", [])),
        f"The file {quoted(name)} is no record of a release; {advice}.",
    )
    return record  # type: ignore[no-any-return]


def _again(office: Office, identifier: str) -> Released:
    """The pack that was frozen; raises `CaldpError` if its draw was cut off."""
    files = office.pack(identifier)
    if files is None:
        raise CaldpError(
            "This release was entered in the ledger, and its draw was cut off; it stays counted. "
            "Change a setting, such as the date, and ask for a further release."
        )
    return Released(Frozen.from_record(json.loads(files[RELEASE])), files, False)


def _line(settings: Settings, identifier: str) -> Line:
    treatment = settings.treatment
    epsilon = float(treatment.epsilon) if isinstance(treatment, CentralNoise) else None
    day = settings.publication.date
    return Line(identifier, day, treatment.kind, epsilon, settings.threshold)


def _second_release(
    settings: Settings, earlier: tuple[Line, ...], line: Line
) -> SecondReleaseError:
    together = epsilon_together([*earlier, line])
    total = together_sentence(together, len(earlier) + 1)
    return SecondReleaseError(
        f"The list {quoted(settings.list.name)} was released before, and these settings, or its "
        f"rows, are others: this is a further release. {total}",
        earlier,
        together,
    )


def _draft(settings: Settings, cells: Cells, earlier: tuple[Line, ...], line: Line) -> Frozen:
    record = settings.to_record()
    public = {name: record[name] for name in ("list", "cells", "treatment", "publication")}
    # The name of a file on the office's disk says nothing to a reader.
    public["list"] = {key: value for key, value in record["list"].items() if key != "file"}
    return Frozen(
        line=line,
        list=settings.list.name,
        facts=facts_without_numbers(settings),
        earlier=earlier,
        settings=public,
        cells=describe_cells(settings.cells, cells),
        people=None,
        rows=(),
    )


def _rows(cells: Cells, numbers: Numbers, settings: Settings) -> tuple[Row, ...]:
    """The table, row by row: cells, totals of groups, the total of everybody."""
    rows = []
    published = zip(_titles(cells, settings), numbers.values.tolist(), numbers.words, strict=True)
    for (title, name), value, word in published:
        if title:
            rows.append(Row(title, name, None if word == HIDDEN else value, word))
    return tuple(rows)


def _titles(cells: Cells, settings: Settings) -> list[tuple[str, str]]:
    """The level and the name of each number; "" for a level that gets no row."""
    names = [("cell", name) for name in cells.names]
    for level in cells.levels:
        names += [(level.title, name) for name in level.names]
        if level.groups.max() == len(level.names):
            names.append(("", ELSEWHERE))  # a group of that cell alone, which is there already
    is_once = settings.list.most == 1 and settings.list.unit != "identifier"
    is_once |= settings.list.most == 1 and isinstance(settings.treatment, CentralNoise)
    names.append(("all", "all people of the list" if is_once else "sum of all cells"))
    return names
