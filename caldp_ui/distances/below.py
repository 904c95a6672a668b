"""Under the maps: what is promised, the odds by distance, every noise, numbers, and the link."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import pandas as pd
import streamlit as st

from caldp_core.experiments.run import Result
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.mechanisms.offers import report_bits
from caldp_core.theory import displacement as theory
from caldp_ui.app.theme import palette
from caldp_ui.charts.show import show as show_chart
from caldp_ui.compute import runs
from caldp_ui.compute.rivals import rival
from caldp_ui.distances import designing, figures, remapped, side, take_home, words
from caldp_ui.distances.pinned import BESIDE
from caldp_ui.distances.shown import Shown, blocks_beside
from caldp_ui.distances.slot import SLOT, keeping
from caldp_ui.maps.ground import home
from caldp_ui.offline import offer
from caldp_ui.parts import numbers, pictures, pins, promises, sharing
from caldp_ui.parts.record import Exhibit
from caldp_ui.parts.tabs import tabs
from caldp_ui.words import formats
from caldp_ui.words.glossary import terms
from caldp_ui.words.towns import place_name
from caldp_ui.words.vocabulary import PLACES


def show(what: Shown) -> None:
    """What is pinned, then the tabs, and the open one."""
    pins.show(SLOT, BESIDE, what)
    tabs(SLOT.key("tabs"), _TABS, what)


def _promise(what: Shown) -> None:
    _list(words.promise(what))
    st.markdown("**What is *not* promised**")
    _list(words.not_promised(what))
    promises.audited(SLOT, what.record.scenario)
    st.markdown(f"**The blocks** · {words.blocks_told(what)}")
    st.latex(r"Q(y \mid x) \le e^{\varepsilon \cdot d(x, x')} \, Q(y \mid x')")
    st.caption(
        "Geo-indistinguishability (Andrés, Bordenabe, Chatzikokolakis, Palamidessi 2013): a "
        "privacy matrix E[x, x′] = ε · d(x, x′), a special case of context-aware LDP."
    )
    terms("ε", "context-aware", "geo-indistinguishability", "total variation")


def _list(sentences: list[str]) -> None:
    st.markdown("\n".join(f"- {sentence}" for sentence in sentences))


def _odds(what: Shown) -> None:
    told = [f"{words.km(each)}: {words.odds_at(what.record, each)}" for each in words.ODDS_AT]
    show_chart(
        figures.odds(what, palette()),
        SLOT.key("odds-chart"),
        f"Right guesses of 100 between two equally likely places, by distance: "
        f"at most {', '.join(told)}.",
    )
    name = place_name(what.domain, what.record.place)
    st.caption(
        f"Circles: the best guess between {name} and places due north or south of it, from one "
        "report, exact from the channel. The line is the most that any attacker can reach."
    )


def _noises(what: Shown) -> None:
    """All of the catalogue that keep this kind of distance, with why some cannot be made here."""
    scenario = what.record.scenario
    rows = {}
    for entry in keeping(scenario):
        why = _absent(what, entry.name)
        chosen = " (shown)" if entry.name == what.setup.mechanism_name else ""
        rows[f"{entry.title}{chosen}"] = _missing(why) if why else _row(what, entry.name)
    st.table(pd.DataFrame.from_dict(rows, orient="index").rename_axis("mechanism"))
    proved = words.proved(what, designing.kernel(what.setup.policy))
    if proved:
        st.markdown(f":material/verified: {proved}")
    st.caption(
        f"Reports from {place_name(what.domain, what.record.place)}; kilometres are exact, from "
        "the channel, along great circles, with reports beyond the map moved to its edge."
    )


def _absent(what: Shown, name: str) -> str:
    """Why a mechanism can't be shown; empty where it can."""
    why = side.why_not(what.record.scenario, name)
    if why:
        return f"no: {why}"
    if name == designing.KERNEL and designing.kernel(what.setup.policy) is None:
        return "not yet: it is designed, in seconds, once you choose it as the noise"
    return ""


def _row(what: Shown, name: str) -> dict[str, str]:
    ready = runs.setup(replace(what.record.scenario, mechanism=MECHANISMS[name].spec()))
    place = what.record.place
    law = theory.reports_from(ready.mechanism, place)
    return {
        "a report lies away by": words.km(theory.displacement(law, what.domain.km_from(place))),
        "names its own cell": f"{formats.out_of(float(law[place]))} reports",
        "bits per report": formats.exactly(report_bits(ready.mechanism)),
        "here": "yes",
    }


def _missing(why: str) -> dict[str, str]:
    return {"a report lies away by": "–", "names its own cell": "–", "bits per report": "–",
            "here": why}  # fmt: skip


def _numbers(what: Shown) -> None:
    there = {
        "noise that fades": (what.ours, what.noise.km),
        words.blocks_title(what).lower(): (what.blocks, what.in_blocks.km),
        "plain LDP": (what.plain, None),
    }
    results = {title: result for title, (result, _) in there.items() if result is not None}
    if not results:
        st.info("The numbers come once a picture is there.")
        return
    numbers.table(results, None)
    st.markdown(
        f"**Mean displacement** from {place_name(what.domain, what.record.place)}: noise "
        f"{words.km(what.noise.km)}, blocks {words.km(what.in_blocks.km)}. "
        f"{words.blocks_told(what)}"
    )
    if what.ours is not None:
        remapped.section(what.ours)
    odds = {words.km(each): f"{words.odds_at(what.record, each)} of 100" for each in words.ODDS_AT}
    row = "right guesses between two equally likely places so far apart, at most"
    st.table(pd.DataFrame([odds], index=pd.Index([row], name="odds")))


def _sharing(what: Shown) -> None:
    shown, scenario = None, what.record.scenario
    if what.ours is not None:
        shown = Exhibit(what.ours, words.result(what), _pictures(what, what.ours))
    beside = {"blocks-beside": blocks_beside(what.record), sharing.PLAIN: rival(scenario)}
    sharing.section(SLOT, PLACES, shown, beside, sharing.by_the_maps)
    offer.page(SLOT, take_home.part)


def _pictures(what: Shown, ours: Result) -> dict[str, bytes]:
    shares = {"Truth": what.setup.dataset.distribution}
    if what.blocks is not None:
        shares[words.blocks_title(what)] = what.blocks.first.estimate
    shares["Noise that fades with distance"] = ours.first.estimate
    return pictures.maps(shares, what.domain, home(what.domain), what.setup.n)


_TABS: Final[dict[str, Callable[[Shown], None]]] = {
    "What is promised": _promise,
    "Odds by distance": _odds,
    "Every noise": _noises,
    "Numbers": _numbers,
    "Share and export": _sharing,
}
