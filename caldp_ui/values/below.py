"""Under the picture: what an attacker learns, methods, curves, numbers, exports.

Only the tab that is open is drawn, in a fragment: going from tab to tab leaves the
picture alone.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

from caldp_core.privacy.context import Context
from caldp_ui.compute import curves
from caldp_ui.offline import offer
from caldp_ui.parts import error_curves, promises, sharing
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.parts.record import ReportContent
from caldp_ui.parts.tabs import tabs
from caldp_ui.values import answer_table, attacker, methods, picture, several_view, take_home
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
    content, png, other_scenarios = None, b"", {}
    if data.ours is not None and data.plain is not None:
        png = picture.png(data.ours, data.plain)
        other_scenarios = {sharing.PLAIN: data.plain.setup.scenario}
        sentence = accuracy.headline(ANSWERS, data.ours.first.errors.tv, data.plain.first.errors.tv)
        content = ReportContent(data.ours, sentence, {"Truth, plain LDP, this protection": png})
    save = partial(sharing.file_button, STATE.key("png"), "picture.png", png)
    sharing.section(STATE, ANSWERS, content, other_scenarios, save)
    offer.offer_page(STATE, lambda record: take_home.part(record.scenario))


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
