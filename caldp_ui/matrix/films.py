"""Films of the board and its headline along the base ε of an example.

Designed channels have none: each step would take a design.
"""

from typing import Final

from caldp_core.basics.limits import EPSILON_MAX
from caldp_ui.app.theme import Palette
from caldp_ui.controls.common import EPSILONS, Slider
from caldp_ui.matrix import board, candidates, words
from caldp_ui.matrix.page_state import DESIGNS, STATE, MatrixState
from caldp_ui.matrix.words import judge_channel
from caldp_ui.parts import films, headline
from caldp_ui.parts.films import ChartPage
from caldp_ui.stage import Step

OFF: Final = STATE.key("off")
EPSILON: Final = Slider[MatrixState](
    "epsilon",
    lambda record: record.epsilon,
    lambda record, level: record.with_template(record.template, float(level)),
    # A line's last value is five steps from its first.
    tuple(level for level in EPSILONS if 5 * level <= EPSILON_MAX),
    lambda level: f"{level:g}",
)


def show(record: MatrixState) -> None:
    """Have the browser follow the slider."""
    films.follow_sliders(PAGE, record, sliders(record))


def sliders(record: MatrixState) -> list[Slider[MatrixState]]:
    """Sliders with a film: none for a matrix of one's own or a designed channel."""
    return [EPSILON] if record.template and record.channel not in DESIGNS else []


def render(record: MatrixState, colours: Palette) -> Step:
    """Render one step: board and headline; levels have the same colours in either theme."""
    del colours
    candidate = candidates.available_candidate(record)
    verdict, error_html = (
        judge_channel(record.names, record.matrix, candidate),
        headline.as_html(words.error_sentence(candidate)),
    )
    return films.render_step(
        words.headline(verdict),
        {board.KEY: board.board_json(verdict)},
        {f".st-key-{OFF} p": error_html},
    )


PAGE: Final = ChartPage(STATE, render)
