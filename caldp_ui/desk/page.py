"""The page: the questions, the record as it will be, and the release, drawn once and frozen."""

import hashlib
import json
from typing import Final

import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Progress
from caldp_core.release import desk, sentences
from caldp_core.release.desk import Released
from caldp_core.release.frozen import Frozen
from caldp_core.release.office import Office
from caldp_core.release.pack import pack_files
from caldp_ui.app.navigation import PLAN
from caldp_ui.app.texts import escape_markdown, read_texts
from caldp_ui.app.theme import palette
from caldp_ui.charts import show as charts
from caldp_ui.desk import page_state, questions
from caldp_ui.desk.page_state import STATE, STEPS, DeskState, Draft, current_draft
from caldp_ui.desk.picture import CELLS_MAX, picture_of
from caldp_ui.desk.questions import go_to
from caldp_ui.parts import layout, sharing
from caldp_ui.session import jobs
from caldp_ui.words.formats import Headline

TEXTS: Final = read_texts(__file__)
_TITLES: Final = (
    "Who is one person in the list?",
    "Which areas and which answers are counted?",
    "What was released from this list before?",
    "How is the table protected?",
    "Who answers for the release?",
    "Draw once, and freeze.",
)
_OFFICE: Final = "office.zip"


def show(record: DeskState) -> None:
    """Show the open question, or the last one that can be asked."""
    draft = current_draft()
    step = min(record.step, draft.last_step)
    headline, _ = layout.title_row(STATE)
    _show_steps(step, draft.last_step)
    with st.container(key=STATE.key("question")):
        left, right = st.columns([1.15, 1], gap="large")
    released = None
    with left:
        if step == page_state.RELEASE:
            try:
                released = _release(draft)
            except CaldpError as error:  # the questions above stay, to be answered otherwise
                st.error(escape_markdown(str(error)), icon=":material/error:")
        else:
            questions.QUESTIONS[step](draft)
    with headline:
        layout.show_headline(_headline(step, released))
    with right:
        if step == page_state.RELEASE:
            if released is not None:
                _show_picture(released.frozen)
            _show_record(released.frozen if released else _draft_of(draft))
        else:
            _show_so_far(draft)
            st.markdown(TEXTS["ask"])
            st.page_link(PLAN, label="Plan a survey", icon=":material/calculate:")


def _show_so_far(draft: Draft) -> None:
    """What is answered by now, and which files will leave."""
    with st.container(border=True, key=STATE.key("so-far")):
        # One text for each list: its lines then stand close together.
        lines = [f"**{TEXTS['so_far']}**", ""]
        for title, text in questions.answered(draft):
            lines.append(f"- {title}: {escape_markdown(text) or TEXTS['open']}")
        st.markdown("\n".join(lines))
        lines = [f"**{TEXTS['leaves']}**", ""]
        for file in pack_files():
            kind = "public" if file.is_public else "internal"
            lines.append(f"- {file.name}, {kind}: {escape_markdown(file.purpose)}")
        st.markdown("\n".join(lines))


def _show_picture(frozen: Frozen) -> None:
    """The released table as a picture, for a look before the files are opened."""
    picture = picture_of(frozen, palette())
    if picture is None:
        st.caption(TEXTS["too_many_cells"].format(cells=f"{CELLS_MAX:,}"))
        return
    charts.show(picture.figure, STATE.key("picture"), picture.alt)
    st.caption(picture.caption)


def _headline(step: int, released: Released | None) -> Headline:
    if released is None:
        second = "One release of a list that you hold: drawn once, frozen, and counted."
        return Headline(_TITLES[step], second)
    return Headline(f"Released: {sentences.headline(released.frozen)}", TEXTS["again"])


def _show_steps(step: int, last: int) -> None:
    """The questions by name: those that are answered can be opened again."""
    with st.container(key=STATE.key("steps"), horizontal=True, gap="small"):
        for number, title in enumerate(STEPS):
            is_open = number == step
            icon = "check" if number < last and not is_open else ""
            look = "secondary" if is_open else "tertiary"
            words = f"**{number + 1}  {title}**" if is_open else f"{number + 1}  {title}"
            STATE.button(
                f"step-{number}", words, go_to, number, icon=icon, type=look, disabled=number > last
            )


def _draft_of(draft: Draft) -> Frozen:
    return desk.draft(draft.settings(), draft.files, _office(draft))


def _office(draft: Draft) -> Office:
    assert draft.store is not None  # the question before is answered
    return Office(draft.store)


def _release(draft: Draft) -> Released | None:
    """The button that draws once; then the pack, which is the same however often it is taken."""
    settings, office = draft.settings(), _office(draft)
    earlier = draft.earlier()
    key = STATE.key("draw")
    record = json.dumps([settings.to_record(), draft.files.digest(draft.file)], sort_keys=True)
    name = hashlib.sha256(record.encode()).hexdigest()
    is_drawn = jobs.has_result(key, name)
    # A release that is being drawn stands in the ledger already, and is no further one.
    is_meant = bool(earlier) and not desk.is_in_ledger(settings, draft.files, office)
    if is_meant:
        is_meant = st.checkbox(TEXTS["further"], key=STATE.key("further"))
        if not is_meant:
            further = _draft_of(draft)
            st.info(sentences.together_sentence(further.together, further.releases))
            return None
    if not is_drawn:
        st.markdown(TEXTS["check"])

    def work(progress: Progress) -> Released:
        return desk.release(settings, draft.files, office, second=is_meant, progress=progress)

    released: Released | None = jobs.run_on_click(
        key,
        name,
        work,
        jobs.StartButton("Draw once and freeze", ":material/lock:", type="primary"),
        lambda job: f"Counting, drawing and checking: {job.seconds:.0f} s so far",
    )
    if released is not None:
        _show_pack(released, draft)
    return released


def _show_pack(released: Released, draft: Draft) -> None:
    st.markdown(f"**Frozen** · release {released.frozen.line.id}")
    for file in pack_files():
        kind = "public" if file.is_public else "internal"
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            key = STATE.key(file.name.replace(".", "-"))
            sharing.file_button(key, file.name, released.files[file.name])
            st.markdown(f"**{kind}** · {escape_markdown(file.purpose)}")
    st.markdown(TEXTS["office"])
    assert draft.store is not None
    sharing.file_button(STATE.key("office-zip"), _OFFICE, draft.store.to_zip, is_main=True)
    for remark in released.remarks:
        st.caption(f"For you alone: {escape_markdown(remark)}")
    STATE.button(
        "second",
        "Start a further release: choose its protection",
        go_to,
        page_state.TREATMENT,
        icon="add",
    )


def _show_record(frozen: Frozen) -> None:
    """The public record, as it will be or as it is."""
    with st.container(border=True, key=STATE.key("record-preview")):
        st.markdown(f"**Public record** · {escape_markdown(frozen.list)}")
        for heading, text in sentences.public_record(frozen):
            st.markdown(f"**{escape_markdown(heading)}**  \n{escape_markdown(text)}")
