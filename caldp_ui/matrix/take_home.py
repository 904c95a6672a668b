"""The page as a part of a file: limits beside leaks, along the base ε of an example."""

from caldp_ui.matrix import board, candidates, films
from caldp_ui.matrix.page_state import MatrixState
from caldp_ui.matrix.words import judge_channel
from caldp_ui.offline import boards
from caldp_ui.offline.records import Part


def part(record: MatrixState) -> Part | None:
    """The page; None where no slider has a film, see `films.sliders`."""
    sliders = films.sliders(record)
    if not sliders:
        return None
    verdict = judge_channel(record.names, record.matrix, candidates.available_candidate(record))
    return boards.part(
        "matrix",
        "The privacy matrix",
        "At the left what a report may reveal, at the right what this channel reveals. Move ε.",
        films.PAGE,
        record,
        sliders={"Base ε": sliders[0]},
        own={board.KEY: board.as_component(verdict)},
    )
