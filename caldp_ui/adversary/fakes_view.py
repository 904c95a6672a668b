"""The view "Fake phones": truth, the estimate with fakes, and after the repair; what is under it.

Room: adversary.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from caldp_core.audit.poisoning import ATTACKS
from caldp_core.basics.types import Floats
from caldp_core.domain.grid import GridDomain
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_ui.adversary import fakes, fakes_files, fakes_words, scene, side
from caldp_ui.adversary.fakes import Poisoned
from caldp_ui.adversary.slot import FAKES, PUSHES, REPAIRS, SLOT, TENTHS, Suspect
from caldp_ui.compute import exports, runs
from caldp_ui.controls import common
from caldp_ui.parts import hand_on, pins
from caldp_ui.parts.tabs import tabs
from caldp_ui.places.ground import ground
from caldp_ui.places.pinned import title
from caldp_ui.stage import SCALE, Action, Fact, Focus, Picture, Scene, encode, stage
from caldp_ui.stage.records import ALL_MARKS, MARK_WORDS, Mark
from caldp_ui.words import formats, promise
from caldp_ui.words.towns import place_name
from caldp_ui.words.vocabulary import PLACES

_NEAR: Final = 9
"""Cells around the target that the maps go to."""


def show(record: Suspect, domain: GridDomain, said: DeltaGenerator) -> None:
    """The whole view; `said`: where the sentence beside the page's name goes."""
    what = fakes.poisoned(record)
    said.markdown(fakes_words.headline(what, domain, record))
    main, beside = st.columns([3.1, 1], gap="medium")
    with main:
        stage(_scene(what, domain, record), SLOT.key("maps"), scene.do)
    with beside, st.container(key=SLOT.key("side")):
        _controls(record, what, domain)
    with main:
        view = _View(what, record, domain)
        pins.show(SLOT, _BESIDE, view)
        tabs(SLOT.key("fakes-tabs"), _TABS, view)


def _scene(what: Poisoned, domain: GridDomain, record: Suspect) -> Scene:
    (truth, _, after, repaired), number = fakes_words.at_target(what, record)
    of = f"of {number} people in {place_name(domain, what.place)}"
    made = ESTIMATORS[record.scenario.estimator].title
    pictures = (
        _picture(
            "truth",
            "Truth",
            what.truth,
            Fact(truth, of),
            subtitle="seen here only as this is a demonstration",
            marks=("sensitive",),
        ),
        _picture("fakes", "Estimate with fakes", what.after, Fact(after, of), subtitle=made),
        _picture(
            "repaired",
            "After repair",
            what.repaired[record.repair],
            Fact(repaired, of),
            subtitle=f"told {fakes_words.REPAIR_TITLES[record.repair]}",
        ),
    )
    said = fakes_words.headline(what, domain, record).replace("*", "")
    return Scene(
        ground(what.setup, domain, scene.frame(domain, what.place)),
        pictures,
        what.setup.n,
        ("fakes", "repaired"),
        actions=(_TARGET,),
        can_undo=SLOT.can_undo,
        can_redo=SLOT.can_redo,
        focus=Focus(scene.frame(domain, what.place, _NEAR), what.place),
        mark_words={**MARK_WORDS, "box": "around the target"},
        label="What fake phones do to the estimate",
        image_name="caldp-fake-phones",
        image_lines=(promise.in_short(what.setup), said),
    )


_TARGET: Final = Action(
    scene.HERE,
    "Push this place",
    {"look": "Click a place that the fake phones should push, or choose beside."},
)


def _picture(
    name: str,
    title: str,
    shares: Floats,
    fact: Fact,
    *,
    subtitle: str,
    marks: tuple[Mark, ...] = ALL_MARKS,
) -> Picture:
    told = f"{fact.number} {fact.text}"
    return Picture(
        name,
        title,
        subtitle,
        f"Map of shares of people, {title.lower()}: {told}.",
        encode(shares),
        SCALE.low,
        marks,
        fact,
    )


def _controls(record: Suspect, what: Poisoned, domain: GridDomain) -> None:
    with st.container(key=SLOT.key("dials")):
        common.epsilon(SLOT)
        st.select_slider(
            "Fake phones",
            sorted({*TENTHS, record.tenths}),
            format_func=lambda tenths: f"{tenths / 10:g} %",
            help="Of all phones that report, honest ones and fakes.",
            **SLOT.bind("tenths", record.tenths, lambda r, v: replace(r, tenths=v)),
        )
    place = place_name(domain, what.place)
    st.markdown(fakes_words.one_phone(fakes.powers(record.scenario, record.place), place))
    st.radio(
        "A fake phone",
        list(PUSHES),
        format_func=lambda name: _ATTACKS[name],
        help=" ".join(f"{ATTACKS[name].title}: {ATTACKS[name].sentence}" for name in PUSHES),
        **SLOT.bind("attack", record.attack, lambda r, v: replace(r, attack=v)),
    )
    st.radio(
        "The repair knows",
        list(REPAIRS),
        format_func=fakes_words.REPAIR_TITLES.__getitem__,
        help="It subtracts what strongest reports would have added, and takes the nearest shares.",
        **SLOT.bind("repair", record.repair, lambda r, v: replace(r, repair=v)),
    )
    side.protection(record, domain, "They push")


_ATTACKS: Final = dict(
    zip(PUSHES, ("sends the strongest report", "lies about the place only"), strict=True)
)


@dataclass(frozen=True, eq=False)
class _View:
    """What the tabs show."""

    what: Poisoned
    record: Suspect
    domain: GridDomain


def _power(view: _View) -> None:
    what, record = view.what, view.record
    st.markdown("**Does a smaller block raise or lower one attacker's power?**")
    block = promise.block_of(PLACES, record.scenario)
    st.markdown(fakes_words.answer(fakes.powers(record.scenario, what.place), block))
    st.markdown(fakes_words.crowded_out(what, block))
    st.markdown(fakes_words.RULE)
    with st.expander("The formula"):
        st.markdown(fakes_words.FORMULA)


def _misses(view: _View) -> None:
    what, record, domain = view.what, view.record, view.domain
    st.markdown(fakes_words.MISSES)
    each = [fakes.poisoned(record, attack) for attack in PUSHES]
    numbers, number = formats.out_of_one(*(s for one in each for s in fakes_words.column(one)))
    half = len(numbers) // 2
    there = dict(zip(_ATTACKS.values(), (numbers[:half], numbers[half:]), strict=True))
    st.table(pd.DataFrame(there, index=pd.Index(fakes_words.TABLE_ROWS)))
    st.caption(
        f"People of {number} in {place_name(domain, what.place)}. The gain is by "
        "formula, on average; the others are of this outcome, where shares must add up."
    )


def _hand_on(view: _View) -> None:
    what = view.what
    made: dict[str, hand_on.File] = {
        "fake-phones.csv": partial(fakes_files.csv_of, what, view.domain),
        "scenario.json": exports.scenario_json(what.setup.scenario),
    }
    hand_on.digits(
        SLOT, "with these very fakes", made, fakes_files.snippet(what, view.record.attack)
    )


def _numbers(view: _View) -> dict[str, str]:
    """Of the target, as people of as many as it takes to tell them apart."""
    (truth, _, after, repaired), number = fakes_words.at_target(view.what, view.record)
    return {
        "protection": title(view.record.scenario),
        "they push": place_name(view.domain, view.what.place),
        "fake phones": f"{100 * view.what.share:g} %",
        "a fake phone": _ATTACKS[view.record.attack],
        "truth there": f"{truth} of {number}",
        "estimate with fakes": f"{after} of {number}",
        "after repair": f"{repaired} of {number}",
    }


def _found(record: Suspect) -> _View:
    seen = replace(record, show=FAKES)
    return _View(fakes.poisoned(seen), seen, runs.map_of(runs.dataset(seen.scenario)))


_BESIDE: Final[pins.Beside[Suspect, _View]] = pins.Beside(
    find=_found,
    title=lambda record: title(record.scenario),
    said=lambda view: fakes_words.headline(view.what, view.domain, view.record),
    numbers=_numbers,
    picture=lambda now, view: pins.maps(
        SLOT, _scene(view.what, view.domain, view.record), now.domain
    ),
)


_TABS: Final[dict[str, Callable[[_View], None]]] = {
    "One phone's power": _power,
    "What repair misses": _misses,
    "Hand it on": _hand_on,
}
