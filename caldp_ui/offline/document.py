"""Pages as one HTML file: its content as frozen records, and the file without a server.

A page of charts and words is a part of a file: its pictures and words along its sliders, in the
colours of both themes. `part_modules`: the JavaScript for the parts, as ES modules without imports.
"""

import base64
import gzip
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from html import escape
from itertools import chain
from pathlib import Path
from string import Template
from typing import Any, Final, TypeAlias

import streamlit as st

from caldp_core.basics.types import Progress, turn_of
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.theme import style as page_style
from caldp_ui.charts import show
from caldp_ui.compute.runs import is_own
from caldp_ui.parts import pack
from caldp_ui.session import jobs
from caldp_ui.session.page_state import PageState, R
from caldp_ui.stage import records
from caldp_ui.stage.component import film_blobs, film_head, scene_head


@dataclass(frozen=True)
class QuizQuestion:
    """A question with its possible answers, the first of which is right.

    `ask`: the question; `because`: the explanation, shown after any answer.
    """

    ask: str
    answers: tuple[str, ...]
    because: str


@dataclass(frozen=True, eq=False)
class Component:
    """A picture that a page's own code draws.

    `message`: the code's input, as JSON; `kind`: the class of its element; `script`, `style`: the
    code, an ES module without imports, and its style sheet.
    """

    message: Mapping[str, Any]
    kind: str
    script: str
    style: str


@dataclass(frozen=True, eq=False)
class Dial:
    """A slider of charts, drawings and words, and the page at each of its steps.

    `title`: beside the slider; `at`: index of the step that the page is at.
    """

    title: str
    at: int
    steps: tuple[records.Step, ...]


@dataclass(frozen=True, eq=False)
class Board:
    """Charts, drawings and pictures of a page's own, by their keys.

    `pictures`: as they are sent to the browser; `own`: those that are not charts or drawings.
    """

    pictures: Mapping[str, str]
    own: Mapping[str, Component] = field(default_factory=dict)

    @property
    def has_charts(self) -> bool:
        """Whether Plotly draws a picture: drawings are markup, and others are in `own`."""
        for key, content in self.pictures.items():
            if key not in self.own and not content.startswith("<"):
                return True
        return False


Picture: TypeAlias = records.Scene | Component | Board
"""Maps, the picture of answers, or charts and drawings."""
Moves: TypeAlias = records.Film | Dial
"""What changes a picture: a `Film` for maps and answers, a `Dial` for a board."""


@dataclass(frozen=True, eq=False)
class Part:
    """A picture with sliders, its words and its questions.

    `id`: letters and digits, unique in a file. `task`: what to do with it, in one or two sentences.
    `words`: HTML by its place on the page, a CSS selector; films and sliders change it there. The
    first is the sentence above the picture. `moves`: functions that make its films or sliders, in
    seconds. `aim`: what one can do afterwards; `home`: the part's own sentence to take home; ""
    for none. `questions`: makes the questions from the results of `moves`, in their order.
    """

    id: str
    title: str
    task: str
    words: Mapping[str, str]
    picture: Picture
    moves: Sequence[Callable[[Progress], Moves]] = ()
    aim: str = ""
    home: str = ""
    questions: Callable[[Sequence[Any]], Sequence[QuizQuestion]] = field(default=lambda _: ())


_WEB: Final = Path(__file__).with_name("web")


def part_modules(parts: Sequence[Part]) -> list[str]:
    """Scripts of the parts, in order: a page's own code before the code that finds its pictures."""
    codes = (
        [_script("bytes") + records.script() + _script("maps")]
        if any(isinstance(part.picture, records.Scene) for part in parts)
        else []
    )
    for part in parts:
        if isinstance(part.picture, Component):
            constants = {"PART": part.id, "KIND": part.picture.kind, "STYLE": part.picture.style}
            codes.append(
                _script("bytes") + part.picture.script + _script_block(constants, "answers")
            )
        elif isinstance(part.picture, Board):
            codes += [_own_script(part.id, key, each) for key, each in part.picture.own.items()]
    if any(isinstance(part.picture, Board) for part in parts):
        codes.append(
            records.partial_script("dom", "replacements")
            + show.script("narrow", "figure")
            + records.join_modules(_WEB, ("bytes", "boards"))
        )
    return codes


_VENDOR: Final = Path(__file__).with_name("vendor")


@cache
def plotly_code() -> str:
    """Plotly's code below its licence, a classic script that sets `window.Plotly`; 1.2 MB.

    It is the part of the library that draws lines, marks, bars and pies (`vendor/README.md`).
    """
    licence = (_VENDOR / "LICENSE").read_text("utf-8")
    code = gzip.decompress((_VENDOR / "plotly-basic.min.js.gz").read_bytes()).decode()
    return f"/*! {licence.strip()} */\n{code}"


def _script(name: str) -> str:
    return records.join_modules(_WEB, (name,))


def _own_script(part: str, key: str, picture: Component) -> str:
    constants = {"PART": part, "KEY": key, "KIND": picture.kind, "STYLE": picture.style}
    return picture.script + _script_block({**constants, "MESSAGE": dict(picture.message)}, "own")


def _script_block(names: Mapping[str, object], script: str) -> str:
    """A script in a block of its own below its constants; no text in it ends the element."""
    declarations = ", ".join(f"{name} = {json.dumps(value)}" for name, value in names.items())
    return f"\n{{\nconst {declarations};\n".replace("</", "<\\/") + _script(script) + "}\n"


def single_row(whole: records.Scene) -> records.Scene:
    """Maps in a single row with their film's slider, without what a server would have to do."""
    pictures = tuple(replace(each, invitation="") for each in whole.pictures)
    return replace(
        whole, pictures=pictures, arrangement=None, actions=(), look_hint=records.Scene.look_hint
    )


NO_RECEIPT: Final = {"client": "", "serial": 0}
"""The `receipt` of a message: no server takes events."""


def below_title(html: str) -> str:
    """HTML with h1 and h2 as h3 and h4: in a file h1 is its title and h2 that of a part."""
    for old, new in (("h2", "h4"), ("h1", "h3")):
        html = html.replace(f"<{old}", f"<{new}").replace(f"</{old}>", f"</{new}>")
    return html


def part_data(part: Part, moves: Iterable[Moves]) -> dict[str, Any]:
    """JSON of a part for the browser; packed messages as base64. `moves`: made by `part.moves`."""
    picture = part.picture
    if isinstance(picture, Board):
        dials = [
            {
                "title": each.title,
                "at": each.at,
                "steps": [{"reading": s.reading, **_step(part, s)} for s in each.steps],
            }
            for each in moves
            if isinstance(each, Dial)
        ]
        first = _step(part, records.Step(pictures=picture.pictures, replacements=part.words))
        return {"id": part.id, "kind": "board", "first": first, "dials": dials}
    films = [_film_in_part(part, each) for each in moves if isinstance(each, records.Film)]
    parcels, target = [], {}
    if isinstance(picture, records.Scene):
        head = scene_head(picture, part.id) | {"page": part.id, "receipt": NO_RECEIPT}
        parcels, target = [records.pack_message({}, _blobs(picture))], {"stage": part.id}
    else:
        head = {**picture.message, "receipt": NO_RECEIPT}
    parcels += [
        records.pack_message({**target, "film": film_head(film)}, film_blobs(film))
        for film in films
    ]
    texts = [base64.b64encode(each).decode() for each in parcels]
    kind = "maps" if isinstance(picture, records.Scene) else "answers"
    return {"id": part.id, "kind": kind, "head": head, "parcels": texts}


def _step(part: Part, step: records.Step) -> dict[str, Any]:
    """JSON of a step: its pictures, and its words by their number in the part."""
    places = list(part.words)
    words: dict[int, records.Tree] = {
        places.index(place): records.tree(below_title(html))
        for place, html in step.replacements.items()
    }
    return {"pictures": dict(step.pictures), "words": words}


def _blobs(scene: records.Scene) -> list[records.Blob]:
    fixed = scene.ground.blobs((*records.LAND, *records.OVER))
    pictures = ((each.code, each.error, each.pooled, each.certain) for each in scene.pictures)
    return [blob for blob in chain(fixed, *pictures) if blob is not None]


def _film_in_part(part: Part, film: records.Film) -> records.Film:
    """The film with its own slider, which changes words of its part and reports nothing."""
    places = list(part.words)
    steps = tuple(
        replace(
            step,
            replacements={
                f'#{part.id} [data-words="{places.index(place)}"] > *': below_title(html)
                for place, html in step.replacements.items()
                if place in places
            },
        )
        for step in film.steps
    )
    return replace(film, steps=steps, dial="", beside="", follows=False)


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
        moves = [make(turn_of(progress, done + at, total)) for at, make in enumerate(part.moves)]
        done += len(moves)
        questions = part.questions(moves)
        question_count += len(questions)
        sections.append(_section_html(part, questions))
        data.append(part_data(part, moves))
    scripts = part_modules(parts)
    if question_count:
        sections.append((_WEB / "end.html").read_text("utf-8").rstrip())
        scripts.append(_script("questions"))  # marks answers
    code = "\n".join(f'<script type="module">{text}</script>' for text in scripts)
    # Once a file, before the modules that draw with it, and only where there is a chart.
    if any(isinstance(part.picture, Board) and part.picture.has_charts for part in parts):
        code = f"<script>{plotly_code()}</script>\n{code}"
    return Template((_WEB / "document.html").read_text("utf-8")).substitute(
        title=escape(title),
        policy=_POLICY,
        style=page_style() + (_WEB / "offline.css").read_text("utf-8"),
        body="\n".join(sections),
        looks=_json(records.style_data()),
        parts=_json(list(data)),
        code=code,
    )


def _section_html(part: Part, questions: Sequence[QuizQuestion]) -> str:
    """HTML of a part: its first question before the sentence and picture that answer it."""
    first, *later = [*(_question_html(part, *each) for each in enumerate(questions)), ""]
    sentence, *others = (
        f'<div data-words="{number}">{below_title(html)}</div>'
        for number, html in enumerate(part.words.values())
    )
    above, below = (others, []) if isinstance(part.picture, Board) else ([], others)
    aim = f'<p class="aim"><b>You will be able to</b> {escape(part.aim)}</p>' if part.aim else ""
    home = f'<p class="home"><b>To take home</b> {escape(part.home)}</p>' if part.home else ""
    return f"""<section id="{part.id}" class="part"><details open>
<summary><h2>{escape(part.title)}</h2></summary>
{aim}{first}<p class="task">{escape(part.task)}</p>
<div class="sentence">{sentence}</div>
{_picture_html(part, "".join(above))}
{"".join(below)}{"".join(later)}{home}
</details></section>"""


def _picture_html(part: Part, above: str) -> str:
    """HTML of the picture's place; a board's sliders and the words `above` stand over it."""
    if not isinstance(part.picture, Board):
        kind = "maps" if isinstance(part.picture, records.Scene) else "answers"
        return f'<div class="picture {kind}"></div>'
    hosts = "".join(
        f'<div class="picture" data-key="{key}"></div>' for key in part.picture.pictures
    )
    return f'<div class="dials"></div><div class="board">{above}{hosts}</div>'


def _question_html(part: Part, number: int, question: QuizQuestion) -> str:
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
        file = pack.file_name(file)
        st.caption(f":red[**{pack.LINE}**] The file shows what you see, and says so inside.")
    name = hashlib.sha256(repr(state.query()).encode()).hexdigest()

    def write(progress: Progress) -> bytes:
        page = document(f"{part.title} · caldp", [part], progress).encode()
        return pack.mark(file, page) if own else page

    offer_file(state.key("home"), name, write, _OFFER, file)


def offer_file(
    key: str, name: str, make: Callable[[Progress], bytes], offer: jobs.StartButton, file: str
) -> None:
    """Show the button that makes a file in the background, then the one that saves it.

    `key`: of the job and its widgets; `name`: of what the file holds, a new one ends the job.
    `make`: bytes of the file; `offer`: the first button; `file`: the file's name.
    """
    writing = "Writing the file: {:.0f} s so far".format
    data = jobs.run_on_click(key, name, make, offer, lambda job: writing(job.seconds))
    if data is not None:
        st.download_button(
            f"Save {file} ({len(data) / 1e6:.1f} MB)",
            lambda: data,
            file,
            "text/html",
            key=f"{key}-save",
            icon=":material/save:",
            type="primary",
            on_click="ignore",
        )
