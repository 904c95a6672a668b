"""The view "Fake phones": the maps, the controls beside them, and the tabs below.

Exports on fake phones: every place's shares, and Python that computes them again.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
import streamlit as st

from caldp_core.audit.poisoning import ATTACKS, MAXIMAL_GAIN, RANDOM_ITEMS
from caldp_core.domain.grid import GridDomain
from caldp_ui.adversary import fakes, fakes_films, fakes_scene, fakes_words, side, take_home
from caldp_ui.adversary.fakes import PoisonedEstimate
from caldp_ui.adversary.page_state import (
    FAKES,
    KNOWS_SHARE,
    KNOWS_TARGET,
    PUSHES,
    REPAIRS,
    STATE,
    AttackerState,
)
from caldp_ui.compute import exports, runs
from caldp_ui.controls import common, presets
from caldp_ui.maps import scene
from caldp_ui.maps.presets import PRESETS, title
from caldp_ui.offline import offer
from caldp_ui.parts import pins, sharing
from caldp_ui.parts.films import show as show_films
from caldp_ui.parts.layout import Layout
from caldp_ui.parts.tabs import tabs
from caldp_ui.words import formats, promise
from caldp_ui.words.towns import place_name
from caldp_ui.words.vocabulary import PLACES

_SNIPPET: Final = """import numpy as np

from caldp_core import Scenario, prepare, run
from caldp_core.audit import poisoning
from caldp_core.estimation.estimators import estimator
from caldp_core.estimation.estimators import even_fakes, fakes_from_block, recover_shares

scenario = {scenario}
place, share = {place}, {share!r}
setup = prepare(scenario)
mechanism = setup.mechanism
honest = run(setup).first
phones = round(honest.evidence.n * share / (1 - share))
rng = np.random.default_rng(np.random.SeedSequence((scenario.seed, place)))
{sent}
evidence = setup.evidence(honest.evidence.tally + fakes)
print("without fakes", honest.estimate[place])
name = scenario.estimator
print("with fakes", estimator(name).apply(evidence)[place])
added = poisoning.crafted_mean(mechanism, place)
guess = fakes_from_block(evidence, place, added)
print("repaired, knows the target", recover_shares(evidence, share, guess, name)[place])
guess = even_fakes(evidence, float(added.sum()))
print("repaired, knows the share", recover_shares(evidence, share, guess, name)[place])
"""
_SENT: Final = {
    MAXIMAL_GAIN: "fakes = poisoning.sample_crafted(mechanism, place, phones, rng)",
    RANDOM_ITEMS: "counts = np.zeros(mechanism.k, np.int64)\ncounts[place] = phones\n"
    "fakes = mechanism.sample_tally(counts, rng)",
}
"""The tally of the fake phones, by attack."""


def csv_of(data: PoisonedEstimate, domain: GridDomain) -> bytes:
    """One row a place: shares of people, in truth and by every estimate; `target` marks one."""
    row, column = domain.row_column(np.arange(domain.k))
    return exports.csv(
        {
            "symbol": np.arange(domain.k),
            "latitude": domain.latitudes()[row].round(6),
            "longitude": domain.wrapped_longitudes()[column].round(6),
            "target": np.arange(domain.k) == data.place,
            "truth": data.truth,
            "without fakes": data.estimate_without_fakes,
            "with fakes": data.estimate_with_fakes,
            "repaired, knows the target": data.repaired(KNOWS_TARGET).shares,
            "repaired, knows the share": data.repaired(KNOWS_SHARE).shares,
        }
    )


def snippet(data: PoisonedEstimate, attack: str) -> str:
    """Python that prints the target's shares by every estimate."""
    return _SNIPPET.format(
        scenario=exports.literal(data.setup.scenario),
        place=data.place,
        share=data.share,
        sent=_SENT[attack],
    )


def show(record: AttackerState, domain: GridDomain, page: Layout) -> None:
    """Draw the view into the page's layout."""
    data = fakes.run_attack(record)
    with page.main:
        on = fakes_films.maps(data, domain, record)
    page.show_headline(fakes_words.headline(data, domain, record))
    with page.side:
        _controls(record, domain)
    with page.below:
        show_films([each.request(record) for each in fakes_films.slider_films(record)], on)
        view = _View(data, record, domain)
        pins.show(STATE, _PIN_VIEW, view)
        tabs(STATE.key("fakes-tabs"), _TABS, view)


def _controls(record: AttackerState, domain: GridDomain) -> None:
    with st.container(key=STATE.key("steer"), gap="small"):
        with st.container(key=STATE.key("which"), horizontal=True, gap="small"):
            presets.menu(STATE, PRESETS)
            scene.place_control(STATE, "They push", domain, record.place)
        with st.container(key=STATE.key("dials"), gap="small"):
            common.epsilon(STATE)
            help_text = "Of all phones that report, honest ones and fakes."
            common.show(STATE, fakes_films.MANY, "Fake phones", help_text)
        side.redraw_and_pin()
    with st.container(key=STATE.key("risk"), gap="small"):
        with st.container(key=STATE.key("power")):
            st.markdown(fakes_words.one_phone(record, domain))
        _choices(record)


def _choices(record: AttackerState) -> None:
    st.radio(
        "A fake phone",
        list(PUSHES),
        format_func=lambda name: _ATTACKS[name],
        help=" ".join(f"{ATTACKS[name].title}: {ATTACKS[name].sentence}" for name in PUSHES),
        **STATE.bind("attack", record.attack, lambda r, v: replace(r, attack=v)),
    )
    st.radio(
        "The repair knows",
        list(REPAIRS),
        format_func=fakes_words.REPAIR_TITLES.__getitem__,
        help="It subtracts what strongest reports would have added and takes the nearest shares.",
        **STATE.bind("repair", record.repair, lambda r, v: replace(r, repair=v)),
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
    """Data of the tabs and of the pin."""

    data: PoisonedEstimate
    record: AttackerState
    domain: GridDomain


def _power(view: _View) -> None:
    data, record = view.data, view.record
    st.markdown("**Does a smaller block make one phone stronger or weaker?**")
    block = promise.block_name(PLACES, record.scenario)
    st.markdown(
        fakes_words.describe_block_effect(fakes.compute_powers(record.scenario, data.place), block)
    )
    st.markdown(fakes_words.describe_crowding_out(data, block))
    st.markdown(fakes_words.RULE)
    with st.expander("The formula"):
        st.markdown(fakes_words.FORMULA)


def _detection(view: _View) -> None:
    data, record, domain = view.data, view.record, view.domain
    st.markdown("**Can the server see that there are fakes?**")
    block = promise.block_name(PLACES, record.scenario)
    st.markdown(fakes_words.describe_detection(data, record.attack, block))
    st.markdown("**Can they be taken out again?**")
    st.markdown(fakes_words.MISSES)
    each = [fakes.run_attack(record, attack) for attack in PUSHES]
    numbers, number = formats.out_of_one(
        *(s for one in each for s in fakes_words.target_shares(one))
    )
    half = len(numbers) // 2
    columns = dict(zip(_ATTACKS.values(), (numbers[:half], numbers[half:]), strict=True))
    st.table(pd.DataFrame(columns, index=pd.Index(fakes_words.TABLE_ROWS)))
    st.caption(
        f"People of {number} in {place_name(domain, data.place)}. The gain is an average, by "
        "formula. The others are of this outcome, where shares must add up."
    )


def _sharing(view: _View) -> None:
    data = view.data
    exported: dict[str, sharing.File] = {
        "fake-phones.csv": partial(csv_of, data, view.domain),
        "scenario.json": exports.scenario_json(data.setup.scenario),
    }
    sharing.export_digits(
        STATE,
        "with these very fakes",
        exported,
        snippet(data, view.record.attack),
        view.record.scenario,
    )
    offer.offer_page(STATE, take_home.fake_phones)


def _numbers(view: _View) -> dict[str, str]:
    """Rows of the pin's table: counts at the target, as people out of one number."""
    (truth, _, after, repaired), number = fakes_words.counts_at_target(view.data, view.record)
    return {
        "protection": title(view.record.scenario),
        "they push": place_name(view.domain, view.data.place),
        "fake phones": fakes_words.share(view.record.tenths),
        "a fake phone": _ATTACKS[view.record.attack],
        "truth there": f"{truth} of {number}",
        "estimate with fakes": f"{after} of {number}",
        "after repair": f"{repaired} of {number}",
    }


def _load_pinned(record: AttackerState) -> _View:
    fakes_record = replace(record, show=FAKES)
    return _View(
        fakes.run_attack(fakes_record),
        fakes_record,
        runs.map_of(runs.dataset(fakes_record.scenario)),
    )


_PIN_VIEW: Final[pins.PinView[AttackerState, _View]] = pins.PinView(
    load=_load_pinned,
    title=lambda record: title(record.scenario),
    describe=lambda view: fakes_words.headline(view.data, view.domain, view.record).sentence,
    numbers=_numbers,
    picture=lambda now, view: pins.maps(
        STATE, fakes_scene.scene(view.data, view.domain, view.record), now.domain
    ),
)


_TABS: Final[dict[str, Callable[[_View], None]]] = {
    "One phone's power": _power,
    "Seen and repaired?": _detection,
    "Share and export": _sharing,
}
