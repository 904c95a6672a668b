"""The questions of the desk, one at a time: widgets with what is known, and what a click keeps."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import PurePath
from typing import Any, Final

import streamlit as st

from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.types import Progress
from caldp_core.release import desk
from caldp_core.release.cells import make_cells
from caldp_core.release.counting import count_people
from caldp_core.release.desk import HidingPreview
from caldp_core.release.files import detect_file
from caldp_core.release.frozen import Line, epsilon_together
from caldp_core.release.office import MemoryStore, Office
from caldp_core.release.sentences import line_text, together_sentence
from caldp_core.release.settings import THRESHOLD_MIN, THRESHOLD_USUAL, Settings
from caldp_ui.app.texts import escape_markdown, read_texts, read_toml
from caldp_ui.desk import page_state
from caldp_ui.desk.page_state import STATE, Draft, current_draft, keep_draft
from caldp_ui.maps import areas
from caldp_ui.session import jobs
from caldp_ui.session.visit import notify
from caldp_ui.words import formats

TEXTS: Final = read_texts(__file__)
_WORDS: Final = read_toml(__file__, "questions.toml")
_RESPONSIBLE: Final[dict[str, tuple[str, str]]] = _WORDS["responsible"]
_UNITS: Final = {
    "row": "Each row is one person",
    "identifier": "All rows with one value of a column are one person",
    "table": "It is a table of counts of people",
}
_EVERYBODY: Final = "Everybody"
_SHAPES: Final = {1: "Answers or areas of one column", 2: "Two columns, crossed", 0: "A map"}
_TITLES: Final = "(titles of the columns with counts)"
_KINDS: Final = {
    "central": "Central noise",
    "round": "Random rounding",
    "hide": "Small counts hidden",
    "larger": "Larger cells",
}
_HIDING: Final = ("hide", "larger")
_EPSILONS: Final = (0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)


def go_to(step: int) -> None:
    """Open a question."""
    STATE.change(lambda record: replace(record, step=step))


def _widget(name: str) -> Any:
    return st.session_state[STATE.key(name)]


def _next(step: int, take: Callable[[Draft], Draft]) -> None:
    """The button that keeps the answers of a question and opens the next; a fault is said above."""

    def keep() -> None:
        try:
            keep_draft(take(current_draft()))
        except CaldpError as error:
            notify(str(error))
            return
        go_to(step + 1)

    label = f"Next: {page_state.STEPS[step + 1]}"
    STATE.button(f"next-{step}", label, keep, type="primary", icon="arrow_forward")


def _take_list(data: bytes, name: str) -> None:
    keep_draft(current_draft().with_list(data, name))


def ask_person(draft: Draft) -> None:
    """What the list is, what one person is in it, and who is counted."""
    areas.upload(STATE.key("list"), "The list", TEXTS["list_file"], _take_list)
    if not draft.file:
        st.caption(TEXTS["list_file"])
        return
    held, columns = draft.part("list"), list(draft.columns)
    st.caption(
        f"{escape_markdown(draft.file)}: {formats.count(len(columns), 'column', 'columns')}."
    )
    known = str(held.get("name", PurePath(draft.file).stem))
    st.text_input(
        "Name of the list (the same for each of its releases)", known, key=STATE.key("name")
    )
    units = list(_UNITS)
    at = units.index(str(held.get("unit", "row")))
    unit = st.radio(
        "What is one person in it?", units, at, _UNITS.__getitem__, key=STATE.key("unit")
    )
    if unit != "row":
        _ask_column(held, unit, columns)
    if unit != "table":
        where = held.get("where", {})
        column = next(iter(where), _EVERYBODY)
        offered = [_EVERYBODY, *columns]
        at = offered.index(column) if column in offered else 0
        chosen = st.selectbox("Who is counted", offered, at, key=STATE.key("where"))
        if chosen != _EVERYBODY:
            values = draft.values_of(chosen)
            kept = [value for value in where.get(chosen, ()) if value in values]
            label = f"Counted are those whose “{escape_markdown(chosen)}” is"
            st.multiselect(label, values, kept, key=STATE.key("values"))
            st.caption(TEXTS["counted"])
    _next(page_state.PERSON, _take_person)


def _ask_column(held: Any, unit: str, columns: list[str]) -> None:
    """The column of the identifier or of the counts, and the cells that one person may be in."""
    offered = columns if unit == "identifier" else [*columns, _TITLES]
    known = held.get("column", "people")
    at = offered.index(known) if known in offered else 0
    is_identifier = unit == "identifier"
    title = "Column that identifies a person" if is_identifier else "Column with numbers of people"
    st.selectbox(title, offered, at, key=STATE.key("column"))
    most = int(held.get("most", 1))
    st.number_input("Most cells that one person can be in", 1, 1000, most, key=STATE.key("most"))
    if is_identifier:
        st.caption(TEXTS["identifier"])


def _take_person(draft: Draft) -> Draft:
    unit = _widget("unit")
    part: dict[str, Any] = {"name": _widget("name"), "file": draft.file, "unit": unit}
    if unit != "row":
        column = _widget("column")
        part |= {"column": "" if column == _TITLES else column, "most": int(_widget("most"))}
    if unit != "table" and _widget("where") != _EVERYBODY:
        part["where"] = {_widget("where"): list(_widget("values"))}
    # With the answers after it unanswered yet, the part alone is checked.
    found = draft.with_answers("list", part)
    _provisional(found, {"cells": _ANY_CELLS | _columns_for(part)})
    found.earlier()  # raises where records were brought of a list with the name before
    return found


_ANY_CELLS: Final[dict[str, Any]] = {"source": "-"}
_ANY_TEXT: Final = "-"


def _columns_for(part: dict[str, Any]) -> dict[str, Any]:
    """Cells of any kind that go with a list, to check the list before its cells are known."""
    by_titles = part["unit"] == "table" and not part["column"]
    column = {} if by_titles else {"column": "-"}
    return {"lists": [{"source": _ANY_TEXT, "values": ["-"], **column}]}


def _provisional(draft: Draft, parts: dict[str, Any]) -> Settings:
    """Settings with what is answered, and with fillers for what comes later."""
    fillers: dict[str, Any] = {
        "treatment": {"kind": "hide"},
        "publication": dict.fromkeys(_RESPONSIBLE, _ANY_TEXT) | {"date": "2026-01-01"},
    }
    known = {name: dict(part) for name, part in draft.answers.items()}
    return Settings.from_record({**fillers, **known, **parts})


def ask_areas(draft: Draft) -> None:
    """The cells: a map whose edges are typed, or one or two lists that are not from the data."""
    st.caption(TEXTS["from_public"])
    cells = draft.part("cells")
    shapes = list(_SHAPES)
    known = 0 if "map" in cells else len(cells.get("lists", ())) or _likely_shape(draft)
    at = shapes.index(known)
    shape = st.radio("What is counted?", shapes, at, _SHAPES.__getitem__, key=STATE.key("shape"))
    if shape == 0:
        _ask_map(draft, cells.get("map", {}))
    else:
        lists = [*cells.get("lists", ()), {}, {}]
        for number in range(shape):
            _ask_values(draft, number, lists[number])
    source = str(cells.get("source", ""))
    label = "Where this list of areas and answers comes from"
    st.text_input(label, source, key=STATE.key("source"), placeholder="the city's public map")
    _next(page_state.AREAS, _take_areas)


def _likely_shape(draft: Draft) -> int:
    """A map where columns are called latitude and longitude; else one list."""
    return 0 if all(_column_named(draft, names) for names in _PLACE_NAMES.values()) else 1


_PLACE_NAMES: Final = {"longitude": ("lon", "lng", "x"), "latitude": ("lat", "y")}


def _column_named(draft: Draft, names: tuple[str, ...]) -> str:
    """The first column whose title begins with one of the names; "" without any."""
    for column in draft.columns:
        title = column.casefold()
        if any(title == name or (len(name) > 1 and title.startswith(name)) for name in names):
            return column
    return ""


def _ask_map(draft: Draft, known: Any) -> None:
    columns = list(draft.columns)
    left, right = st.columns(2)
    for place, name in zip((left, right), _PLACE_NAMES, strict=True):
        likely = known.get(name, _column_named(draft, _PLACE_NAMES[name]))
        at = columns.index(likely) if likely in columns else 0
        place.selectbox(name.capitalize(), columns, at, key=STATE.key(name))
    st.caption(TEXTS["extent"])
    # Two in a row: of four, each would cut its digits.
    for edges in (("west", "east"), ("south", "north")):
        for place, edge in zip(st.columns(2), edges, strict=True):
            label, value = f"{edge.capitalize()}, degrees", known.get(edge)
            place.number_input(label, -180.0, 540.0, value, format="%.4f", key=STATE.key(edge))
    left, right = st.columns(2)
    step, block = float(known.get("step", 0.01)), int(known.get("block", 5))
    left.number_input(
        "Side of a cell, degrees", 0.0001, 90.0, step, format="%.4f", key=STATE.key("cell")
    )
    right.number_input("Cells along the side of a block", 2, 1000, block, key=STATE.key("block"))


_COLUMN_TITLES: Final = ("Column", "Second column")


def _ask_values(draft: Draft, number: int, known: Any) -> None:
    """One list of areas or answers: its column, and its values, typed or in a public file."""
    by_titles = draft.part("list").get("unit") == "table" and not draft.part("list")["column"]
    offered = [*draft.columns, *([_TITLES] if by_titles else [])]
    column = known.get("column", _TITLES if by_titles else "") or _TITLES
    at = offered.index(column) if column in offered else min(number, len(offered) - 1)
    title = _COLUMN_TITLES[number]
    st.selectbox(title, offered, at, key=STATE.key(f"column-{number}"))
    file = draft.public.get(number, "")

    def take(data: bytes, name: str) -> None:
        keep_draft(current_draft().with_public(number, data, name))

    def type_instead() -> None:
        keep_draft(current_draft().without_public(number))

    text = "\n".join(known.get("values", ()))
    label = f"{title}: its values, one in a line"
    if not file:
        st.text_area(label, text, key=STATE.key(f"values-{number}"), height=110)
    areas.upload(
        STATE.key(f"public-{number}"), f"{title}: or a public file that has them", None, take
    )
    if file:
        titles = list(detect_file(draft.files, file).names)
        groups = ["", *titles]
        menus = {
            "key": (f"Column of {escape_markdown(file)}", titles),
            "group": ("Larger areas, if it has them", groups),
        }
        for place, (name, (label, options)) in zip(st.columns(2), menus.items(), strict=True):
            chosen = known.get(name, "")
            at = options.index(chosen) if chosen in options else 0
            place.selectbox(label, options, at, key=STATE.key(f"{name}-{number}"))
        STATE.button(f"typed-{number}", "Type the values instead", type_instead)


def _take_areas(draft: Draft) -> Draft:
    source, shape = _widget("source"), _widget("shape")
    part: dict[str, Any] = {"source": source}
    if shape == 0:
        edges = {name: _number(name) for name in ("west", "east", "south", "north")}
        places = {name: _widget(name) for name in _PLACE_NAMES}
        part["map"] = {**places, **edges, "step": _widget("cell"), "block": int(_widget("block"))}
    else:
        part["lists"] = [_values_part(draft, number, source) for number in range(shape)]
    found = draft.with_answers("cells", part)
    # The list is counted once now: what can't be released is said here, not after five questions.
    settings = _provisional(found, {})
    count_people(settings, make_cells(settings.cells, found.files), found.files)
    return found


def _number(name: str) -> float:
    value = _widget(name)
    if value is None:
        raise CaldpError(f"The edge in the {name} is not typed; give it in degrees.")
    return float(value)


def _values_part(draft: Draft, number: int, source: str) -> dict[str, Any]:
    column = _widget(f"column-{number}")
    part: dict[str, Any] = {"source": source}
    if column != _TITLES:
        part["column"] = column
    file = draft.public.get(number, "")
    if not file:
        lines = _widget(f"values-{number}").splitlines()
        return part | {"values": [line.strip() for line in lines if line.strip()]}
    part |= {"file": file, "key": _widget(f"key-{number}")}
    group = _widget(f"group-{number}")
    return part | ({"group": group} if group else {})


_FIRST: Final = "This office has released nothing yet"
_BRING: Final = "Bring the office's file and records"


def ask_before(draft: Draft) -> None:
    """What was released from this list before: the office's file, and records from elsewhere."""
    st.caption(TEXTS["before"])
    lines = draft.earlier()
    has_more = bool(draft.records) or bool(lines) or _has_entries(draft)
    choice = st.radio("Earlier releases", (_FIRST, _BRING), int(has_more), key=STATE.key("earlier"))
    if choice == _BRING:
        areas.upload(STATE.key("office"), "The office's file (office.zip)", None, _take_office)
        areas.upload(STATE.key("record"), "Records (release.json), one by one", None, _take_record)
    _show_lines(lines)
    if lines:
        st.markdown(f"**{together_sentence(epsilon_together(lines), len(lines))}**")
    st.caption(TEXTS["unseen"])
    _next(page_state.BEFORE, _take_before)


def _has_entries(draft: Draft) -> bool:
    return draft.store is not None and bool(Office(draft.store).entries())


def _show_lines(lines: Sequence[Line]) -> None:
    """A line for each release that is known: when, how, and how it is known."""
    for line in lines:
        st.markdown(f"- {escape_markdown(line_text(line))}")


def _take_office(data: bytes, name: str) -> None:
    del name
    store = MemoryStore.from_zip(data)
    Office(store).entries()  # raises for a ledger that was changed
    keep_draft(replace(current_draft(), store=store))


def _take_record(data: bytes, name: str) -> None:
    found = current_draft().with_record(data, name)
    found.earlier()  # raises for a record of another list
    keep_draft(found)


def _take_before(draft: Draft) -> Draft:
    return draft if draft.store is not None else replace(draft, store=MemoryStore())


def ask_treatment(draft: Draft) -> None:
    """How the table is protected, and the ε of all releases together."""
    lines = draft.earlier()
    if lines:
        releases = formats.count(len(lines), "release", "releases")
        st.info(TEXTS["further_here"].format(releases=releases))
        _show_lines(lines)
    known, kinds = draft.part("treatment"), list(_KINDS)
    if "map" not in draft.part("cells") and not any(
        "group" in each for each in draft.part("cells").get("lists", ())
    ):
        kinds.remove("larger")
    at = kinds.index(known["kind"]) if known.get("kind") in kinds else 0
    captions = [_WORDS["treatments"][kind] for kind in kinds]
    kind = st.radio(
        "Treatment", kinds, at, _KINDS.__getitem__, key=STATE.key("kind"), captions=captions
    )
    if kind == "central":
        level = known.get("epsilon", 1.0)
        epsilon = st.select_slider("Privacy level ε", _EPSILONS, level, key=STATE.key("epsilon"))
        sums = [line.epsilon for line in lines]
        total = None if None in sums else sum(filter(None, sums)) + float(epsilon)
        st.markdown(f"**{together_sentence(total, len(lines) + 1)}**")
    else:
        threshold = int(known.get("threshold", THRESHOLD_USUAL))
        label = "Threshold: no exact count from 1 to one less than"
        st.number_input(label, THRESHOLD_MIN, 10**6, threshold, key=STATE.key("threshold"))
        if kind in _HIDING:
            _preview_hiding(draft, {"kind": kind, "threshold": int(_widget("threshold"))})
    st.caption(TEXTS["not_offered"])
    _next(page_state.TREATMENT, _take_treatment)


def _preview_hiding(draft: Draft, treatment: dict[str, Any]) -> None:
    """What would be hidden, before it is drawn: the rule hides more than the small counts."""
    settings = _provisional(draft, {"treatment": treatment})
    office = Office(draft.store or MemoryStore())
    key = STATE.key("hiding")
    record = json.dumps([settings.to_record(), draft.files.digest(draft.file)], sort_keys=True)
    name = hashlib.sha256(record.encode()).hexdigest()

    def work(progress: Progress) -> HidingPreview | str:
        try:
            return desk.preview_hiding(settings, draft.files, office, progress)
        except CaldpError as error:
            return str(error)

    found = jobs.run_automatically(key, name, work, lambda _: TEXTS["hiding_waits"])
    if isinstance(found, str):
        st.warning(escape_markdown(found), icon=":material/error:")
    elif found is not None:
        st.info(_hiding_text(found))


def _hiding_text(found: HidingPreview) -> str:
    if not found.hidden:
        return TEXTS["hides_nothing"].format(numbers=f"{found.numbers:,}")
    return TEXTS["hides"].format(
        hidden=f"{found.hidden:,}",
        numbers=formats.count(found.numbers, "number", "numbers"),
        small=f"{found.small:,}",
        others=f"{found.hidden - found.small:,}",
    )


def _take_treatment(draft: Draft) -> Draft:
    kind = _widget("kind")
    if kind == "central":
        return draft.with_answers("treatment", {"kind": kind, "epsilon": float(_widget("epsilon"))})
    return draft.with_answers("treatment", {"kind": kind, "threshold": int(_widget("threshold"))})


def ask_responsible(draft: Draft) -> None:
    """Who publishes, why, on which basis, until when."""
    known = draft.part("publication")
    for name, (title, example) in _RESPONSIBLE.items():
        key = STATE.key(f"publication-{name}")
        st.text_input(title, str(known.get(name, "")), key=key, placeholder=example)
    today = datetime.now(UTC).date()
    day = date.fromisoformat(str(known["date"])) if "date" in known else today
    st.date_input("Date of the release", day, key=STATE.key("publication-date"))
    _next(page_state.RESPONSIBLE, _take_responsible)


def _take_responsible(draft: Draft) -> Draft:
    part = {name: str(_widget(f"publication-{name}")) for name in _RESPONSIBLE}
    open_titles = [title for name, (title, _) in _RESPONSIBLE.items() if not part[name].strip()]
    require(not open_titles, f"Not answered yet: {'; '.join(open_titles)}.")
    part["date"] = _widget("publication-date").isoformat()
    found = draft.with_answers("publication", part)
    found.settings()
    return found


def answered(draft: Draft) -> list[tuple[str, str]]:
    """The title of each question and its answer so far, "" where it is open."""
    held, cells = draft.part("list"), draft.part("cells")
    treatment, publication = draft.part("treatment"), draft.part("publication")
    texts = ["", "", "", "", ""]
    if held:
        texts[page_state.PERSON] = f"“{held['name']}”. {_UNITS[held['unit']]}."
        for column, values in held.get("where", {}).items():
            texts[page_state.PERSON] += f" Counted: {column} is {' or '.join(values)}."
    if cells:
        texts[page_state.AREAS] = f"{_cells_text(cells)}, from: {cells['source']}"
    if held and draft.store is not None:
        lines = draft.earlier()
        known = together_sentence(epsilon_together(lines), len(lines)) if lines else ""
        texts[page_state.BEFORE] = known or TEXTS["none_before"]
    if treatment:
        kind = treatment["kind"]
        size = f"threshold {treatment.get('threshold')}"
        if kind == "central":
            size = f"ε = {treatment['epsilon']:g}"
        texts[page_state.TREATMENT] = f"{_KINDS[kind]}, {size}"
    if publication:
        texts[page_state.RESPONSIBLE] = f"{publication['by']}, on {publication['date']}"
    return list(zip(page_state.STEPS, texts, strict=False))


def _cells_text(cells: Any) -> str:
    """A map or lists, in a few words."""
    extent = cells.get("map")
    if extent is not None:
        edges = f"{extent['south']:g} to {extent['north']:g} N, {extent['west']:g} to "
        return f"A map, {edges}{extent['east']:g} E, cells of {extent['step']:g}°"
    names = [listed.get("column") or "titles of columns" for listed in cells["lists"]]
    return " × ".join(names)


QUESTIONS: Final[dict[int, Callable[[Draft], None]]] = {
    page_state.PERSON: ask_person,
    page_state.AREAS: ask_areas,
    page_state.BEFORE: ask_before,
    page_state.TREATMENT: ask_treatment,
    page_state.RESPONSIBLE: ask_responsible,
}
