"""Under the maps: what the collector learns, the bias of its guess, the promise, the numbers."""

from collections.abc import Callable
from typing import Final

import pandas as pd
import streamlit as st

from caldp_core.experiments.run import Result
from caldp_ui.compute.rivals import rival
from caldp_ui.maps.ground import home
from caldp_ui.offline import offer
from caldp_ui.parts import numbers, pictures, pins, promises, sharing
from caldp_ui.parts.record import Exhibit
from caldp_ui.parts.tabs import tabs
from caldp_ui.personal import scene, take_home, words
from caldp_ui.personal.pinned import BESIDE
from caldp_ui.personal.shown import Shown, at_own_places
from caldp_ui.personal.slot import SLOT, known, nothing_own
from caldp_ui.personal.week import Day, at_home, week
from caldp_ui.words import formats, policies
from caldp_ui.words.glossary import terms
from caldp_ui.words.towns import place_name
from caldp_ui.words.vocabulary import PLACES


def show(what: Shown) -> None:
    """What is pinned, then the tabs, and the open one."""
    pins.show(SLOT, BESIDE, what)
    tabs(SLOT.key("tabs"), _TABS, what)


def _learned(what: Shown) -> None:
    st.markdown(words.people(what))
    rows = {
        where: {"what a report says": said, "what the collector does with it": makes}
        for where, (said, makes) in words.sends(what).items()
    }
    st.table(pd.DataFrame.from_dict(rows, orient="index").rename_axis("where somebody is"))
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**The collector learns**")
        _list(words.learned(what))
    with right:
        st.markdown("**The collector does *not* learn**")
        _list(words.hidden(what))


def _week(what: Shown) -> None:
    days = week(what)
    if not days:
        st.info("This map has too few cities for an example.")
        return
    domain = what.domain
    home = place_name(domain, days[0].place)
    rows = {
        day.day: {
            "truly": _truly(what, day),
            "the report says": "noise: no place"
            if day.named is None
            else f"“{place_name(domain, day.named)}”",
            "chance of “at home”": f"{formats.hundred(day.home)} %",
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
    evenings = at_home(what)
    if evenings is not None:
        st.markdown(words.at_home(evenings, place_name(domain, days[0].place)))


def _truly(what: Shown, day: Day) -> str:
    where = place_name(what.domain, day.place)
    return where if day.tag is None else f"{where} ({words.tag(day.tag)})"


def _list(sentences: list[str]) -> None:
    st.markdown("\n".join(f"- {sentence}" for sentence in sentences))


def _bias(what: Shown) -> None:
    st.markdown(words.bias(what))
    scene.bias(what)
    st.latex(r"\mathrm{E}\,\hat p(x) - p(x) = \sum_j p(\bot_j)\,\bigl(\pi_j(x) - h_j(x)\bigr)")
    st.caption(
        "p(⊥ⱼ): share of the people at their own place of tag j; πⱼ: the collector's guess; hⱼ: "
        "where these places truly are. Exact, before negative shares are mended; from the "
        "estimator of Murakami, Kawamoto 2019, §5."
    )


def _promise(what: Shown) -> None:
    _list(words.hidden(what))
    st.markdown("**What is *not* promised**")
    _list(list(policies.told(PLACES, what.setup).not_promised))
    promises.audited(SLOT, what.record.scenario)
    st.markdown(
        "Each person's own device replaces the place by the tag, so nobody else needs to know "
        "which places are theirs. Here the model of the data decides who is at home: of all people "
        "at a place, the same share. The devices' code takes each person's own list."
    )
    terms("ε", "sensitive set", "tag", "context-aware", "total variation")


def _results(what: Shown) -> dict[str, Result]:
    there = {
        "this protection": what.assumed,
        "homes known": None if what.is_known else what.known,
        "everything hidden": what.everything,
        "nothing hidden": what.nothing,
    }
    return {title: result for title, result in there.items() if result is not None}


def _numbers(what: Shown) -> None:
    results = _results(what)
    if not results:
        st.info("The numbers come once a picture is there.")
        return
    numbers.table(results, None)
    st.markdown(words.bias(what))
    if what.assumed is not None:
        true, found = at_own_places(what)
        rows = {
            words.tag(number): {
                "truth": formats.share(share),
                "from the reports": f"{estimate:.3f}",
            }
            for number, (share, estimate) in enumerate(zip(true, found, strict=True))
        }
        st.markdown("**Share of all people at their own place**")
        st.table(pd.DataFrame.from_dict(rows, orient="index").rename_axis("tag"))


def _sharing(what: Shown) -> None:
    shown, scenario = None, what.record.scenario
    if what.assumed is not None:
        shown = Exhibit(what.assumed, words.result(what), _pictures(what, what.assumed))
    beside = {
        "places-known": known(scenario),
        "nothing-own": nothing_own(scenario),
        sharing.PLAIN: rival(scenario),
    }
    sharing.section(SLOT, PLACES, shown, beside, sharing.by_the_maps)
    offer.page(SLOT, take_home.part)


def _pictures(what: Shown, assumed: Result) -> dict[str, bytes]:
    shares = {"Truth": what.setup.dataset.distribution}
    if what.everything is not None:
        shares["Everything hidden: plain LDP"] = what.everything.first.estimate
    shares["This protection"] = assumed.first.estimate
    return pictures.maps(shares, what.domain, home(what.domain), what.setup.n)


_TABS: Final[dict[str, Callable[[Shown], None]]] = {
    "What the collector learns": _learned,
    "One person's week": _week,
    "The guess and its bias": _bias,
    "What is promised": _promise,
    "Numbers": _numbers,
    "Share and export": _sharing,
}
