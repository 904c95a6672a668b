"""Under the pictures: words for a decision, all errors, the debate with its sources, exports."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import pandas as pd
import streamlit as st

from caldp_core.domain.grid import GridDomain
from caldp_core.treatments.errors import BOX
from caldp_ui.coarser import attack_words, debate, files, pinned, take_home, words
from caldp_ui.coarser.memo import memo
from caldp_ui.coarser.outcomes import NAMES, Played
from caldp_ui.coarser.slot import SLOT
from caldp_ui.coarser.treated import PageData
from caldp_ui.compute.rivals import rival
from caldp_ui.maps.ground import home
from caldp_ui.offline import offer
from caldp_ui.parts import pictures, pins, promises, sharing
from caldp_ui.parts.record import Exhibit
from caldp_ui.parts.tabs import tabs
from caldp_ui.words import formats
from caldp_ui.words.glossary import terms


@dataclass(frozen=True, eq=False)
class Shown:
    """The treatments, and the attack as far as it has been played; None while it is computed."""

    what: PageData
    found: Played | None


def show(what: PageData, found: Played | None) -> None:
    """What is pinned, then the tabs, and the open one."""
    pins.show(SLOT, pinned.BESIDE, what)
    tabs(SLOT.key("tabs"), _TABS, Shown(what, found))


def _decision(shown: Shown) -> None:
    what = shown.what
    st.markdown(words.bound(what))
    rows = {words.TITLES[name]: words.decision(what, name) for name in NAMES}
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=list(debate.COLUMNS))
    st.table(frame.rename_axis("treatment"))
    if shown.found is not None:
        st.markdown("**For a memo**")
        st.code(memo(what, shown.found), language=None, wrap_lines=True)
    terms("ε", "local differential privacy", "context-aware", "total variation")


def _errors(shown: Shown) -> None:
    what = shown.what
    small = f"of {formats.count(max(what.record.threshold - 1, 1), 'person', 'people')} or fewer"
    box = f"box of {BOX} × {BOX} cells" if isinstance(what.domain, GridDomain) else "larger cell"
    rows = {
        words.TITLES[name]: {
            f"of 100 people {words.nouns(what).wrong}": formats.per_hundred(each.errors.tv),
            "mean error of a cell, people": formats.digits(each.errors.cell),
            f"mean error of a cell {small}": formats.digits(each.errors.small),
            "of 100 such cells more than half wrong": formats.per_hundred(each.errors.small_lost),
            f"of 100 people in the wrong {box}": formats.per_hundred(each.errors.box),
        }
        for name, each in what.by.items()
    }
    st.table(pd.DataFrame.from_dict(rows, orient="index").rename_axis("treatment"))
    st.caption(
        "The same people in all rows. A reader of larger cells spreads their people evenly, and so "
        "the people of hidden cells. Totals of boxes are what can still be asked of a table."
    )


def _debate(shown: Shown) -> None:
    del shown
    left, right = st.columns(2, gap="large")
    for place, (title, sides) in zip((left, right), debate.SIDES.items(), strict=True):
        with place:
            st.markdown(f"**{title}**")
            st.markdown("\n".join(f"- {told} ({source})" for told, source in sides))
    st.markdown("**Who does what**")
    st.markdown("\n".join(f"- {told} ({source})" for told, source in debate.OFFICES))


def _promise(shown: Shown) -> None:
    what = shown.what
    st.markdown(
        "Of all treatments here, plain LDP and blocks need no trust in whoever collects the data. "
        "What the blocks promise, and what they do not:"
    )
    promises.audited(SLOT, what.record.scenario)
    terms("ε", "context-aware")


def _sharing(shown: Shown) -> None:
    what = shown.what
    exhibit = None
    if what.ours is not None:
        exhibit = Exhibit(what.ours, _said(shown), _pictures(what))
    beside = {sharing.PLAIN: rival(what.record.scenario)}
    sharing.section(SLOT, words.nouns(what), exhibit, beside, lambda: files.buttons(what))
    offer.page(SLOT, take_home.part)


def _said(shown: Shown) -> str:
    """The attack, as far as it has been played, the errors and what is promised."""
    what, found = shown.what, shown.found
    attack = [attack_words.headline(what, found).sentence] if found and what.record.moves else []
    return " ".join([*attack, words.errors(what), words.bound(what)])


def _pictures(what: PageData) -> dict[str, bytes]:
    if not isinstance(what.domain, GridDomain):
        return {}
    shares = {words.TITLES[name]: each.release.shares for name, each in what.by.items()}
    return pictures.maps(shares, what.domain, home(what.domain), what.setup.n)


_TABS: Final[dict[str, Callable[[Shown], None]]] = {
    "Words for a decision": _decision,
    "All errors": _errors,
    "For and against": _debate,
    "What is promised": _promise,
    "Share and export": _sharing,
}
