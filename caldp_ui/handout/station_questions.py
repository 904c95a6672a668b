"""Three questions per station, from `station_questions.toml`: predict, move a slider, explain."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from caldp_ui.handout.records import Reading, StationQuestions
from caldp_ui.offline.records import Question


def _station(texts: Mapping[str, Any]) -> StationQuestions:
    predict, explain = (
        Question(each["ask"], tuple(each["answers"]), each["because"])
        for each in (texts["predict"], texts["explain"])
    )
    return StationQuestions(texts["aim"], predict, Reading(**texts["move"]), explain)


STATION_QUESTIONS: Final = {
    name: _station(texts)
    for name, texts in tomllib.loads(
        Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    ).items()
}
