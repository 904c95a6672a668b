"""The view of fake phones: its maps and films, the controls beside them, and the tabs below.

Exports: every place's shares, and Python that computes them again.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
import streamlit as st

from caldp_core.audit.poisoning import ATTACKS, MAXIMAL_GAIN, RANDOM_ITEMS
from caldp_core.basics.cache import cached_by
from caldp_core.domain.domains import GridDomain
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_ui.adversary import fakes
from caldp_ui.adversary.fakes import PoisonedEstimate, Repaired
from caldp_ui.adversary.page_state import (
    FAKES,
    KNOWS_SHARE,
    KNOWS_TARGET,
    NEW_NOISE,
    PUSHES,
    STATE,
    TENTHS,
    AttackerState,
)
from caldp_ui.adversary.view import HERE, frame
from caldp_ui.app.texts import read_texts, read_toml
from caldp_ui.app.theme import palette
from caldp_ui.compute import runs
from caldp_ui.controls import choices, common
from caldp_ui.maps.scene import (
    PRESETS,
    ground,
    move_place,
    place_control,
    shared_pictures,
    title,
    truth_code,
)
from caldp_ui.parts import comparison, pins, sharing
from caldp_ui.parts.layout import PageLayout, as_html, tabs
from caldp_ui.shell.page import PinPage, View
from caldp_ui.stage import records
from caldp_ui.stage.component import send_frames
from caldp_ui.words import formats, policies, promise
from caldp_ui.words.formats import PLACES, place_name

TEXTS: Final = read_texts(__file__)

TRUTH: Final = "truth"
EPSILON: Final = "fakes-epsilon"
OVER_MANY: Final = "fakes-tenths"
"""The films over ε and over fake phones; the attacker's, on the same stage, have other names."""
_NEAR: Final = 9
"""Cells around the target that the maps zoom to."""
_TARGET: Final = records.Action(
    HERE,
    "Push this place",
    {"look": "Click a place that the fake phones should push, or choose one below."},
)


def scene(data: PoisonedEstimate, domain: GridDomain, record: AttackerState) -> records.Scene:
    """Build the scene: truth, estimate with fakes, and after the repair."""
    sentence = fakes.headline(data, domain, record).sentence
    return records.Scene(
        ground(data.setup, domain, frame(domain, data.place)),
        _pictures(data, domain, record),
        data.setup.n,
        ("fakes", "repaired"),
        actions=(_TARGET,),
        arrangement=records.Arrangement(("fakes", "repaired"), (TRUTH,)),
        focus=records.Focus(frame(domain, data.place, _NEAR), data.place),
        film_values={
            EPSILON: promise.largest_epsilon(record.scenario),
            OVER_MANY: float(record.tenths),
        },
        mark_words={**records.MARK_WORDS, "box": "around the target"},
        label="What fake phones do to the estimate",
        image_name="caldp-fake-phones",
        image_lines=(
            policies.promise_summary(PLACES, data.setup),
            sentence,
            policies.setting_text(data.setup),
        ),
        **shared_pictures(data.setup, "fakes", "repaired"),
    )


def _pictures(
    data: PoisonedEstimate, domain: GridDomain, record: AttackerState
) -> tuple[records.Picture, ...]:
    (truth, _, after, repaired), number = fakes.counts_at_target(data, record)
    unit = f"of {number} people in {place_name(domain, data.place)}"
    estimator_title = ESTIMATORS[record.scenario.estimator].title
    knows = f"knows {fakes.REPAIR_TITLES[record.repair]}"
    pictures = [
        _picture(
            TRUTH,
            "Truth",
            truth_code(data.setup),
            records.Fact(truth, unit),
            subtitle="shown for demonstration only",
            marks=("sensitive",),
        )
    ]
    for name, heading, people, repair, subtitle in (
        ("fakes", "Estimate with fakes", after, "", estimator_title),
        ("repaired", "After repair", repaired, record.repair, knows),
    ):
        code, pooled = _encoded(data, record, repair)
        fact = records.Fact(people, unit)
        pictures.append(_picture(name, heading, code, fact, subtitle=subtitle, pooled=pooled))
    return tuple(pictures)


@cached_by(lambda _, r, repair: (runs.key(r.scenario), r.place, r.tenths, r.attack, repair))
def _encoded(
    data: PoisonedEstimate,
    record: AttackerState,  # noqa: ARG001
    repair: str,
) -> tuple[records.Blob, records.Blob | None]:
    """The estimate with fakes, or after the repair of that name, and how far cells were pooled.

    None where each cell has its own number.
    """
    estimate = Repaired(data.estimate_with_fakes, data.levels)
    found = data.repaired(repair) if repair else estimate
    pooled = None if found.levels is None else records.encode_levels(found.levels)
    return records.encode_people(found.shares, data.setup.n), pooled


def _picture(
    name: str,
    title: str,
    code: records.Blob,
    fact: records.Fact,
    *,
    subtitle: str,
    marks: tuple[records.Mark, ...] = records.ALL_MARKS,
    pooled: records.Blob | None = None,
) -> records.Picture:
    fact_text = f"{fact.number} {fact.text}"
    return records.Picture(
        name,
        title,
        subtitle,
        f"Map of shares of people, {title.lower()}: {fact_text}.",
        code,
        records.SCALE.low,
        marks,
        fact,
        pooled=pooled,
    )


def slider_films(record: AttackerState) -> list[pins.SliderFilm[AttackerState]]:
    """Films over ε and fake phones; none over ε where the context has several."""
    many = isinstance(record.scenario.context.epsilon, tuple)
    return [OVER_TENTHS] if many else [OVER_EPSILON, OVER_TENTHS]


@dataclass(frozen=True, eq=False)
class FakesData:
    """Data of the view: an attack, its record, and the map."""

    data: PoisonedEstimate
    record: AttackerState
    domain: GridDomain


def load(record: AttackerState) -> FakesData:
    """The data of a record; `CaldpError` for slow methods."""
    record = replace(record, show=FAKES)
    return FakesData(fakes.run_attack(record), record, runs.map_of(runs.dataset(record.scenario)))


def view(at: FakesData, *_: object) -> View:
    """The headline, one phone's power, and the maps; those of what is pinned are another scene."""
    return View(
        fakes.headline(at.data, at.domain, at.record),
        texts={fakes.POWER: as_html(fakes.one_phone(at.record, at.domain))},
        scene=scene(at.data, at.domain, at.record),
        still=TRUTH,
    )


def _depends_on(record: AttackerState) -> str:
    settings = f"{record.place} {record.tenths} {record.attack} {record.repair}"
    return f"{runs.key(record.scenario)} {settings}"


MANY: Final = common.field_slider("tenths", TENTHS, fakes.share)


_SENT: Final[dict[str, str]] = read_toml(__file__, "sent.toml")


def csv_of(data: PoisonedEstimate, domain: GridDomain) -> bytes:
    """One row a place: shares of people, in truth and by every estimate; `target` marks one."""
    row, column = domain.row_column(np.arange(domain.k))
    return runs.csv(
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
    return TEXTS["fakes_code"].format(
        scenario=runs.literal(data.setup.scenario),
        place=data.place,
        share=data.share,
        sent=_SENT[attack],
    )


def show(record: AttackerState, page: PageLayout) -> None:
    """Draw the view into the page's layout."""
    data = PAGE.load(record)
    shown = PAGE.view(data, None, palette())
    with page.main:
        maps = PAGE.show_maps(shown, partial(move_place, STATE), OVER_EPSILON, OVER_TENTHS)
    page.show_headline(shown.headline)
    with page.side:
        _controls(record, data.domain)
    with page.below:
        send_frames(pins.ready_films([each.request(record) for each in slider_films(record)]), maps)
        PAGE.show_pins(data, shown)
        tabs(STATE.key("fakes-tabs"), _TABS, data)


def _controls(record: AttackerState, domain: GridDomain) -> None:
    with st.container(key=STATE.key("steer"), gap="small"):
        with st.container(key=STATE.key("which"), horizontal=True, gap="small"):
            choices.menu(STATE, PRESETS)
            place_control(STATE, "They push", domain, record.place)
        with st.container(key=STATE.key("dials"), gap="small"):
            common.epsilon(STATE)
            help_text = "Of all phones that report, honest ones and fakes."
            common.show(STATE, MANY, "Fake phones", help_text)
        comparison.epsilon_button(STATE, record.scenario.policy.plain_epsilon)
        pins.redraw_and_pin(STATE, PAGE.pin_title, NEW_NOISE)
    with st.container(key=STATE.key("risk"), gap="small"):
        with st.container(key=STATE.key("power")):
            st.markdown(fakes.one_phone(record, domain))
        _choices()


def _choices() -> None:
    helps = " ".join(f"{ATTACKS[name].title}: {ATTACKS[name].sentence}" for name in PUSHES)
    choices.of_field(STATE, "attack", "A fake phone", _ATTACKS, st.radio, help=helps)
    choices.of_field(
        STATE,
        "repair",
        "The repair knows",
        fakes.REPAIR_TITLES,
        st.radio,
        help="It subtracts what strongest reports would have added and takes the nearest shares.",
    )


_ATTACKS: Final = {
    MAXIMAL_GAIN: "sends the strongest report",
    RANDOM_ITEMS: "follows the protocol, with a false place",
}


def _power(at: FakesData) -> None:
    data, record = at.data, at.record
    st.markdown("**Does a smaller block make one phone stronger or weaker?**")
    block = promise.block_name(PLACES, record.scenario)
    st.markdown(
        fakes.describe_block_effect(fakes.compute_powers(record.scenario, data.place), block)
    )
    st.markdown(fakes.describe_crowding_out(data, block))
    st.markdown(TEXTS["fakes_rule"])
    with st.expander("The formula"):
        st.markdown(TEXTS["fakes_formula"])


def _detection(at: FakesData) -> None:
    data, record, domain = at.data, at.record, at.domain
    st.markdown("**Can the server see that there are fakes?**")
    block = promise.block_name(PLACES, record.scenario)
    st.markdown(fakes.describe_detection(data, record.attack, block))
    st.markdown("**Can they be taken out again?**")
    st.markdown(TEXTS["fakes_misses"])
    each = [fakes.target_shares(fakes.run_attack(record, attack)) for attack in PUSHES]
    shares = pd.DataFrame(each, index=list(_ATTACKS.values())).T
    numbers, number = formats.out_of_one(*shares.to_numpy().ravel().tolist())
    counts = np.array(numbers).reshape(shares.shape)
    st.table(pd.DataFrame(counts, shares.index, shares.columns))
    place = place_name(domain, data.place)
    st.caption(TEXTS["shares_at_target"].format(number=number, place=place))


def _sharing(at: FakesData) -> None:
    data = at.data
    exported: dict[str, sharing.File] = {
        "fake-phones.csv": partial(csv_of, data, at.domain),
        "scenario.json": data.setup.scenario.to_json(),
    }
    sharing.export_digits(
        STATE,
        "with these very fakes",
        exported,
        snippet(data, at.record.attack),
        at.record.scenario,
    )
    PAGE.offer()


def _numbers(at: FakesData) -> dict[str, str]:
    """Rows of the pin's table: counts at the target, as people out of one number."""
    (truth, _, after, repaired), number = fakes.counts_at_target(at.data, at.record)
    return {
        "protection": title(at.record.scenario),
        "they push": place_name(at.domain, at.data.place),
        "fake phones": fakes.share(at.record.tenths),
        "a fake phone": _ATTACKS[at.record.attack],
        "truth there": f"{truth} of {number}",
        "estimate with fakes": f"{after} of {number}",
        "after repair": f"{repaired} of {number}",
    }


_TABS: Final[dict[str, Callable[[FakesData], None]]] = {
    "One phone's power": _power,
    "Seen and repaired?": _detection,
    "Share and export": _sharing,
}
PAGE: Final = PinPage(
    state=STATE,
    name="fakes",
    load=load,
    view=view,
    films=lambda record: slider_films(record)[::-1],
    pin_title=lambda record: title(record.scenario),
    describe=lambda at: fakes.headline(at.data, at.domain, at.record).sentence,
    numbers=_numbers,
)
OVER_EPSILON: Final = pins.SliderFilm[AttackerState](
    STATE, EPSILON, "Privacy level ε", common.epsilon_slider(), PAGE.render, _depends_on
)
OVER_TENTHS: Final = pins.SliderFilm[AttackerState](
    STATE, OVER_MANY, "Fake phones", MANY, PAGE.render, _depends_on, "{} fake".format, place=1
)
