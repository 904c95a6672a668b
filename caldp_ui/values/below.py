"""Under the picture: what an attacker learns, methods, curves, numbers, exports.

Only the tab that is open is drawn, in a fragment: going from tab to tab leaves the
picture alone.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

from caldp_core.experiments.run import Result
from caldp_core.privacy.context import Context
from caldp_ui.compute import curves
from caldp_ui.compute.sources import is_own
from caldp_ui.offline import offer
from caldp_ui.parts import error_curves, promises, sharing
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.parts.record import ReportContent
from caldp_ui.parts.tabs import tabs
from caldp_ui.values import answer_table, attacker, chart, methods, several_view, take_home
from caldp_ui.values.page_state import STATE
from caldp_ui.words import accuracy
from caldp_ui.words.vocabulary import ANSWERS


def show(data: ComparisonData) -> None:
    """Draws the tabs and the content of the open one."""
    tabs(STATE.key("tabs"), _TABS, data)


def _promise(data: ComparisonData) -> None:
    promises.shield(ANSWERS, data.setup)
    promises.not_promised(ANSWERS, data.setup)


def _curves(data: ComparisonData) -> None:
    choices = _CURVE_CHOICES if isinstance(data.setup.policy, Context) else _ANY_POLICY_CURVES
    error_curves.section(STATE, choices, data)


def _sharing(data: ComparisonData) -> None:
    content, save, other_scenarios = None, _no_picture, {}
    if data.ours is not None and data.plain is not None:
        save = partial(_save_pictures, data.ours, data.plain)
        other_scenarios = {sharing.PLAIN: data.plain.setup.scenario}
        sentence = accuracy.headline(ANSWERS, data.ours.first.errors.tv, data.plain.first.errors.tv)
        content = _report_content(data.ours, data.plain, sentence)
    sharing.section(STATE, ANSWERS, content, other_scenarios, save)
    offer.offer_page(STATE, lambda record: take_home.part(record.scenario))


def _no_picture() -> None:
    """Draws nothing, as long as there is no picture."""


def _report_content(ours: Result, plain: Result, sentence: str) -> ReportContent:
    """The record's content; of a visitor's own data one picture has no truth."""
    true = {"Truth, plain LDP, this protection": chart.png(ours, plain)}
    estimates = {}
    if is_own(ours.setup.scenario.dataset):
        estimates = {"Plain LDP, this protection": chart.estimates_png(ours, plain)}
    return ReportContent(ours, sentence, estimates, true)


def _save_pictures(ours: Result, plain: Result) -> None:
    """Buttons for the picture, and of a visitor's own data for the one without the truth."""
    scenario = ours.setup.scenario
    if is_own(scenario.dataset):
        make = partial(chart.estimates_png, ours, plain)
        sharing.file_button(STATE.key("estimates"), "picture.png", make)
    sharing.true_file(STATE.key("png"), "picture.png", chart.png(ours, plain), scenario)


_ANY_POLICY_CURVES: Final = (error_curves.EPSILON, error_curves.PEOPLE)
_CURVE_CHOICES: Final = (
    error_curves.CurveChoice(
        "number of sensitive answers",
        curves.errors_over_sensitive,
        curves.ignore_seed,
        lambda result: float(result.setup.sensitive.sum()),
        {"title_text": "sensitive answers: yours first, then others in random order"},
    ),
    *_ANY_POLICY_CURVES,
)
_TABS: Final[dict[str, Callable[[ComparisonData], None]]] = {
    "What an attacker learns": attacker.show,
    "What is promised": _promise,
    "Several questions": several_view.show,
    "Methods": methods.show,
    "Error curves": _curves,
    "Numbers": answer_table.show,
    "Share and export": _sharing,
}
