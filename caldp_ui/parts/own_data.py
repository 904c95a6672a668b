"""Your data: paste a text or choose a file, confirm what was understood, then the page shows it.

Text and file have a button each, so that one is never taken for the other. Both stay in memory
until they are counted, beside the page and two at a time; nothing is written anywhere, and only
counts are kept. A scenario's file opens, too.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from pathlib import Path
from typing import Any, Final, Generic, TypeAlias, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.files import BYTE_ORDER_MARK
from caldp_core.basics.limits import N_MAX, OWN_NAME_MAX, OWN_TEXT_MAX
from caldp_core.basics.types import Progress
from caldp_core.datasets import check_size, inspect_data
from caldp_core.datasets.files.answers import CountedFile
from caldp_core.datasets.files.checks.record import KEEP, Check, Reading, Resolved
from caldp_core.datasets.files.checks.run import read_as_chosen, with_met_rows
from caldp_core.datasets.files.dialect import DELIMITERS, NO_DELIMITER
from caldp_core.datasets.files.layout_detection import DetectedFile, Layout, is_named
from caldp_core.datasets.files.source import ENCODINGS
from caldp_core.datasets.files.table import Chosen
from caldp_core.datasets.own import CountedRows, check_line, one_line
from caldp_core.estimation.estimators import explain_given_up
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.delivery import THREAD_PREFIX
from caldp_ui.app.texts import escape_markdown, read_texts
from caldp_ui.server.turns import share_with_runs
from caldp_ui.server.uploads import take_content, was_taken
from caldp_ui.server.vault import current_vault
from caldp_ui.session import jobs, page_state, visit
from caldp_ui.session.jobs import FairPool, run_page
from caldp_ui.session.page_state import PageState, S, make_safe
from caldp_ui.session.visit import UploadedFile, notify, show_toast_later
from caldp_ui.words import formats

TEXTS: Final = read_texts(__file__)
_ROWS: Final = 8
_COLUMNS: Final = 12
"""Of the preview; of many columns those that are read come first."""
_FEW_CELLS: Final = 200
"""Different cells of a column by which rows may be chosen."""
_MARKS: Final = {".": "1,234.5", ",": "1.234,5"}
_HEADS: Final = {True: "column names", False: "data"}
_UNITS: Final = ("people", "households", "scooters", "trips")
_BETWEEN: Final = DELIMITERS | {NO_DELIMITER: "nothing: one column"}


C = TypeVar("C", bound=CountedFile)
Key: TypeAlias = Callable[[str], str]
"""Returns the key of the widget of that name, of the upload that is asked about."""


@dataclass(frozen=True)
class Form(Generic[C]):
    """A page's form for a visitor's own data, and how it reads a file.

    `title`: of the form; `instructions`: the format of the data, as Markdown; `label`: of the text;
    `example`: the text at first, and `name`: its name; `default`: the name of data without one.
    `types`: what a column may be on this page (`COLUMN_TYPES`); fields of `Layout` that are
    `needed` can't be left out. `guess`: the layout of a file for this page; `count(contents,
    layout, title, progress)` counts it, and raises `CaldpError`; `people`: the number of people in
    the counts. `apply_counts(scenario, counts)`: the scenario with the counts; `next_step`: what to
    do next, as a sentence. `ask(key, contents, layout)`: draws what else the page asks about the
    file, and returns the layout with it, None until it is answered; `key(name)`: of its widgets.
    `describe(counts)`: a further sentence about them. `unoffered`: offers of checks, by name, that
    this page has no use for. `hidden_choices`: where the form asks what of the counts is hidden,
    the answers, and what each makes of the scenario.
    """

    title: str
    instructions: str
    label: str
    example: str
    name: str
    default: str
    types: tuple[str, ...]
    needed: tuple[str, ...]
    guess: Callable[[DetectedFile], Layout]
    count: Callable[[DetectedFile, Layout, str, Progress], C]
    people: Callable[[C], int]
    apply_counts: Callable[[Scenario, C], Scenario]
    next_step: Callable[[C], str]
    ask: Callable[[Key, DetectedFile, Layout], Layout | None] = lambda _, __, layout: layout
    describe: Callable[[C], str] = lambda _: ""
    unoffered: tuple[str, ...] = ()
    hidden_choices: Callable[[C], Mapping[str, Callable[[Scenario], Scenario]]] = lambda _: {}


@dataclass(frozen=True)
class _OpenFile(Generic[C]):
    """An upload on a page's form."""

    state: PageState[Any]
    form: Form[C]
    upload: UploadedFile

    def key(self, field: str) -> str:
        """The key of a widget or of what is kept for this upload."""
        return self.state.key(f"file-{self.upload.number}-{field}")

    @property
    def chosen(self) -> Chosen:
        """What the visitor has chosen by hand."""
        chosen: Chosen = st.session_state.get(self.key("chosen"), Chosen())
        return chosen

    def choose(self, chosen: Chosen) -> None:
        """Keep what the visitor has chosen."""
        st.session_state[self.key("chosen")] = chosen

    @property
    def answers(self) -> dict[str, str]:
        """The visitor's answers to checks, by their names."""
        return dict(st.session_state.get(self.key("checks"), {}))

    @property
    def opened(self) -> Chosen:
        """What of it says how the file is opened."""
        chosen = replace(self.chosen, mark=None, columns=(), words="", only=())
        return chosen.with_answers(self.answers)

    @property
    def form_answers(self) -> dict[str, object]:
        """The choices made for the file in its form, by the keys of its widgets."""
        begin, values = self.key(""), st.session_state
        return {name: values[name] for name in map(str, values) if name.startswith(begin)}


@st.cache_resource
def _pool() -> FairPool:
    """Each file takes up to 300 MB while it is read: two at once, the others wait."""
    return FairPool(2, 1, f"{THREAD_PREFIX}file")


def _show_file(file: _OpenFile[C]) -> C | None:
    """Show what was understood; returns the counts once all is known.

    Raises `CaldpError` if the file is refused as it is; choices of the visitor's that can't be
    counted are reported, and can be changed.
    """
    contents = _look(file)
    if contents is None:
        return None
    form, guess = file.form, file.form.guess(contents)
    layout = file.chosen.layout(contents, guess)
    _ask_opening(file, contents, layout)
    preview = st.container(gap="small")
    asked = st.container(gap="small", key=file.state.key("own-checks"))
    reading = _check(file, asked, Reading(contents, guess))
    with preview:
        _preview(file, contents.names, reading or Reading(contents, layout))
    if reading is None:
        return None
    wanted = form.ask(file.key, reading.file, reading.layout)
    return None if wanted is None else _counted(file, contents, reading, wanted)


def _look(file: _OpenFile[Any]) -> DetectedFile | None:
    """The file as it is opened; an error after a choice of the visitor's offers to undo it."""
    opened = file.opened
    try:
        found: DetectedFile | None = jobs.run_automatically(
            file.state.place("own-look"),
            f"{file.upload.number}/{opened}",
            lambda _: inspect_data(file.upload.source(), chosen=opened),
            lambda _: "Reading the file …",
            _pool,
        )
    except CaldpError as error:
        if file.chosen == Chosen():
            raise
        st.error(escape_markdown(str(error)), icon=":material/error:")
        st.button(
            "Read it as detected", key=file.key("detected"), on_click=lambda: file.choose(Chosen())
        )
        return None
    met = st.session_state.get(file.key(f"met-{opened}"), b"")
    return found and replace(found, table=replace(found.table, met=met))


def _counted(file: _OpenFile[C], opened: DetectedFile, asked: Reading, wanted: Layout) -> C | None:
    """The counts of a file that is read as `wanted`, and was shown as `asked`."""
    contents, layout, form = asked.file, asked.layout, file.form
    needed = ("answer",) if wanted.areas else form.needed
    missing = _missing(wanted, contents, needed)
    if missing:
        st.info(escape_markdown(missing), icon=":material/help:")
        return None
    reading, answers, title = Reading(contents, wanted), file.answers, file.upload.title

    def count(progress: Progress) -> tuple[C, DetectedFile | None]:
        found = form.count(contents, wanted, title, progress)
        return found, with_met_rows(opened, reading, found.met, answers)

    tables = contents.table.derived, opened.table.met
    try:
        counted = jobs.run_automatically(
            file.state.place("own-count"),
            f"{file.upload.number}/{file.chosen}/{wanted}/{tables}",
            count,
            lambda job: f"Counting, {job.share:.0%} …",
            _pool,
        )
    except CaldpError as error:
        if wanted == layout and not file.answers and file.chosen == Chosen():
            raise
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return None
    if counted is None:
        return None
    counts, further = counted
    if further is not None:
        st.session_state[file.key(f"met-{file.opened}")] = further.table.met
        run_page()
    _result(counts, form, contents, wanted)
    return counts


def _check(file: _OpenFile[Any], place: DeltaGenerator, guess: Reading) -> Reading | None:
    """The reading once all checks are answered; draws those that are not, and what was answered."""
    answers, chosen = file.answers, file.chosen
    try:
        checked: Resolved | None = jobs.run_automatically(
            file.state.place("own-check"),
            f"{file.upload.number}/{chosen}/{answers}/{len(guess.file.table.met)}",
            lambda progress: read_as_chosen(
                guess.file, guess.layout, chosen, answers, share_with_runs(progress)
            ),
            lambda job: f"Checking the file, {job.share:.0%} …",
            _pool,
        )
    except CaldpError as error:
        if not chosen.words:
            raise
        place.error(escape_markdown(str(error)), icon=":material/error:")
        return None
    if checked is None:
        return None
    with place:
        _draw_model(checked)
        for check in checked.unanswered:
            _draw_check(file, check)
        for check in checked.told:
            _draw_told(file, check)
        for name, remark in checked.remarks.items():
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.caption(f":material/check: {escape_markdown(remark)}")
                _answer_button(file, name, "", "Ask again")
    return None if checked.unanswered else checked.reading


def _draw_model(checked: Resolved) -> None:
    """How many people a table of counts has, of what, and the levels of its sums."""
    model = checked.reading.model
    if model is None:
        return
    st.markdown(f"**{escape_markdown(model.describe())}**")
    if not model.levels:
        return
    with st.expander("Which rows are sums of others"):
        for level in model.levels:
            rows = formats.count(level.rows, "row", "rows")
            people = formats.count(round(level.people), "person", "people")
            examples = escape_markdown(", ".join(level.examples))
            more = ", …" if level.rows > len(level.examples) else ""
            st.markdown(f"Level {level.depth + 1}: {rows}, {people} ({examples}{more})")


def _effect_text(check: Check) -> str:
    """What the first answer to a check does to the number of people; "" for nothing."""
    if not check.offers or round(check.effect) == 0:
        return ""
    people = formats.count(abs(round(check.effect)), "person", "people")
    label = check.offers[0].label
    return f" (“{label}”: {people} {'fewer' if check.effect < 0 else 'more'}.)"


def _draw_told(file: _OpenFile[Any], check: Check) -> None:
    """What was taken unasked, as one line, and buttons for the other ways to read the file."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        taken = escape_markdown(check.offers[0].label)
        st.caption(f":material/info: {escape_markdown(check.sentence)} **Read so: {taken}.**")
        for offer in check.offers[1:]:
            if offer.name not in file.form.unoffered:
                _answer_button(file, check.name, offer.name, offer.label)
        _answer_button(file, check.name, KEEP, check.keep)


def _draw_check(file: _OpenFile[Any], check: Check) -> None:
    """One sentence, and a button for each way to read the file."""
    with st.container(border=True):
        effect = _effect_text(check)
        st.markdown(f":material/help: {escape_markdown(check.sentence + effect)}")
        with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
            for offer in check.offers:
                if offer.name not in file.form.unoffered:
                    _answer_button(file, check.name, offer.name, offer.label)
            if check.of_people is not None:
                key = file.state.key(f"check-{file.upload.number}-{check.name}-people")
                people = st.number_input(check.people_label, 1, N_MAX, None, key=key)
                if people is not None:  # nobody's guess stands there
                    # A quick user may have changed it since it was drawn.
                    now, label = lambda: str(st.session_state[key] or ""), "Use this number"
                    _answer_button(file, check.name, "number", label, now)
            _answer_button(file, check.name, KEEP, check.keep)


def _answer_button(
    file: _OpenFile[Any],
    check: str,
    answer: str,
    label: str,
    current: Callable[[], str] | None = None,
) -> None:
    """A button that answers a check; the answer "" takes the one before back.

    `current`: returns the answer at the click, where `answer` only names it.
    """

    def put() -> None:
        answers = {name: each for name, each in file.answers.items() if name != check}
        given = answer if current is None else current()
        more = {check: given} if given else {}
        st.session_state[file.key("checks")] = answers | more

    key = file.state.key(f"check-{file.upload.number}-{check}-{answer or 'again'}")
    st.button(label, key=key, on_click=put, type="secondary" if answer else "tertiary")


def forget(state: PageState[Any]) -> None:
    """Let go of the file and all that was made of it."""
    for name in ("look", "check", "count"):
        job = st.session_state.pop(jobs.job_key(state.place(f"own-{name}")), None)
        if job is not None:
            job.leave()


def _ask_opening(file: _OpenFile[Any], contents: DetectedFile, layout: Layout) -> None:
    """Menus of how the file is opened; closed where nothing has to be said."""
    table, chosen = contents.table, file.chosen
    menus: dict[str, tuple[str, Mapping[Any, str], Any]] = {
        "sheet": ("Sheet", {name: name for name in table.sheets}, table.opened.sheet),
        "encoding": ("Letters (encoding)", ENCODINGS, table.opened.encoding),
        "delimiter": ("Between cells", _BETWEEN, table.opened.delimiter),
        "header": ("The first row has …", {} if table.names else _HEADS, layout.header),
        "mark": ("Numbers are written …", _MARKS, layout.mark),
    }
    unclear = layout.header is None or (layout.mark is None and layout.count is not None)
    title = f"**{escape_markdown(file.upload.name)}**: {escape_markdown(table.kind)}"
    is_chosen = replace(chosen, columns=()) != Chosen()
    with (
        st.expander(title, expanded=unclear or is_chosen),
        st.container(horizontal=True, gap="small"),
    ):
        for field, (label, options, current) in menus.items():
            if options and current != "" and (table.dialect or field == "sheet"):
                _menu(file, field, (label, options, current), partial(_with_opening, field))
        _ask_only(file, contents)
        key = file.key("words")
        st.text_input(
            "Words for codes",
            placeholder="1 = yes; 2 = no",
            key=key,
            on_change=lambda: file.choose(replace(file.chosen, words=st.session_state[key])),
        )


def _ask_only(file: _OpenFile[Any], contents: DetectedFile) -> None:
    """Menus of a column and of its cells, of which only the rows with the chosen ones are read."""
    column_key, cells_key = file.key("only-column"), file.key("only-cells")
    few = [at for at in range(len(contents.names)) if len(set(contents.cells(at))) <= _FEW_CELLS]

    def put() -> None:
        column = st.session_state.get(column_key)
        cells = tuple(st.session_state.get(cells_key, ()))
        only = ((column, cells),) if column is not None and cells else ()
        file.choose(replace(file.chosen, only=only))

    column = st.selectbox(
        "Only rows with …",
        few,
        index=None,
        format_func=lambda at: contents.names[at],  # a menu shows its options as they are
        placeholder="all rows",
        key=column_key,
        on_change=put,
    )
    if column is not None:
        st.multiselect(
            "… one of these",
            list(dict.fromkeys(contents.cells(column))),
            placeholder="choose cells",
            key=cells_key,
            on_change=put,
        )


def _with_opening(field: str, chosen: Chosen, value: Any) -> Chosen:
    """The choices with one of how the file is opened, which may make other columns of it."""
    change: dict[str, Any] = {field: value}
    return replace(chosen, **(change if field == "mark" else {"columns": (), **change}))


def _menu(
    file: _OpenFile[Any],
    name: str,
    menu: tuple[str, Mapping[Any, str], Any],
    choose: Callable[[Chosen, Any], Chosen],
) -> None:
    """A menu of a label, options with their labels, and the one that is read now.

    Its callback adds to all that was chosen before it, also since the page was drawn.
    """
    key = file.key(name)
    label, options, st.session_state[key] = menu
    st.selectbox(
        label,
        list(options),
        index=None if st.session_state[key] is None else 0,
        format_func=options.__getitem__,
        placeholder="please say",
        key=key,
        on_change=lambda: file.choose(choose(file.chosen, st.session_state[key])),
    )


def _preview(file: _OpenFile[Any], names: Sequence[str], reading: Reading) -> None:
    """The first rows, each column below its type, which can be chosen for those of the file."""
    contents, layout = reading.file, reading.layout
    kinds = {
        at: file.chosen.type_of(at, layout, is_named(name, "identifier"))
        for at, name in enumerate(contents.names)
    }
    read = [at for at, kind in kinds.items() if kind not in ("id", "leave-out")]
    others = [at for at in kinds if at not in read][: max(_COLUMNS - len(read), 0)]
    is_own = contents.names[: len(names)] == tuple(names)
    visible = sorted({*read, *others, *_ask_more(file, contents.names)})
    with st.container(key=file.state.key("own-columns"), horizontal=True, gap="small"):
        for at in visible:
            with st.container(width=130, gap=None):
                if is_own and at < len(names):
                    _ask_type(file, at, contents.names[at], kinds[at])
                else:
                    kind = kinds[at].replace("-", " ")
                    st.markdown(f"{escape_markdown(contents.names[at])}: {kind}")
                cells = (escape(row[at][:60]) for row in contents.rows[:_ROWS])
                st.html(f"<ol>{''.join(f'<li>{cell}</li>' for cell in cells)}</ol>")


def _ask_more(file: _OpenFile[Any], names: Sequence[str]) -> list[int]:
    """Further columns of a wide table that the visitor wants to see."""
    if len(names) <= _COLUMNS:
        return []
    return st.multiselect(
        f"{formats.count(len(names), 'column', 'columns')}: see more",
        range(len(names)),
        format_func=names.__getitem__,
        placeholder="choose by name",
        key=file.key(f"more-{len(names)}"),
    )


def _ask_type(file: _OpenFile[Any], at: int, name: str, kind: str) -> None:
    """The menu of the type of a column."""
    kinds = dict.fromkeys([*file.form.types, "id", "leave-out", kind])
    options = {each: each.replace("-", " ") for each in kinds}
    menu = (escape_markdown(name), options, kind)
    _menu(file, f"type-{at}", menu, lambda chosen, kind: chosen.with_column(at, kind))


def ask_rows(key: Key, _: DetectedFile, layout: Layout) -> Layout:
    """Asks what a row is, and how many are kept of a person where a column says whose they are."""
    if layout.count is not None:
        return layout
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        unit = st.selectbox(
            "A row is one of these",
            _UNITS,
            index=None,
            placeholder="people" if layout.person is None else "rows",
            accept_new_options=True,
            help=TEXTS["unit_help"],
            key=key("unit"),
        )
        if layout.person is None:
            st.caption(TEXTS["no_ids"])
            return replace(layout, unit=unit or "")
        cap = st.number_input(
            "Most rows of one person",
            min_value=1,
            max_value=N_MAX,
            value=None,
            placeholder="all",
            help=TEXTS["cap_help"],
            key=key("cap"),
        )
    return replace(layout, unit=unit or "", cap=cap or 0)


def _missing(layout: Layout, contents: DetectedFile, needed: tuple[str, ...]) -> str:
    """What is still missing, as a sentence; empty where nothing is."""
    if layout.header is None:
        return "Please say whether the first row has the names of the columns."
    if layout.mark is None and layout.count is not None:
        return "Please say how numbers are written: 1.234 may be thousands or decimals."
    try:
        layout.check_complete(contents, *needed)
    except CaldpError as error:
        return str(error)
    return ""


def _result(found: C, form: Form[C], contents: DetectedFile, layout: Layout) -> None:
    name = "" if layout.count is None else escape_markdown(contents.names[layout.count])
    rows, people = found.refused.rows - found.refused.count, form.people(found)
    data = next((each for each in vars(found).values() if isinstance(each, CountedRows)), None)
    one, many = CountedRows().nouns if data is None else data.nouns
    st.markdown(
        f"**{formats.count(people, one, many)}** in "
        f"{formats.count(rows, 'row', 'rows')} {'is' if people == 1 else 'are'} counted."
        f"{f' The column “{name}” says how many people a row stands for.' if name else ''}"
        f"{' Weights are added up, then rounded to people.' if found.rounded else ''}"
        f"{form.describe(found)}"
    )
    if data is not None and data.person_rows:
        people, median, most = data.person_rows
        whose = formats.count(people, "person", "people")
        st.markdown(TEXTS["rows_of_people"].format(whose=whose, median=median, most=most))
    if found.refused.count:
        st.warning(escape_markdown(found.refused.describe()), icon=":material/filter_alt:")


FILE_PART: Final = "own"
PASTE_PART: Final = "paste"
"""Parts of a page that another one may open: the form, at a file that is chosen or at a text."""
_PASTE: Final = "Paste"
_CHOOSE: Final = "Choose a file"
_KINDS: Final = "CSV, Excel, Parquet or GeoJSON, packed or not; or a scenario.json"
_TOLD_MAX: Final = 600
"""Most characters of an error on the form: it may quote the data."""


def popover(state: PageState[S], form: Form[Any]) -> None:
    """A button, and the form that it opens; drawn only while it is open."""
    for part, way in {FILE_PART: _CHOOSE, PASTE_PART: _PASTE}.items():
        if page_state.take_part(state.page, part):
            st.session_state[state.key("own")] = True
            st.session_state[state.place("own-first")] = way
    counted = st.session_state.pop(state.place("own-counted"), None)
    if counted is not None:
        _accept(state, form, *counted)  # before the form is drawn, which it closes
        run_page()
    popup = st.popover(
        "Your data",
        icon=":material/upload_file:",
        help=f"{form.title}: paste it, or choose a file.",
        key=state.key("own"),
        on_change="rerun",
    )
    if popup.open:
        with popup, st.container(key=state.key("own-panel"), gap="small"):
            _show(state, form)


def _show(state: PageState[S], form: Form[C]) -> None:
    upload: UploadedFile | None = st.session_state.get(state.place("own-held"))
    if upload is not None and _confirm(state, form, upload):
        return
    st.markdown(f"**{form.title}** · {form.instructions}")
    wrong = st.session_state.get(state.place("wrong"))
    if wrong:
        st.error(escape_markdown(wrong[:_TOLD_MAX]), icon=":material/error:")
    first = st.session_state.get(state.place("own-first"), _PASTE)
    pasted, chosen = st.tabs([_PASTE, _CHOOSE], default=first, key=state.key("own-way"))
    with pasted, st.form(state.key("own-form"), border=False):
        _restore_widget(state, "own-text", form.example)
        st.text_area(form.label, height=130, key=state.key("own-text"))
        _name_input(state, "own-name")
        _submit(state, "own-show", "Read the text", lambda: _take_text(state, form))
    with chosen, st.form(state.key("own-file-form"), border=False):
        # Any kind: a file that the browser holds back could not be answered by an error.
        st.file_uploader(_KINDS, key=state.key("own-file"))
        _name_input(state, "own-file-name")
        _submit(state, "own-file-show", "Read the file", lambda: _take_file(state, form))
    st.caption(TEXTS["own_where"])


def _confirm(state: PageState[S], form: Form[C], upload: UploadedFile) -> bool:
    """Show what was understood, and the button that accepts it; False if it was refused."""
    file = _OpenFile(state, form, upload)
    try:
        with st.container(key=state.key("own-preview"), gap="small"):
            counts = _show_file(file)
    except CaldpError as error:
        st.session_state[state.place("wrong")] = str(error)
        _discard_upload(state)
        return False
    if counts is not None and (choices := form.hidden_choices(counts)):
        st.radio("Sensitive is …", list(choices), key=state.key("own-hidden"))
    if counts is not None and st.session_state.pop(state.place("own-wanted"), False):
        st.session_state[state.place("own-counted")] = counts, _chosen_hidden(state, form, counts)
        run_page()
    with st.container(key=state.key("own-buttons"), horizontal=True, gap="small"):
        if counts is not None:
            show = partial(_show_or_count, state, form, counts, file.form_answers)
            state.button("own-accept", "Show it", show, type="primary", icon="check")
        state.button("own-again", "Choose another", _discard_upload, state)
    return True


def _show_or_count(
    state: PageState[S],
    form: Form[C],
    found: C,
    answers: dict[str, object],
) -> None:
    """Show the counts, or, where a quick user has changed a choice since, count first."""
    upload: UploadedFile | None = st.session_state.get(state.place("own-held"))
    if upload is None or _OpenFile(state, form, upload).form_answers == answers:
        _accept(state, form, found, _chosen_hidden(state, form, found))
    else:
        st.session_state[state.place("own-wanted")] = True


def _chosen_hidden(
    state: PageState[Any], form: Form[C], found: C
) -> Callable[[Scenario], Scenario]:
    """What the visitor has chosen to hide by now, where the form asks; at first the most."""
    choices = form.hidden_choices(found)
    picked = st.session_state.get(state.key("own-hidden"))
    return choices.get(str(picked), next(iter(choices.values()), lambda scenario: scenario))


def _discard_upload(state: PageState[Any]) -> None:
    st.session_state.pop(state.place("own-wanted"), None)
    upload: UploadedFile | None = st.session_state.pop(state.place("own-held"), None)
    if upload is not None:
        upload.discard()
    forget(state)


def _accept(
    state: PageState[S], form: Form[C], found: C, hide: Callable[[Scenario], Scenario]
) -> None:
    """Show the counts and close the form; the form shows the error if that fails."""
    _discard_upload(state)
    try:
        scenario = hide(form.apply_counts(state.current().scenario, found))
        if state.awaited is not None and not visit.fits(state.awaited, scenario.dataset):
            state.stop_waiting()
            notify(TEXTS["own_other_data"])
        _show_scenario(state, scenario, form.next_step(found))
    except CaldpError as error:
        st.session_state[state.place("wrong")] = str(error)


def _submit(state: PageState[Any], name: str, label: str, take: Callable[[], None]) -> None:
    def click() -> None:
        is_held = state.place("own-held") in st.session_state
        # The second of two quick clicks comes when the first has closed the form.
        if not is_held and state.key("own-name") in st.session_state:
            take()

    st.form_submit_button(label, type="primary", key=state.key(name), on_click=click)


def _name_input(state: PageState[Any], name: str) -> None:
    _restore_widget(state, name, "")
    st.text_input(
        "Name", max_chars=OWN_NAME_MAX, placeholder="what to call it", key=state.key(name)
    )


def _restore_widget(state: PageState[Any], name: str, value: str) -> None:
    """A widget's own entry dies while the form is closed."""
    st.session_state.setdefault(state.key(name), st.session_state.get(state.place(name), value))


def _take_text(state: PageState[S], form: Form[C]) -> None:
    text = st.session_state[state.key("own-text")]
    name = _typed(state, "own-name") or (form.name if text == form.example else "")

    def put() -> None:
        check_size(text)
        _store(state, form, text.encode("utf-8", "replace"), "Your text", name)

    _receive(state, put)


def _take_file(state: PageState[S], form: Form[C]) -> None:
    file = st.session_state[state.key("own-file")]
    if was_taken(file):
        return

    def put() -> None:
        if file is None:
            most = st.get_option("server.maxUploadSize")
            raise CaldpError(TEXTS["own_no_file"].format(most=most))
        data = take_content(file)
        stem = one_line(Path(file.name).stem)[:OWN_NAME_MAX].strip()
        _store(state, form, data, file.name, _typed(state, "own-file-name") or stem)

    _receive(state, put)


def _receive(state: PageState[S], put: Callable[[], None]) -> None:
    """Keep an upload to be read; the form shows the error if that fails."""
    for name in ("own-text", "own-name", "own-file-name"):
        st.session_state[state.place(name)] = st.session_state[state.key(name)]
    st.session_state[state.place("wrong")] = None
    _discard_upload(state)
    try:
        put()
    except CaldpError as error:
        st.session_state[state.place("wrong")] = str(error)


def _store(state: PageState[S], form: Form[C], data: bytes, file: str, name: str) -> None:
    """Keep data, or show the scenario that they are; raises `CaldpError` if that can't be shown."""
    current_vault().holds_data = True
    text = _scenario_in(data)
    if text is not None:
        check_size(text)
        state.stop_waiting()
        scenario = make_safe(Scenario.from_json(text))
        _show_scenario(state, scenario, explain_given_up(json.loads(text).get("estimator")))
        return
    number = st.session_state.get(state.place("own-number"), 0) + 1
    st.session_state[state.place("own-number")] = number
    title = check_line("The name", name) if name else form.default
    st.session_state[state.place("own-held")] = UploadedFile(data, file, title, number)


def _show_scenario(state: PageState[S], scenario: Scenario, then: str) -> None:
    """Show a scenario with the visitor's data, and close the form."""
    visit.keep_all(scenario)
    state.put(replace(state.current(), scenario=scenario))
    st.session_state[state.key("own")] = False
    if visit.lacks_data(state.query()):
        notify(f"{TEXTS['own_too_long']} {then}".strip())
    elif then:
        show_toast_later(then)


def _scenario_in(data: bytes) -> str | None:
    """The text of a scenario, which says what it is; other JSON is data."""
    text = data[: 2 * OWN_TEXT_MAX].decode("utf-8", "replace")
    is_json = text.removeprefix(BYTE_ORDER_MARK).lstrip().startswith("{")
    return text if is_json and '"caldp_scenario"' in text else None


def _typed(state: PageState[Any], name: str) -> str:
    return one_line(st.session_state[state.key(name)])
