"""Tabs under the maps: what is promised, odds by distance, every noise, numbers, exports.

The page as one file: noise that fades with distance beside blocks, along ε per kilometre.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import pandas as pd
import streamlit as st

from caldp_core.experiments.run import Result
from caldp_core.mechanisms.capabilities import report_bits
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.theory import displacement as theory
from caldp_ui.app.theme import palette
from caldp_ui.charts.show import show as show_chart
from caldp_ui.compute import runs
from caldp_ui.compute.plain_ldp import best_plain_ldp
from caldp_ui.distances import best_noise, films, scene, side, words
from caldp_ui.distances.page_state import (
    STATE,
    DistanceData,
    DistanceState,
    blocks_scenario,
    compatible_mechanisms,
    load_data,
)
from caldp_ui.distances.pin_view import PIN_VIEW
from caldp_ui.maps.ground import home
from caldp_ui.offline import maps, offer
from caldp_ui.offline.records import Part
from caldp_ui.parts import numbers, pictures, pins, promises, sharing
from caldp_ui.parts.comparison import load_fast_results
from caldp_ui.parts.record import ReportContent
from caldp_ui.parts.tabs import tabs
from caldp_ui.words import formats
from caldp_ui.words.glossary import terms
from caldp_ui.words.towns import place_name
from caldp_ui.words.vocabulary import PLACES


def part(record: DistanceState) -> Part | None:
    """The page at `record` as a part of a file; None where no film of it can be made."""
    data = load_data(record, load_fast_results)
    if not films.is_possible(data):
        return None
    return maps.part(
        "distances",
        "Privacy by distance",
        "Places close by are hidden best. Move ε per kilometre.",
        scene.scene(data),
        record=record,
        films=[films.RATE_FILM],
    )


def show(data: DistanceData) -> None:
    """Show what is pinned, then the tabs and the content of the open one."""
    pins.show(STATE, PIN_VIEW, data)
    tabs(STATE.key("tabs"), _TABS, data)


def _promise(data: DistanceData) -> None:
    promises.bullets(words.promise_sentences(data))
    st.markdown("**What is *not* promised**")
    promises.bullets(words.not_promised_sentences(data))
    promises.audit_section(STATE, data.record.scenario)
    st.markdown(f"**The blocks** · {words.describe_blocks(data)}")
    st.latex(r"Q(y \mid x) \le e^{\varepsilon \cdot d(x, x')} \, Q(y \mid x')")
    st.caption(
        "Geo-indistinguishability (Andrés, Bordenabe, Chatzikokolakis, Palamidessi 2013): a "
        "privacy matrix E[x, x′] = ε · d(x, x′), a special case of context-aware LDP."
    )
    terms("ε", "context-aware", "geo-indistinguishability", "total variation")


def _odds(data: DistanceData) -> None:
    texts = [
        f"{formats.length(each)}: {words.odds_text(data.record, each)}"
        for each in words.ODDS_DISTANCES
    ]
    show_chart(
        best_noise.odds_figure(data, palette()),
        STATE.key("odds-chart"),
        "The most right guesses of 100 between two equally likely places, by distance: "
        f"{', '.join(texts)}.",
    )
    name = place_name(data.domain, data.record.place)
    st.caption(
        f"Circles: the best guess between {name} and places due north or south of it, from one "
        "report, exact from the channel. The line is the most that any attacker can reach."
    )


def _noise_table(data: DistanceData) -> None:
    """Show the mechanisms that keep this kind of distance, and why some cannot be made here."""
    scenario = data.record.scenario
    rows = {}
    for entry in compatible_mechanisms(scenario):
        reason = _missing_reason(data, entry.name)
        chosen = " (shown)" if entry.name == data.setup.mechanism_name else ""
        rows[f"{entry.title}{chosen}"] = _missing_row(reason) if reason else _row(data, entry.name)
    st.table(pd.DataFrame.from_dict(rows, orient="index").rename_axis("mechanism"))
    proof = words.kernel_proof_text(data, best_noise.designed_kernel(data.setup.policy))
    if proof:
        st.markdown(f":material/verified: {proof}")
    st.caption(
        f"Reports from {place_name(data.domain, data.record.place)}; kilometres are exact, from "
        "the channel, along great circles, with reports beyond the map moved to its edge."
    )


def _missing_reason(data: DistanceData, name: str) -> str:
    """Why a mechanism can't be shown; "" where it can."""
    reason = side.infeasible_reason(data.record.scenario, name)
    if reason:
        return f"no: {reason}"
    if name == best_noise.BEST_KERNEL and best_noise.designed_kernel(data.setup.policy) is None:
        return "not yet: it is designed, in seconds, once you choose it as the noise"
    return ""


def _row(data: DistanceData, name: str) -> dict[str, str]:
    setup = runs.setup(replace(data.record.scenario, mechanism=MECHANISMS[name].spec()))
    place = data.record.place
    law = theory.report_distribution(setup.mechanism, place)
    return {
        "a report lies away by": formats.length(
            theory.displacement(law, data.domain.km_from(place))
        ),
        "names its own cell": f"{formats.out_of(float(law[place]))} reports",
        "bits per report": formats.integer(report_bits(setup.mechanism)),
        "here": "yes",
    }


def _missing_row(reason: str) -> dict[str, str]:
    return {"a report lies away by": "–", "names its own cell": "–", "bits per report": "–",
            "here": reason}  # fmt: skip


def _numbers(data: DistanceData) -> None:
    columns = {
        "this protection": (data.ours, data.noise_reports.mean_km),
        words.blocks_title(data).lower(): (data.blocks_result, data.block_reports.mean_km),
        "plain LDP": (data.plain, None),
    }
    results = {title: result for title, (result, _) in columns.items() if result is not None}
    if not results:
        st.info("The numbers come once a picture is there.")
        return
    numbers.table(results, None)
    st.markdown(
        f"**Reports from {place_name(data.domain, data.record.place)}** lie "
        f"{formats.length(data.noise_reports.mean_km)} away on average, and "
        f"{formats.length(data.block_reports.mean_km)} away with the blocks. "
        f"{words.describe_blocks(data)}"
    )
    if data.ours is not None:
        best_noise.section(data.ours)
    odds = {
        formats.length(each): f"{words.odds_text(data.record, each)} of 100"
        for each in words.ODDS_DISTANCES
    }
    row = "right guesses between two equally likely places so far apart, at most"
    st.table(pd.DataFrame([odds], index=pd.Index([row], name="odds")))


def _sharing(data: DistanceData) -> None:
    report, scenario = None, data.record.scenario
    if data.ours is not None:
        truth = pictures.true_map(data.setup, data.domain, home(data.domain))
        report = ReportContent(
            data.ours, words.result_text(data), _pictures(data, data.ours), truth
        )
    others = {
        "blocks-beside": blocks_scenario(data.record),
        sharing.PLAIN: best_plain_ldp(scenario),
    }
    sharing.section(STATE, PLACES, report, others, sharing.show_map_save_hint)
    offer.offer_page(STATE, part)


def _pictures(data: DistanceData, ours: Result) -> dict[str, bytes]:
    shares = {}
    if data.blocks_result is not None:
        shares[words.blocks_title(data)] = data.blocks_result.first.estimate
    shares[words.OURS_TITLE] = ours.first.estimate
    return pictures.maps(shares, data.domain, home(data.domain), data.setup.n)


_TABS: Final[dict[str, Callable[[DistanceData], None]]] = {
    "What is promised": _promise,
    "Odds by distance": _odds,
    "Every noise": _noise_table,
    "Numbers": _numbers,
    "Share and export": _sharing,
}
