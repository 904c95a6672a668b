"""Parts as one HTML file: the pages' own pictures and films, without the pages' server."""

import base64
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any, Final

from caldp_core.basics.types import Progress
from caldp_ui.offline.records import Part, Question
from caldp_ui.parts import headline, odds
from caldp_ui.stage import Film, Scene, bundle
from caldp_ui.stage.codec import Blob, parcel
from caldp_ui.stage.looks import looks
from caldp_ui.stage.message import film_head, film_parts, scene_head
from caldp_ui.values import chart

_WEB: Final = Path(__file__).with_name("web")
_NEVER: Final = {"of": "", "serial": 0}
"""No server hears what hands do."""
_POLICY: Final = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
)
"""Whatever is in the file, it can ask nobody for anything."""
_PLACES: Final = {headline.SENTENCE: ".sentence > *", odds.PLACE: ".graded > *"}
"""Where films write on a page, and where in a part."""


def document(title: str, parts: Sequence[Part], progress: Progress) -> str:
    """The file as a text.

    `progress`: takes the share that is done and may raise to cancel, as films take seconds.
    """
    makers = sum(len(part.films) for part in parts)
    done = 0
    sections, data = [], []
    for part in parts:
        films = []
        for make in part.films:
            films.append(make(_from_to(progress, done / makers, (done + 1) / makers)))
            done += 1
        sections.append(_section(part, part.questions(films)))
        data.append(_data(part, films))
    return _page(title, sections, data)


def _from_to(progress: Progress, low: float, high: float) -> Progress:
    return lambda share: progress(low + share * (high - low))


def _section(part: Part, questions: Sequence[Question]) -> str:
    kind = "maps" if isinstance(part.picture, Scene) else "answers"
    asked = "".join(_question(part, number, each) for number, each in enumerate(questions))
    return f"""<section id="{part.id}" class="part">
<h2>{escape(part.title)}</h2>
<p class="task">{escape(part.task)}</p>
<div class="sentence">{_below_title(part.sentence)}</div>
<div class="picture {kind}"></div>
<div class="graded">{part.odds}</div>
<p class="home"><b>To take home</b> {escape(part.home)}</p>
<div class="questions">{asked}</div>
</section>"""


def _below_title(html: str) -> str:
    """A page's headline is its title; here the file and the part have theirs."""
    return html.replace("<h1>", "<h3>").replace("</h1>", "</h3>")


def _question(part: Part, number: int, question: Question) -> str:
    """The right answer is the first here and somewhere in the file: always the same place."""
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


def _data(part: Part, films: Iterable[Film]) -> dict[str, Any]:
    """What the browser's side is given; parcels as text."""
    own = [_within(part, film) for film in films]
    if isinstance(part.picture, Scene):
        head = scene_head(part.picture, part.id) | {"page": part.id, "heard": _NEVER}
        parcels = [parcel({}, _blobs(part.picture))]
        brought = {"stage": part.id}
    else:
        head, parcels, brought = part.picture | {"heard": _NEVER}, [], {}
    parcels += [parcel({**brought, "film": film_head(film)}, film_parts(film)) for film in own]
    return {"id": part.id, "head": head, "parcels": [base64.b64encode(p).decode() for p in parcels]}


def _blobs(scene: Scene) -> list[Blob]:
    ground = scene.ground
    fixed = [ground.outline, ground.land, ground.cities, ground.labels, ground.names]
    fixed += [ground.sensitive, ground.open]
    pictures = [blob for picture in scene.pictures for blob in (picture.code, picture.error)]
    return [blob for blob in (*fixed, *pictures) if blob is not None]


def _within(part: Part, film: Film) -> Film:
    """The film with a slider of its own, which writes into its part and asks nobody."""
    steps = tuple(
        replace(
            step,
            elsewhere={
                f"#{part.id} {_PLACES[place]}": _below_title(html)
                for place, html in step.elsewhere.items()
                if place in _PLACES
            },
        )
        for step in film.steps
    )
    return replace(film, steps=steps, dial="", beside="", follows=False)


def _page(title: str, sections: Sequence[str], data: Sequence[dict[str, Any]]) -> str:
    style = (_WEB / "offline.css").read_text("utf-8")
    start = (_WEB / "offline.js").read_text("utf-8")
    answers = (_WEB / "answers.js").read_text("utf-8")
    body = "\n".join(sections)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>{escape(title)}</h1>
<p>This file needs no network and sends nothing: what you choose stays on this device.</p>
{body}
<section id="end" class="part">
<h2>Your answers</h2>
<p id="score" role="status">Nothing answered yet.</p>
<p><label for="own-words">In your own words: when is it enough to protect only some values, and
who pays for it?</label></p>
<textarea id="own-words" rows="4"></textarea>
<p><label for="hand-in">To hand in: copy this text.</label></p>
<textarea id="hand-in" rows="8" readonly></textarea>
</section>
</main>
<script type="application/json" id="looks">{_json(looks())}</script>
<script type="application/json" id="parts">{_json(list(data))}</script>
<script type="module">{bundle.script()}
{start}</script>
<script type="module">{chart.script()}
{answers.replace("CHART_STYLE", json.dumps(chart.style()))}</script>
</body>
</html>
"""


def _json(value: Any) -> str:
    """For a script element: no text in it may end the element."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
