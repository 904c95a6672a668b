"""What is pinned: one more point a row of the picture, and a table of what differs."""

from typing import Any, Final

from caldp_ui.app.errors import as_text
from caldp_ui.controls.presets import fitting
from caldp_ui.parts import pins
from caldp_ui.parts.comparison import Shown, at_once
from caldp_ui.values import words
from caldp_ui.values.picture import png
from caldp_ui.values.slot import SLOT, Values, domain_of
from caldp_ui.values.tables import presets_of, table_of
from caldp_ui.words.vocabulary import ANSWERS


def _title(record: Values) -> str:
    scenario = record.scenario
    table = table_of(scenario.dataset)
    preset = fitting(presets_of(scenario.dataset, domain_of(scenario)), scenario)
    policy: Any = scenario.policy
    told = "several ε" if isinstance(policy.epsilon, tuple) else f"ε = {policy.epsilon:g}"
    name = f"{as_text(table.title)}, " if table else ""
    return f"{name}{preset.title if preset else 'own protection'}, {told}"


def _numbers(what: Shown) -> dict[str, str]:
    return pins.numbers_of(ANSWERS, what.ours)


def _files(what: Shown) -> dict[str, bytes]:
    if what.ours is None or what.plain is None:
        return {}
    return {"picture": png(what.ours, what.plain)}


BESIDE: Final[pins.Beside[Values, Shown]] = pins.Beside(
    find=lambda record: at_once(SLOT, record.scenario),
    title=_title,
    said=words.in_one_line,
    numbers=_numbers,
    picture=pins.in_the_picture,
    files=_files,
)
