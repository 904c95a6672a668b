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
from caldp_ui.parts.comparison import Shown
from caldp_ui.parts.record import Exhibit
from caldp_ui.parts.tabs import tabs
from caldp_ui.values import attacker, listed, methods, picture, several_view, take_home
from caldp_ui.values.slot import SLOT
from caldp_ui.words import accuracy
from caldp_ui.words.vocabulary import ANSWERS


def show(what: Shown) -> None:
    """The tabs, and the open one."""
    tabs(SLOT.key("tabs"), _TABS, what)


def _promise(what: Shown) -> None:
    promises.shield(ANSWERS, what.setup)
    promises.not_promised(ANSWERS, what.setup)


def _curves(what: Shown) -> None:
    choices = _AGAINST if isinstance(what.setup.policy, Context) else _OF_ANY
    error_curves.section(SLOT, choices, what)


def _sharing(what: Shown) -> None:
    shown, png, beside = None, b"", {}
    if what.ours is not None and what.plain is not None:
        png = picture.png(what.ours, what.plain)
        beside = {sharing.PLAIN: what.plain.setup.scenario}
        off = accuracy.headline(ANSWERS, what.ours.first.errors.tv, what.plain.first.errors.tv)
        shown = Exhibit(what.ours, off, {"Truth, plain LDP, this protection": png})
    save = partial(sharing.file, SLOT.key("png"), "picture.png", png)
    sharing.section(SLOT, ANSWERS, shown, beside, save)
    offer.page(SLOT, lambda record: take_home.part(record.scenario))


_OF_ANY: Final = (error_curves.EPSILON, error_curves.PEOPLE)
_AGAINST: Final = (
    error_curves.Against(
        "number of sensitive answers",
        curves.against_sensitive,
        curves.whatever_seed,
        lambda result: float(result.setup.sensitive.sum()),
        {"title_text": "sensitive answers: yours first, then others in random order"},
    ),
    *_OF_ANY,
)
_TABS: Final[dict[str, Callable[[Shown], None]]] = {
    "What an attacker learns": attacker.show,
    "What is promised": _promise,
    "Several questions": several_view.show,
    "Methods": methods.show,
    "Error curves": _curves,
    "Numbers": listed.show,
    "Share and export": _sharing,
}
