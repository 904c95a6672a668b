"""The pinned scenario: one more point per row of the picture, and a table of differences."""

from typing import Final

from caldp_ui.app.errors import escape_markdown
from caldp_ui.compute import runs
from caldp_ui.controls.presets import matching_preset
from caldp_ui.parts import pins
from caldp_ui.parts.comparison import ComparisonData, load_fast_results
from caldp_ui.values import words
from caldp_ui.values.chart import png
from caldp_ui.values.page_state import STATE, ValuesState, domain_of
from caldp_ui.values.tables import presets_of, table_of
from caldp_ui.words import policies
from caldp_ui.words.vocabulary import ANSWERS


def _title(record: ValuesState) -> str:
    scenario = record.scenario
    table = table_of(scenario.dataset)
    preset = matching_preset(presets_of(scenario.dataset, domain_of(scenario)), scenario)
    level = policies.level_text(runs.setup(scenario))
    name = f"{escape_markdown(table.title)}, " if table else ""
    return f"{name}{preset.title if preset else 'own protection'}, {level}"


def _numbers(data: ComparisonData) -> dict[str, str]:
    return pins.result_numbers(ANSWERS, data.ours)


def _files(data: ComparisonData) -> dict[str, bytes]:
    if data.ours is None or data.plain is None:
        return {}
    return {"picture": png(data.ours, data.plain)}


PIN_VIEW: Final[pins.PinView[ValuesState, ComparisonData]] = pins.PinView(
    load=lambda record: load_fast_results(STATE, record.scenario),
    title=_title,
    describe=words.one_line_summary,
    numbers=_numbers,
    picture=pins.skip_picture,
    files=_files,
)
