"""What is pinned: one more point a row of the picture, and a table of what differs.

Room: values.
"""

from typing import Any, Final

from caldp_ui.app.errors import as_text
from caldp_ui.controls.presets import fitting
from caldp_ui.parts import pins
from caldp_ui.parts.comparison import Shown, at_once
from caldp_ui.values import words
from caldp_ui.values.slot import SLOT, Values, domain_of
from caldp_ui.values.tables import presets_of, table_of
from caldp_ui.words import formats, promise
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
    found = pins.numbers_of(ANSWERS, what.ours)
    if not found:
        return {}
    return {"people protected": formats.out_of(promise.protected_share(what.setup)), **found}


BESIDE: Final[pins.Beside[Values, Shown]] = pins.Beside(
    find=lambda record: at_once(SLOT, record.scenario),
    title=_title,
    said=words.headline,
    numbers=_numbers,
    picture=pins.in_the_picture,
)
