"""Tabs under the maps: what the collector learns, its guess's bias, the promise, the numbers.

The page as one file: ways to protect one's own places, along ε.
"""

from collections.abc import Callable
from typing import Final

import pandas as pd
import streamlit as st

from caldp_core.experiments.run import Result
from caldp_ui.compute.plain_ldp import best_plain_ldp
from caldp_ui.maps.ground import home
from caldp_ui.offline import maps, offer
from caldp_ui.offline.records import Part
from caldp_ui.parts import numbers, pictures, pins, promises, sharing
from caldp_ui.parts.record import ReportContent
from caldp_ui.parts.tabs import tabs
from caldp_ui.personal import films, scene, words
from caldp_ui.personal.page_state import (
    STATE,
    PersonalData,
    PersonalState,
    load_fast_data,
    own_place_shares,
    with_known_places,
    without_personal_tags,
)
from caldp_ui.personal.pin_view import PIN_VIEW
from caldp_ui.personal.words import Day, infer_home, simulate_week
from caldp_ui.words import formats, policies
from caldp_ui.words.glossary import terms
from caldp_ui.words.towns import place_name
from caldp_ui.words.vocabulary import PLACES


def part(record: PersonalState) -> Part | None:
    """The page at `record` as a part of a file; None where no film of it can be made."""
    data = load_fast_data(record)
    if not films.is_possible(data):
        return None
    return maps.part(
        "personal",
        "Home and work",
        "Everybody hides their own places. Move ε, the privacy level.",
        scene.scene(data),
        record=record,
        films=[films.EPSILON_FILM],
    )


def show(data: PersonalData) -> None:
    """Show what is pinned, then the tabs and the content of the open one."""
    pins.show(STATE, PIN_VIEW, data)
    tabs(STATE.key("tabs"), _TABS, data)


def _collector(data: PersonalData) -> None:
    st.markdown(words.people_sentence(data))
    rows = {
        where: {"what a report says": report_text, "what the collector does with it": makes}
        for where, (report_text, makes) in words.describe_reports(data).items()
    }
    st.table(pd.DataFrame.from_dict(rows, orient="index").rename_axis("where somebody is"))
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**The collector learns**")
        promises.bullets(words.learned_sentences(data))
    with right:
        st.markdown("**What reports hide, and how far**")
        promises.bullets(words.hidden_sentences(data))


def _week(data: PersonalData) -> None:
    days = simulate_week(data)
    if not days:
        st.info("This map has too few cities for an example.")
        return
    domain = data.domain
    home = place_name(domain, days[0].place)
    rows = {
        day.name: {
            "truly": _true_place_text(data, day),
            "the report says": "noise: no place"
            if day.reported_place is None
            else f"“{place_name(domain, day.reported_place)}”",
            "chance of “at home”": f"{formats.hundred(day.home_probability)} %",
        }
        for day in days
    }
    st.markdown(f"Somebody lives in **{home}**; their device alone knows. One report a day:")
    st.table(pd.DataFrame.from_dict(rows, orient="index").rename_axis("day"))
    st.caption(
        "Last column: by that day's report alone, for an attacker to whom home and one other place "
        "were equally likely. The button “Draw new noise” draws other reports. Reports of several "
        "days add up."
    )
    evenings = infer_home(data)
    if evenings is not None:
        st.markdown(words.home_inference_text(evenings, place_name(domain, days[0].place)))


def _true_place_text(data: PersonalData, day: Day) -> str:
    name = place_name(data.domain, day.place)
    return name if day.tag is None else f"{name} ({words.tag_name(day.tag)})"


def _bias(data: PersonalData) -> None:
    st.markdown(words.bias_text(data))
    scene.bias_maps(data)
    st.latex(r"\mathrm{E}\,\hat p(x) - p(x) = \sum_j p(\bot_j)\,\bigl(\pi_j(x) - h_j(x)\bigr)")
    st.caption(
        "p(⊥ⱼ): share of the people at their own place of tag j; πⱼ: the collector's guess; hⱼ: "
        "where these places truly are. Exact, before negative shares are mended; from the "
        "estimator of Murakami, Kawamoto 2019, §5."
    )


def _promise(data: PersonalData) -> None:
    promises.bullets(words.hidden_sentences(data))
    st.markdown("**What is *not* promised**")
    promises.bullets(policies.describe_promise(PLACES, data.setup).not_promised)
    promises.audit_section(STATE, data.record.scenario)
    st.markdown(
        "Each person's own device replaces the place by the tag, so nobody else needs to know "
        "which places are theirs. Here the model of the data decides who is at home: of all people "
        "at a place, the same share. The devices' code takes each person's own list."
    )
    terms("ε", "sensitive set", "tag", "context-aware", "total variation")


def _results(data: PersonalData) -> dict[str, Result]:
    results = {
        "this protection": data.ours,
        "homes known": None if data.has_true_background else data.known_places,
        "everything hidden": data.plain,
        "nothing hidden": data.untagged,
    }
    return {title: result for title, result in results.items() if result is not None}


def _numbers(data: PersonalData) -> None:
    results = _results(data)
    if not results:
        st.info("The numbers come once a picture is there.")
        return
    numbers.table(results, None)
    st.markdown(words.bias_text(data))
    if data.ours is not None:
        true, estimates = own_place_shares(data)
        rows = {
            words.tag_name(number): {
                "truth": formats.share(share),
                "from the reports": f"{estimate:.3f}",
            }
            for number, (share, estimate) in enumerate(zip(true, estimates, strict=True))
        }
        st.markdown("**Share of all people at their own place**")
        st.table(pd.DataFrame.from_dict(rows, orient="index").rename_axis("tag"))


def _sharing(data: PersonalData) -> None:
    report, scenario = None, data.record.scenario
    if data.ours is not None:
        truth = pictures.true_map(data.setup, data.domain, home(data.domain))
        report = ReportContent(
            data.ours, words.result_text(data), _pictures(data, data.ours), truth
        )
    others = {
        "places-known": with_known_places(scenario),
        "nothing-own": without_personal_tags(scenario),
        sharing.PLAIN: best_plain_ldp(scenario),
    }
    sharing.section(STATE, PLACES, report, others, sharing.show_map_save_hint)
    offer.offer_page(STATE, part)


def _pictures(data: PersonalData, ours: Result) -> dict[str, bytes]:
    shares = {}
    if data.plain is not None:
        shares["Everything hidden: plain LDP"] = data.plain.first.estimate
    shares["This protection"] = ours.first.estimate
    return pictures.maps(shares, data.domain, home(data.domain), data.setup.n)


_TABS: Final[dict[str, Callable[[PersonalData], None]]] = {
    "What the collector learns": _collector,
    "One person's week": _week,
    "The guess and its bias": _bias,
    "What is promised": _promise,
    "Numbers": _numbers,
    "Share and export": _sharing,
}
