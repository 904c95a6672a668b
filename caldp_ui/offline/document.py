"""Parts as one HTML file: the pages' own pictures and films, without the pages' server."""

import hashlib
import json
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any, Final

import streamlit as st

from caldp_core.basics.types import Progress, part_of
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.theme import style as page_style
from caldp_ui.compute.runs import is_own
from caldp_ui.offline import records
from caldp_ui.offline.records import Board, Moves, Part, Question, below_title, part_data
from caldp_ui.parts import internal
from caldp_ui.session import jobs
from caldp_ui.session.page_state import PageState, R
from caldp_ui.stage import Scene
from caldp_ui.stage.records import style_data

_WEB: Final = Path(__file__).with_name("web")
_POLICY: Final = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
)
"""Content security policy of the file: no request to anybody, whatever is in it."""


def document(title: str, parts: Sequence[Part], progress: Progress) -> str:
    """HTML of the file.

    `progress`: called with the share done, in [0, 1]; may raise to cancel, as films take seconds.
    """
    total = sum(len(part.moves) for part in parts)
    done = 0
    sections, data, question_count = [], [], 0
    for part in parts:
        moves: list[Moves] = []
        for make in part.moves:
            moves.append(make(part_of(progress, done / total, (done + 1) / total)))
            done += 1
        questions = part.questions(moves)
        question_count += len(questions)
        sections.append(_section_html(part, questions))
        data.append(part_data(part, moves))
    scripts = records.part_modules(parts)
    if question_count:
        sections.append((_WEB / "end.html").read_text("utf-8").rstrip())
        scripts.append(records.questions())
    return _page_html(title, sections, data, scripts)


def _section_html(part: Part, questions: Sequence[Question]) -> str:
    questions_html = "".join(
        _question_html(part, number, each) for number, each in enumerate(questions)
    )
    sentence, *others = (
        f'<div data-words="{number}">{below_title(html)}</div>'
        for number, html in enumerate(part.words.values())
    )
    above, below = (others, []) if isinstance(part.picture, Board) else ([], others)
    aim = f'<p class="aim"><b>You will be able to</b> {escape(part.aim)}</p>' if part.aim else ""
    home = f'<p class="home"><b>To take home</b> {escape(part.home)}</p>' if part.home else ""
    return f"""<section id="{part.id}" class="part">
<h2>{escape(part.title)}</h2>
{aim}<p class="task">{escape(part.task)}</p>
<div class="sentence">{sentence}</div>
{_picture_html(part, "".join(above))}
{"".join(below)}{home}<div class="asked">{questions_html}</div>
</section>"""


def _picture_html(part: Part, above: str) -> str:
    """HTML of the picture's place; a board's sliders and the words `above` stand over it."""
    if not isinstance(part.picture, Board):
        kind = "maps" if isinstance(part.picture, Scene) else "answers"
        return f'<div class="picture {kind}"></div>'
    hosts = "".join(
        f'<div class="picture" data-key="{key}"></div>' for key in part.picture.pictures
    )
    return f'<div class="dials"></div><div class="board">{above}{hosts}</div>'


def _question_html(part: Part, number: int, question: Question) -> str:
    """HTML of a question; its right answer, the first, moves to a fixed place among the others."""
    count = len(question.answers)
    turn = (len(question.ask) + number) % count
    order = [(place + turn) % count for place in range(count)]
    name = f"{part.id}-{number}"
    choices = "".join(
        f'<label><input type="radio" name="{name}" value="{int(place == 0)}"> '
        f"{escape(question.answers[place])}</label>"
        for place in order
    )
    return (
        f"<fieldset><legend>{escape(question.ask)}</legend>{choices}"
        f'<p class="because" role="status" data-because="{escape(question.because)}"></p>'
        "</fieldset>"
    )


def _page_html(
    title: str, sections: Sequence[str], data: Sequence[dict[str, Any]], scripts: Sequence[str]
) -> str:
    code = "\n".join(f'<script type="module">{text}</script>' for text in scripts)
    return Template((_WEB / "document.html").read_text("utf-8")).substitute(
        title=escape(title),
        policy=_POLICY,
        style=page_style() + (_WEB / "offline.css").read_text("utf-8"),
        body="\n".join(sections),
        looks=_json(style_data()),
        parts=_json(list(data)),
        code=code,
    )


def _json(value: Any) -> str:
    """JSON for a script element: no text in it ends the element."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")


_OFFER: Final = jobs.StartButton(
    "Take this page home",
    ":material/download:",
    "One file with what you see and its sliders. It opens without a network, from a memory stick "
    "or on a phone, and sends nothing.",
)


def offer_page(state: PageState[R], make: Callable[[R], Part | None]) -> None:
    """Show the button that makes the file of a page, then the one that saves it.

    `make`: the page as a part; None where a picture for each step would take too long.
    """
    st.markdown("**This page to take home** · one file whose sliders move without a network")
    part = make(state.current())
    if part is None:
        st.caption("Its pictures take too long here to be made for each step of a slider.")
        return
    record: Any = state.current()
    own = is_own(getattr(record, "scenario", Scenario()).dataset)
    file = f"caldp-{part.id}.html"
    if own:
        file = internal.file_name(file)
        st.caption(f":red[**{internal.LINE}**] The file shows what you see, and says so inside.")
    name = hashlib.sha256(repr(state.query()).encode()).hexdigest()
    offer_file(
        state.key("home"),
        name,
        lambda progress: _html_bytes(part, file if own else "", progress),
        _OFFER,
        file,
    )


def offer_file(
    key: str, name: str, make: Callable[[Progress], bytes], offer: jobs.StartButton, file: str
) -> None:
    """Show the button that makes a file in the background, then the one that saves it.

    `key`: of the job and its widgets; `name`: of what the file holds, a new one ends the job.
    `make`: bytes of the file; `offer`: the first button; `file`: the file's name.
    """
    data = jobs.run_on_click(key, name, make, offer, _describe_progress)
    if data is not None:
        st.download_button(
            f"Save {file} ({len(data) / 1e6:.1f} MB)",
            data,
            file,
            "text/html",
            key=f"{key}-save",
            icon=":material/save:",
            type="primary",
            on_click="ignore",
        )


def _html_bytes(part: Part, internal_file: str, progress: Progress) -> bytes:
    """The file's content, marked where it is internal and so has a name in `internal_file`."""
    page = document(f"{part.title} · caldp", [part], progress).encode()
    return internal.mark(internal_file, page) if internal_file else page


def _describe_progress(job: jobs.Job[Any]) -> str:
    return f"Writing the file: {job.seconds:.0f} s so far"
