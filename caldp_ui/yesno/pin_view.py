"""View of the pinned coin: a corner of the plane, and a table of the numbers that differ."""

from typing import Final

from caldp_ui.controls.presets import matching_preset
from caldp_ui.parts import pins
from caldp_ui.words import promise_levels
from caldp_ui.words.vocabulary import ANSWERS
from caldp_ui.yesno import words
from caldp_ui.yesno.page_state import YesNoData, YesNoState, load_data, yes_no_policy
from caldp_ui.yesno.picture import png
from caldp_ui.yesno.presets import PRESETS


def _title(record: YesNoState) -> str:
    preset = matching_preset(PRESETS, record.scenario)
    policy = yes_no_policy(record.scenario)
    levels = (promise_levels.level(each) for each in (policy.epsilon_10, policy.epsilon_01))
    levels_text = "ε of yes {}, of no {}".format(*levels)
    return f"{preset.title}: {levels_text}" if preset else levels_text


def _numbers(data: YesNoData) -> dict[str, str]:
    return {
        **words.coin_numbers(data.ours),
        "truth": f"{100 * data.truth:.3g} %",
        **pins.result_numbers(ANSWERS, data.ours.result),
    }


PIN_VIEW: Final[pins.PinView[YesNoState, YesNoData]] = pins.PinView(
    load=lambda record: load_data(record.scenario),
    title=_title,
    describe=words.one_line_summary,
    numbers=_numbers,
    picture=pins.skip_picture,
    files=lambda data: {"picture": png(data)},
)
