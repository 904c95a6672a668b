"""Films of the rehearsal along its sliders.

Each visit has its own: nobody's question is stored for others, or for longer.

The rehearsal as one file: made-up phones answer, along ε and their number.
"""

from dataclasses import replace
from typing import Final

from caldp_core.basics.limits import EPSILON_MAX
from caldp_ui.app.theme import Palette
from caldp_ui.controls.common import EPSILONS, Slider
from caldp_ui.offline import boards as offline
from caldp_ui.offline.records import Part
from caldp_ui.parts import films, headline
from caldp_ui.parts.film_jobs import session_films
from caldp_ui.parts.films import ChartPage
from caldp_ui.room import boards, rehearsal, words
from caldp_ui.room.page_state import STATE, Draft
from caldp_ui.stage import Step

KEY: Final = STATE.key("rehearsal")
TITLE: Final = STATE.key("rehearsed")
EPSILON: Final = Slider[Draft](
    "epsilon",
    lambda draft: draft.question.epsilon,
    lambda draft, level: replace(draft, question=replace(draft.question, epsilon=float(level))),
    tuple(level for level in EPSILONS if level < EPSILON_MAX),
    lambda level: f"{level:g}",
)
PHONES: Final = Slider[Draft](
    "phones",
    lambda draft: draft.phones,
    lambda draft, phones: replace(draft, phones=int(phones)),
    (10, 20, 30, 60, 100, 200, 500),
    str,
)


def show(draft: Draft) -> None:
    """Have the browser follow the sliders."""
    films.follow_sliders(PAGE, draft, [EPSILON, PHONES])


def render(draft: Draft, colours: Palette) -> Step:
    """Render one step: headline and board; the board has its own colours in either theme."""
    del colours
    top_line = words.rehearsal(draft.question, draft.phones, rehearsal.half_width(draft))
    title = headline.as_html(words.rehearsal_title(draft.phones))
    return films.render_step(
        top_line, {KEY: rehearsal.rehearsal_json(draft)}, {f".st-key-{TITLE} p": title}
    )


PAGE: Final = ChartPage(STATE, render, load_films=session_films)


def part(draft: Draft) -> Part:
    """The rehearsal of the draft's question; nobody's report is in it."""
    return offline.part(
        "rehearsal",
        "Live poll: a rehearsal",
        "Made-up phones answer the question. Move ε, or let more phones answer.",
        PAGE,
        draft,
        sliders={"Privacy level ε": EPSILON, "Phones that you expect": PHONES},
        own={KEY: boards.as_component(rehearsal.rehearsal_json(draft), KEY)},
    )
