"""Real messages as TypeScript: `tsc` holds them against what `messages.d.ts` says of them.

`python -m tests.js.messages` prints the file. What is written out in TypeScript may have neither
more nor fewer names than its type, nor values of another type.
"""

import json
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from caldp_core.domain.domains import Area, GridDomain
from caldp_core.experiments.run import Result, prepare, run
from caldp_ui.charts.show import SliderState
from caldp_ui.compute import runs
from caldp_ui.lesson import steps
from caldp_ui.lesson.steps import LessonState, LessonStep
from caldp_ui.matrix import view
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.room import view as boards
from caldp_ui.room.poll import PollState
from caldp_ui.room.question import PollQuestion, history
from caldp_ui.stage import records
from caldp_ui.stage.component import _head, film_head
from caldp_ui.stage.records import style_data
from caldp_ui.start import exhibit
from caldp_ui.start.page_state import StartState
from caldp_ui.values import view as chart
from caldp_ui.values.page_state import BEGIN
from tests.ui.driver import SMALL, verdict

_GRID = GridDomain(south=0.0, west=0.0, cell=1.0, rows=2, columns=3)
_CODE = records.encode(np.arange(6) / 15)
_LINES = records.encode_lines(np.arange(2.0), np.arange(2.0))
_FACT = records.Fact("12", "of 100 people")
_LABELS = (
    records.Label("12 of 100", "can be read", "open", (1.0, 2.0)),
    records.Label("88 of 100", "protected", "safe"),
)
_QUESTION = PollQuestion("Which?", ("a", "b", "c"), (0, 2), 1.0)


def typescript() -> str:
    """The file: a constant of its type for each message."""
    consts = (
        f"const {kind.lower()}{number}: Message.{kind} = {json.dumps(message)};"
        for number, (kind, message) in enumerate(messages())
    )
    return "\n".join(consts) + "\n"


def messages() -> Iterator[tuple[str, Any]]:
    """Messages with the names of their types: with all that may be there, and with none."""
    for scene in _scenes():
        yield "Scene", _head(scene, "maps")
    for film in _films():
        yield "Film", film_head(film)
        yield (
            "Head",
            _sent(records.pack_message({"stage": "maps", "film": film_head(film)}, [_CODE])),
        )
    yield "Looks", style_data()
    yield from (("ExhibitMessage", each) for each in _exhibits())
    yield from (("Answers", each) for each in _answers())
    yield "Matrix", json.loads(view.board_json(verdict(SMALL)))
    step = records.Step(
        reading="1.0",
        pictures={"chart": "text"},
        replacements={".words": "<p class='a'>one <b>two</b></p>"},
    )
    yield "ChartFilm", json.loads(records.Film("", "", (step,), settings="else").chart_message)
    yield "SliderState", vars(SliderState("1.0", "else"))
    for reports in ((), (0, 1, 2, 2)):
        poll = PollState("code", "mark", _QUESTION, True, reports)
        past = history(_QUESTION, reports, poll.people)
        yield "Poll", json.loads(boards.board_json(poll, past))
        yield "Poll", json.loads(boards.board_json(poll, past, np.array([0.5, 0.25, 0.25])))
        yield "Phone", boards.question_message(_QUESTION) | boards.state_message(poll)
    yield (
        "Lesson",
        steps._message(
            LessonState((LessonStep(5, "One", "pages/maps.py", "Do.", "Home."),), 0, 0.0),
            "pages/maps.py",
        ),
    )


def _exhibits() -> Iterator[dict[str, Any]]:
    """The exhibit with its data, and with an address for them."""
    choice = StartState().choice
    whole = dict(exhibit.as_component("exhibit", choice).message)
    yield whole
    yield {**whole, "data": None, "address": exhibit.address()}


def _scenes() -> Iterator[records.Scene]:
    picture = records.Picture("ours", "Ours", "", "A map.", _CODE)
    yield records.Scene(records.Ground(_GRID, _GRID.area), (picture,), 10, ("ours", "ours"))
    ground = records.Ground(
        _GRID, _GRID.area, _LINES, _CODE, _CODE, _CODE, _CODE, Area(0, 1, 0, 2), _LINES, _CODE
    )
    full = records.Picture(
        "full",
        "Full",
        "sub",
        "A map.",
        _CODE,
        1e-6,
        ("open",),
        _FACT,
        _CODE,
        ("l", "r"),
        _LABELS,
        "open",
    )
    yield records.Scene(
        ground,
        (picture, full),
        1000,
        ("ours", "full"),
        (records.Difference("off", "Off by", "", "A map.", "ours", "full", fact=_FACT),),
        (records.Action("protect", "Protect", {"box": "Will be sensitive."}),),
        focus=records.Focus(Area(0, 1, 0, 2), 3),
        film_values={"epsilon": 1.0},
        image_lines=("one",),
        arrangement=records.Arrangement(("ours",), ("full",), ("full",)),
    )


def _films() -> Iterator[records.Film]:
    bare = records.Step("ε = 1", 1.0, {"ours": _CODE})
    yield records.Film("epsilon", "ε", (bare,))
    step = records.Step(
        "ε = 2",
        2.0,
        {"ours": _CODE},
        {"ours": "so"},
        {"ours": _FACT},
        "2.0",
        {".words": "<p class='a'>one <b>two</b></p>"},
        {"ours": 1e-6},
        {"ours": ("", "r")},
        {"ours": _LABELS},
        image_lines=("promise", "setting"),
        shared_lines=("setting",),
        people=2,
    )
    yield records.Film("all", "ε", (bare, step), dial="maps-epsilon", hides=("blocks",))


def _answers() -> Iterator[dict[str, Any]]:
    setup, plain = prepare(BEGIN), prepare(runs.best_plain_ldp(BEGIN))
    receipt = {"receipt": {"client": "", "serial": 0}}
    yield {**chart.message(ComparisonData(setup, plain, None, None)), **receipt}
    results: list[Result] = [run(setup), run(plain)]
    data = ComparisonData(setup, plain, *results)
    yield {**chart.message(data, data), **receipt}


def _sent(parcel: bytes) -> Any:
    """The head of a parcel."""
    return json.loads(parcel[4 : 4 + int.from_bytes(parcel[:4], "little")])


if __name__ == "__main__":
    sys.stdout.write(typescript())
