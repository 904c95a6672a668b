"""How fake phones change the estimate, and how much a repair restores: the view of fake phones.

The honest people and their coins are those of the scenario's run, as the map page shows it; reports
of fake phones are added to its tally. Cached for all visits.

Numbers and sentences come first, then maps and films, the controls beside them, and the tabs below.
Exports: every place's shares, and Python that computes them again.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Final

import numpy as np
import pandas as pd
import streamlit as st

from caldp_core.audit import poisoning
from caldp_core.audit.poisoning import ATTACKS, MAXIMAL_GAIN, RANDOM_ITEMS
from caldp_core.basics.cache import cached_by
from caldp_core.basics.errors import require
from caldp_core.basics.types import Floats, Levels, read_only
from caldp_core.domain.domains import GridDomain
from caldp_core.estimation import estimators
from caldp_core.estimation.evidence import Evidence
from caldp_core.experiments.run import Setup
from caldp_core.mechanisms.base import Tally
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.mechanisms.randomness import generators
from caldp_core.privacy.context import Context
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.adversary import page_state as state
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
from caldp_ui.words.formats import PLACES, Headline, place_name

TEXTS: Final = read_texts(__file__)


@dataclass(frozen=True, eq=False)
class Repaired:
    """(k,) `shares` after a repair; `levels`: how far their cells were pooled, see `Outcome`."""

    shares: Floats
    levels: Levels | None


@dataclass(frozen=True, eq=False)
class PoisonedEstimate:
    """One attack on one place. All shares are (k,).

    `phones`: fake ones; `share`: β, their part of all phones, in [0, 1). `honest`: evidence without
    them, `evidence`: with them. `estimate_without_fakes`, `estimate_with_fakes`: what is estimated
    from either; `levels`: how far the latter's cells were pooled, see `Outcome`. Repairs, gain and
    tests are computed on first use.
    """

    setup: Setup
    place: int
    attack: str
    phones: int
    share: float
    honest: Evidence
    evidence: Evidence
    estimate_without_fakes: Floats
    estimate_with_fakes: Floats
    levels: Levels | None

    @property
    def truth(self) -> Floats:
        """(k,) the honest people's shares."""
        return self.setup.dataset.distribution

    def repaired(self, knows: str) -> Repaired:
        """The estimate after a repair that knows `knows`, one of `REPAIRS`."""
        return self._knows_target if knows == state.KNOWS_TARGET else self._knows_share

    @cached_property
    def _knows_target(self) -> Repaired:
        """Assumes strongest reports for the target, which it knows."""
        return self._subtract_fakes(
            estimators.fakes_from_block(self.evidence, self.place, self._crafted_mean)
        )

    @cached_property
    def _knows_share(self) -> Repaired:
        return self._subtract_fakes(
            estimators.even_fakes(self.evidence, float(self._crafted_mean.sum()))
        )

    @property
    def _crafted_mean(self) -> Floats:
        return poisoning.crafted_mean(self.setup.mechanism, self.place)

    def _subtract_fakes(self, guess: estimators.FakesGuess) -> Repaired:
        recovery = estimators.recovery_estimator(self.setup.scenario.estimator)
        clean = estimators.remove_fakes(self.evidence, self.share, guess)
        return Repaired(read_only(recovery.apply(clean)), recovery.levels(clean))

    @cached_property
    def gain(self) -> float:
        """Mean rise of the unbiased share of the place, by formula."""
        target, attack = np.array([self.place]), poisoning.ATTACKS[self.attack]
        return poisoning.expected_gain(attack, self.setup.mechanism, self.truth, target, self.share)


@cached_by(lambda at, attack: (runs.key(at.scenario), at.place, at.tenths, attack or at.attack))
def run_attack(record: state.AttackerState, attack: str | None = None) -> PoisonedEstimate:
    """Run the record's attack, or another with as many phones; `CaldpError` for slow methods."""
    scenario, place, attack = record.scenario, record.place, attack or record.attack
    require(not runs.takes_long(scenario), TEXTS["fakes_too_slow"])
    honest = runs.result(scenario)
    setup, share = replace(honest.setup, scenario=scenario), record.tenths / 1000
    honest_tally, before = honest.first.evidence.tally, honest.first.estimate
    phones = round(honest_tally.n * share / (1 - share))
    (rng,) = generators(runs.seeds(scenario, "false reports", place), 1)
    tally = honest_tally + _SENT[attack](setup, place, phones, rng)
    evidence = setup.evidence(tally)
    method = estimators.estimator(scenario.estimator)
    after, levels = read_only(method.apply(evidence)), method.levels(evidence)
    uncached = replace(evidence)  # without its cached properties
    return PoisonedEstimate(
        setup, place, attack, phones, share, honest.first.evidence, uncached, before, after, levels
    )


def _count_occupied(estimate: Floats, evidence: Evidence, place: int) -> int:
    """Places of the block of `place` where the estimate has half a person or more."""
    around = evidence.blocks == evidence.blocks[place]
    return int((estimate[around] * evidence.n >= 0.5).sum())


def _sample_by_protocol(setup: Setup, place: int, phones: int, rng: np.random.Generator) -> Tally:
    counts = np.zeros(setup.policy.k, np.int64)
    counts[place] = phones
    return setup.mechanism.sample_tally(counts, rng)


_SENT = {
    poisoning.MAXIMAL_GAIN: lambda setup, place, phones, rng: poisoning.sample_crafted(
        setup.mechanism, place, phones, rng
    ),
    poisoning.RANDOM_ITEMS: _sample_by_protocol,
}


@dataclass(frozen=True)
class PhonePowers:
    """One fake phone's power at the place: with this protection, and in one block of all places.

    Both by the same method, sensitive places and ε, which is that of the place's block.
    `is_one_block`: whether both are the same.
    """

    own_block: poisoning.AttackPower
    in_one_block: poisoning.AttackPower
    is_one_block: bool


@cached_by(lambda scenario, place: (runs.law_key(scenario), place))
def compute_powers(scenario: Scenario, place: int) -> PhonePowers:
    """Compute both powers; the closed forms are in `poisoning.attack_power`."""
    ours = runs.setup(scenario)
    context, p, n = runs.context_of(ours), ours.dataset.distribution, ours.n
    level = float(context.epsilon[context.blocks[place]])
    whole = ours.spec.make(Context.high_low(context.sensitive, level))
    return PhonePowers(
        poisoning.attack_power(ours.mechanism, place, p, n),
        poisoning.attack_power(whole, place, p, n),
        context.m == 1,
    )


POWER: Final = f".st-key-{state.STATE.key('power')} p"
"""CSS selector of the sentence on one phone."""
REPAIR_TITLES: Final = {
    state.KNOWS_TARGET: "the target and how many phones are fake",
    state.KNOWS_SHARE: "only how many phones are fake",
}


def counts_at_target(data: PoisonedEstimate, record: state.AttackerState) -> tuple[list[str], str]:
    """Truth, estimates without and with fakes, and repaired, as people out of one number.

    Returns the four counts and that number, as texts.
    """
    return formats.out_of_one(*shares_at_target(data, record).values())


def shares_at_target(data: PoisonedEstimate, record: state.AttackerState) -> dict[str, float]:
    """Shares of all people at the target, by their names."""
    shares = {
        "truth": data.truth,
        "without fakes": data.estimate_without_fakes,
        "with fakes": data.estimate_with_fakes,
        "repaired": data.repaired(record.repair).shares,
    }
    return {name: float(each[data.place]) for name, each in shares.items()}


def headline(data: PoisonedEstimate, domain: GridDomain, record: state.AttackerState) -> Headline:
    """How the fakes change the count at the target, and what the repair restores."""
    place = place_name(domain, data.place)
    (truth, before, after, repaired), number = counts_at_target(data, record)
    figures = shares_at_target(data, record)
    if not data.phones:
        return Headline(
            f"Without fake phones the estimate puts {before} of {number} people in {place}.",
            f"In truth {truth} are there. Move the slider of fake phones to see what they change.",
            figures={name: figures[name] for name in ("truth", "without fakes")},
        )
    makes = formats.counted(data.phones, "fake phone makes", "fake phones make")
    without = f" instead of {before}" if after != before else ", as without any"
    return Headline(
        f"{makes} {place} look like {after} of {number} people{without}.",
        f"Of all phones {share(record.tenths)} are fake. A repair that knows "
        f"{REPAIR_TITLES[record.repair]} puts {repaired} there.",
        figures={name: at for name, at in figures.items() if name != "truth"},
    )


def share(tenths: int) -> str:
    """A share of all phones, given in tenths of a percent."""
    return f"{tenths / 10:g} %"


def one_phone(record: state.AttackerState, domain: GridDomain) -> str:
    """The people that one fake phone adds, and how many phones exceed the noise."""
    here = compute_powers(record.scenario, record.place).own_block
    return (
        f"One fake phone adds **{_counted(here.added)}** in {place_name(domain, record.place)}; it "
        f"takes {formats.people(here.to_stand_out())} to exceed the noise."
    )


def people(number: float) -> str:
    """A small number of people with its decimals."""
    return formats.digits(number, 3) if number < 1000 else formats.people(number)


def _counted(number: float) -> str:
    return formats.count(people(number), "person", "people")


def describe_block_effect(powers: PhonePowers, block: str) -> str:
    """Whether a smaller block raises or lowers one phone's power, in the scenario's numbers."""
    here, whole = powers.own_block, powers.in_one_block
    added, needs = people(here.added), here.to_stand_out()
    if powers.is_one_block:
        phones = formats.counted(needs, "phone", "phones")
        return TEXTS["one_block"].format(added=_counted(here.added), phones=phones)
    change = "as much as" if added == people(whole.added) else "instead of the"
    fewer = "fewer" if needs < whole.to_stand_out() else "no fewer"
    return (
        f"In the {block} a phone adds **{_counted(here.added)}**, {change} "
        f"**{people(whole.added)}** if all places were one block. The noise is "
        f"**{_counted(here.noise)}** instead of **{people(whole.noise)}**. So {fewer} phones "
        f"exceed it: **{formats.people(needs)}** instead of "
        f"**{formats.people(whole.to_stand_out())}**."
    )


def describe_crowding_out(data: PoisonedEstimate, block: str) -> str:
    """How many places of the target's block the estimate loses; "" where none."""
    before = _count_occupied(data.estimate_without_fakes, data.honest, data.place)
    after = _count_occupied(data.estimate_with_fakes, data.evidence, data.place)
    if after >= before:
        return ""
    places = formats.count(after, "place", "places")
    return TEXTS["places_lost"].format(places=places, block=block, before=formats.integer(before))


def describe_detection(data: PoisonedEstimate, attack: str, block: str) -> str:
    """Whether the server can see that there are fakes, by the sum of the target's block."""
    check = poisoning.block_sum(data.evidence, data.place)
    method = MECHANISMS[data.setup.mechanism_name].title
    if not data.phones:
        return "There are none."
    if attack == poisoning.RANDOM_ITEMS:
        return TEXTS["like_honest_phones"]
    if check.always_agree:
        return TEXTS["sums_always_agree"].format(method=method, block=block)
    sums = (
        f"The estimates of the {block} add up to "
        f"**{formats.counted(check.estimated, 'person', 'people')}**, "
        f"**{formats.counted(check.reported, 'phone', 'phones')}** reported from it"
    )
    limit_text = f"{formats.people(check.limit)} apart in at most one of 1,000 collections"
    if check.is_suspect:
        return TEXTS["sum_shows_fakes"].format(sums=sums, limit=limit_text)
    alone, honest = poisoning.block_sum(data.honest, data.place), data.honest.n
    enough = alone.detectable_fakes(data.setup.mechanism, data.place)
    seen = (
        ""
        if enough is None
        else f" About {formats.people(enough)} would be seen every other time."
        if enough <= honest
        else f" Not even {formats.people(honest)} fakes, one for each honest phone, would be seen "
        "every other time."
    )
    return f"**Not these.** {sums}, and noise alone puts them {limit_text}.{seen}"


def target_shares(data: PoisonedEstimate) -> dict[str, float]:
    """Shares at the target by what they are, with the gain, for the table of both attacks."""
    return {
        "truth": float(data.truth[data.place]),
        "estimate with fakes": float(data.estimate_with_fakes[data.place]),
        "gain of the unbiased estimate": data.gain,
    } | {
        f"repair that knows {title}": float(data.repaired(knows).shares[data.place])
        for knows, title in REPAIR_TITLES.items()
    }


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


def scene(data: PoisonedEstimate, domain: GridDomain, record: state.AttackerState) -> records.Scene:
    """Build the scene: truth, estimate with fakes, and after the repair."""
    sentence = headline(data, domain, record).sentence
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
    data: PoisonedEstimate, domain: GridDomain, record: state.AttackerState
) -> tuple[records.Picture, ...]:
    (truth, _, after, repaired), number = counts_at_target(data, record)
    unit = f"of {number} people in {place_name(domain, data.place)}"
    estimator_title = estimators.ESTIMATORS[record.scenario.estimator].title
    knows = f"knows {REPAIR_TITLES[record.repair]}"
    told = {
        TRUTH: ("Truth", "shown for demonstration only", truth, (truth_code(data.setup), None)),
        "fakes": ("Estimate with fakes", estimator_title, after, _encoded(data, record, "")),
        "repaired": ("After repair", knows, repaired, _encoded(data, record, record.repair)),
    }
    return tuple(
        records.Picture(
            name,
            heading,
            subtitle,
            f"Map of shares of people, {heading.lower()}: {people} {unit}.",
            code,
            records.SCALE.low,
            ("sensitive",) if name == TRUTH else records.ALL_MARKS,
            records.Fact(people, unit),
            pooled=pooled,
        )
        for name, (heading, subtitle, people, (code, pooled)) in told.items()
    )


@cached_by(lambda _, r, repair: (runs.key(r.scenario), r.place, r.tenths, r.attack, repair))
def _encoded(
    data: PoisonedEstimate,
    record: state.AttackerState,  # noqa: ARG001
    repair: str,
) -> tuple[records.Blob, records.Blob | None]:
    """The estimate with fakes, or after the repair of that name, and how far cells were pooled.

    None where each cell has its own number.
    """
    estimate = Repaired(data.estimate_with_fakes, data.levels)
    found = data.repaired(repair) if repair else estimate
    pooled = None if found.levels is None else records.encode_levels(found.levels)
    return records.encode_people(found.shares, data.setup.n), pooled


def slider_films(record: state.AttackerState) -> list[pins.SliderFilm[state.AttackerState]]:
    """Films over ε and fake phones; none over ε where the context has several."""
    many = isinstance(record.scenario.context.epsilon, tuple)
    return [OVER_TENTHS] if many else [OVER_EPSILON, OVER_TENTHS]


@dataclass(frozen=True, eq=False)
class FakesData:
    """Data of the view: an attack, its record, and the map."""

    data: PoisonedEstimate
    record: state.AttackerState
    domain: GridDomain


def load(record: state.AttackerState) -> FakesData:
    """The data of a record; `CaldpError` for slow methods."""
    record = replace(record, show=state.FAKES)
    return FakesData(run_attack(record), record, runs.map_of(runs.dataset(record.scenario)))


def view(at: FakesData, *_: object) -> View:
    """The headline, one phone's power, and the maps; those of what is pinned are another scene."""
    return View(
        headline(at.data, at.domain, at.record),
        texts={POWER: as_html(one_phone(at.record, at.domain))},
        scene=scene(at.data, at.domain, at.record),
        still=TRUTH,
    )


def _depends_on(record: state.AttackerState) -> str:
    settings = f"{record.place} {record.tenths} {record.attack} {record.repair}"
    return f"{runs.key(record.scenario)} {settings}"


MANY: Final = common.field_slider("tenths", state.TENTHS, share)


_SENT_CODE: Final[dict[str, str]] = read_toml(__file__, "sent.toml")


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
            "repaired, knows the target": data.repaired(state.KNOWS_TARGET).shares,
            "repaired, knows the share": data.repaired(state.KNOWS_SHARE).shares,
        }
    )


def snippet(data: PoisonedEstimate, attack: str) -> str:
    """Python that prints the target's shares by every estimate."""
    return TEXTS["fakes_code"].format(
        scenario=runs.literal(data.setup.scenario),
        place=data.place,
        share=data.share,
        sent=_SENT_CODE[attack],
    )


def show(record: state.AttackerState, page: PageLayout) -> None:
    """Draw the view into the page's layout."""
    data = PAGE.load(record)
    shown = PAGE.view(data, None, palette())
    with page.main:
        maps = PAGE.show_maps(shown, partial(move_place, state.STATE), OVER_EPSILON, OVER_TENTHS)
    page.show_headline(shown.headline)
    with page.side:
        with st.container(key=state.STATE.key("steer"), gap="small"):
            with st.container(key=state.STATE.key("which"), horizontal=True, gap="small"):
                choices.menu(state.STATE, PRESETS)
                place_control(state.STATE, "They push", data.domain, record.place)
            with st.container(key=state.STATE.key("dials"), gap="small"):
                common.epsilon(state.STATE)
                help_text = "Of all phones that report, honest ones and fakes."
                common.show(state.STATE, MANY, "Fake phones", help_text)
            comparison.epsilon_button(state.STATE, record.scenario.policy.plain_epsilon)
            pins.redraw_and_pin(state.STATE, PAGE.pin_title, state.NEW_NOISE)
        with st.container(key=state.STATE.key("risk"), gap="small"):
            with st.container(key=state.STATE.key("power")):
                st.markdown(one_phone(record, data.domain))
            _choices()
    with page.below:
        send_frames(pins.ready_films([each.request(record) for each in slider_films(record)]), maps)
        PAGE.show_pins(data, shown)
        tabs(state.STATE.key("fakes-tabs"), _TABS, data)


def _choices() -> None:
    helps = " ".join(f"{ATTACKS[name].title}: {ATTACKS[name].sentence}" for name in state.PUSHES)
    choices.of_field(state.STATE, "attack", "A fake phone", _ATTACKS, st.radio, help=helps)
    choices.of_field(
        state.STATE,
        "repair",
        "The repair knows",
        REPAIR_TITLES,
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
    st.markdown(describe_block_effect(compute_powers(record.scenario, data.place), block))
    st.markdown(describe_crowding_out(data, block))
    st.markdown(TEXTS["fakes_rule"])
    with st.expander("The formula"):
        st.markdown(TEXTS["fakes_formula"])


def _detection(at: FakesData) -> None:
    data, record, domain = at.data, at.record, at.domain
    st.markdown("**Can the server see that there are fakes?**")
    block = promise.block_name(PLACES, record.scenario)
    st.markdown(describe_detection(data, record.attack, block))
    st.markdown("**Can they be taken out again?**")
    st.markdown(TEXTS["fakes_misses"])
    each = [target_shares(run_attack(record, attack)) for attack in state.PUSHES]
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
        state.STATE,
        "with these very fakes",
        exported,
        snippet(data, at.record.attack),
        at.record.scenario,
    )
    PAGE.offer()


def _numbers(at: FakesData) -> dict[str, str]:
    """Rows of the pin's table: counts at the target, as people out of one number."""
    (truth, _, after, repaired), number = counts_at_target(at.data, at.record)
    return {
        "protection": title(at.record.scenario),
        "they push": place_name(at.domain, at.data.place),
        "fake phones": share(at.record.tenths),
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
    state=state.STATE,
    name="fakes",
    load=load,
    view=view,
    films=lambda record: slider_films(record)[::-1],
    pin_title=lambda record: title(record.scenario),
    describe=lambda at: headline(at.data, at.domain, at.record).sentence,
    numbers=_numbers,
)
OVER_EPSILON: Final = pins.SliderFilm[state.AttackerState](
    state.STATE, EPSILON, "Privacy level ε", common.epsilon_slider(), PAGE.render, _depends_on
)
OVER_TENTHS: Final = pins.SliderFilm[state.AttackerState](
    state.STATE, OVER_MANY, "Fake phones", MANY, PAGE.render, _depends_on, "{} fake".format, place=1
)
