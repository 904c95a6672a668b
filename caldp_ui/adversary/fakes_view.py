"""The view "Fake phones": the maps, what is beside them, and what is under them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import pandas as pd
import streamlit as st

from caldp_core.audit.poisoning import ATTACKS
from caldp_core.domain.grid import GridDomain
from caldp_ui.adversary import (
    fakes,
    fakes_files,
    fakes_films,
    fakes_scene,
    fakes_words,
    side,
    take_home,
)
from caldp_ui.adversary.fakes import Poisoned
from caldp_ui.adversary.slot import FAKES, PUSHES, REPAIRS, SLOT, Suspect
from caldp_ui.compute import exports, runs
from caldp_ui.controls import common, presets, slider
from caldp_ui.maps import choice
from caldp_ui.maps.presets import PRESETS, title
from caldp_ui.offline import offer
from caldp_ui.parts import pins, sharing
from caldp_ui.parts.films import show as show_films
from caldp_ui.parts.layout import Layout
from caldp_ui.parts.tabs import tabs
from caldp_ui.words import formats, promise
from caldp_ui.words.towns import place_name
from caldp_ui.words.vocabulary import PLACES


def show(record: Suspect, domain: GridDomain, page: Layout) -> None:
    """Fill the page."""
    what = fakes.poisoned(record)
    with page.main:
        on = fakes_scene.maps(what, domain, record)
    page.say(fakes_words.headline(what, domain, record))
    with page.side:
        _controls(record, domain)
    with page.below:
        show_films([each.asked(record) for each in fakes_films.along(record)], on)
        view = _View(what, record, domain)
        pins.show(SLOT, _BESIDE, view)
        tabs(SLOT.key("fakes-tabs"), _TABS, view)


def _controls(record: Suspect, domain: GridDomain) -> None:
    with st.container(key=SLOT.key("steer"), gap="small"):
        with st.container(key=SLOT.key("which"), horizontal=True, gap="small"):
            presets.menu(SLOT, PRESETS)
            choice.place(SLOT, "They push", domain, record.place)
        with st.container(key=SLOT.key("dials"), gap="small"):
            common.epsilon(SLOT)
            told = "Of all phones that report, honest ones and fakes."
            slider.show(SLOT, fakes_films.MANY, "Fake phones", told)
        side.again()
    with st.container(key=SLOT.key("risk"), gap="small"):
        with st.container(key=SLOT.key("power")):
            st.markdown(fakes_words.one_phone(record, domain))
        _choices(record)


def _choices(record: Suspect) -> None:
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
        help="It subtracts what strongest reports would have added and takes the nearest shares.",
        **SLOT.bind("repair", record.repair, lambda r, v: replace(r, repair=v)),
    )


_ATTACKS: Final = dict(
    zip(
        PUSHES,
        ("sends the strongest report", "follows the protocol, with a false place"),
        strict=True,
    )
)


@dataclass(frozen=True, eq=False)
class _View:
    """What the tabs show."""

    what: Poisoned
    record: Suspect
    domain: GridDomain


def _power(view: _View) -> None:
    what, record = view.what, view.record
    st.markdown("**Does a smaller block make one phone stronger or weaker?**")
    block = promise.block_of(PLACES, record.scenario)
    st.markdown(fakes_words.answer(fakes.powers(record.scenario, what.place), block))
    st.markdown(fakes_words.crowded_out(what, block))
    st.markdown(fakes_words.RULE)
    with st.expander("The formula"):
        st.markdown(fakes_words.FORMULA)


def _misses(view: _View) -> None:
    what, record, domain = view.what, view.record, view.domain
    st.markdown("**Can the server see that there are fakes?**")
    block = promise.block_of(PLACES, record.scenario)
    st.markdown(fakes_words.seen(what, record.attack, block))
    st.markdown("**Can they be taken out again?**")
    st.markdown(fakes_words.MISSES)
    each = [fakes.poisoned(record, attack) for attack in PUSHES]
    numbers, number = formats.out_of_one(*(s for one in each for s in fakes_words.column(one)))
    half = len(numbers) // 2
    there = dict(zip(_ATTACKS.values(), (numbers[:half], numbers[half:]), strict=True))
    st.table(pd.DataFrame(there, index=pd.Index(fakes_words.TABLE_ROWS)))
    st.caption(
        f"People of {number} in {place_name(domain, what.place)}. The gain is an average, by "
        "formula. The others are of this outcome, where shares must add up."
    )


def _sharing(view: _View) -> None:
    what = view.what
    made: dict[str, sharing.File] = {
        "fake-phones.csv": partial(fakes_files.csv_of, what, view.domain),
        "scenario.json": exports.scenario_json(what.setup.scenario),
    }
    sharing.digits(
        SLOT, "with these very fakes", made, fakes_files.snippet(what, view.record.attack)
    )
    offer.page(SLOT, take_home.fake_phones)


def _numbers(view: _View) -> dict[str, str]:
    """Of the target, as people of as many as it takes to tell them apart."""
    (truth, _, after, repaired), number = fakes_words.at_target(view.what, view.record)
    return {
        "protection": title(view.record.scenario),
        "they push": place_name(view.domain, view.what.place),
        "fake phones": fakes_words.share(view.record.tenths),
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
    said=lambda view: fakes_words.headline(view.what, view.domain, view.record).sentence,
    numbers=_numbers,
    picture=lambda now, view: pins.maps(
        SLOT, fakes_scene.scene(view.what, view.domain, view.record), now.domain
    ),
)


_TABS: Final[dict[str, Callable[[_View], None]]] = {
    "One phone's power": _power,
    "Seen and repaired?": _misses,
    "Share and export": _sharing,
}
