"""The page: its controls, its tabs under the maps, and its film along ε.

The tabs: what the collector learns, its guess's bias, what is promised, numbers.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final

import pandas as pd
import streamlit as st

from caldp_core.mechanisms.catalogue import mechanisms_for
from caldp_core.scenarios.blocks import SensitiveAreas, SensitiveInhabited, SensitiveSpec
from caldp_core.scenarios.policies import BACKGROUNDS
from caldp_ui.app.texts import read_texts
from caldp_ui.app.theme import LIGHT
from caldp_ui.compute import runs
from caldp_ui.controls import choices, common
from caldp_ui.maps.scene import map_files, report
from caldp_ui.parts import comparison, layout, pins, sharing
from caldp_ui.personal import view
from caldp_ui.personal.page_state import (
    PRESETS,
    STATE,
    TAG_NAMES,
    PersonalData,
    PersonalState,
    infer_home,
    load_data,
    load_fast_data,
    own_place_shares,
    simulate_week,
    title,
    with_known_places,
    with_tags,
    without_personal_tags,
)
from caldp_ui.session.page_state import bind, update_scenario
from caldp_ui.shell.page import PinPage
from caldp_ui.stage.component import Act, stage
from caldp_ui.words import formats, policies
from caldp_ui.words.accuracy import terms

TEXTS: Final = read_texts(__file__)

_SENSITIVE: Final[dict[str, SensitiveSpec]] = {
    "no place": SensitiveAreas(()),
    "in and near New York": choices.NEW_YORK,
    "thinly settled places": SensitiveInhabited(),
}
_STEP: Final = 10
"""Percentage points between two choices of a tag's share."""


def _controls(data: PersonalData) -> None:
    """Show the main controls at the left, the odds at the right, and the other forms below."""
    record = data.record
    with st.container(key=STATE.key("steer"), gap="small"):
        choices.menu(STATE, PRESETS)
        st.caption(view.people_icons(data))
        with st.container(key=STATE.key("dials")):  # on a phone they stay on screen
            common.epsilon(STATE)
            common.people(STATE, data.setup.dataset.n)
    with st.container(key=STATE.key("risk"), gap="small"):
        layout.show_odds(formats.PLACES, data.setup)
        comparison.safety_button(STATE, formats.PLACES, data.setup)
    with st.container(key=STATE.key("forms"), horizontal=True, gap="small"):
        pins.redraw_and_pin(STATE, title, "The same people and promise, new noise.")
        forms = {
            "who": ("Who is at home", ":material/home:", _people_controls),
            "more": ("Sensitive for all, data", ":material/tune:", _more_controls),
        }
        for name, (label, icon, controls) in forms.items():
            choices.fold(st.popover, label, STATE.key(name), partial(controls, record), icon=icon)


def _people_controls(record: PersonalState) -> None:
    """Show the controls of the collector's guess, and of the shares at own places."""
    current = record.policy.background
    st.selectbox(
        "The collector's guess of homes",
        list(BACKGROUNDS),
        format_func=view.background_text,
        help=TEXTS["background_help"],
        **bind(STATE, "background", current, lambda s, v: with_tags(s, background=v)),
    )
    for number, share in enumerate(record.policy.shares):
        _share_control(record, number, share)


def _share_control(record: PersonalState, number: int, share: float) -> None:
    """Show the choice of a tag's share; all shares together are at most 1."""
    shares = record.policy.shares
    before, after = shares[:number], shares[number + 1 :]
    others = sum(shares) - share
    most = int(100 * (1 - others) + 1e-9)
    percent = round(100 * share, 6)
    possible = sorted({*range(0, most + 1, _STEP), percent})
    st.selectbox(
        f"Percent at {TAG_NAMES[number]}",
        possible,
        format_func=lambda value: f"{value:g}",
        **bind(
            STATE,
            f"share-{number}",
            percent,
            lambda s, value: with_tags(s, shares=(*before, value / 100, *after)),
            possible,
        ),
    )


def _more_controls(record: PersonalState) -> None:
    sensitive = record.policy.sensitive
    current = next((title for title, spec in _SENSITIVE.items() if spec == sensitive), None)
    choices.by_title(
        STATE,
        "sensitive",
        "Sensitive for everybody",
        _SENSITIVE,
        lambda r, spec: replace(r, scenario=with_tags(r.scenario, sensitive=spec)),
        title=current,
        placeholder="drawn on the map",
        help="Places that everybody hides, such as clinics. Draw with the box on the maps.",
    )
    common.data(STATE, runs.places())
    compatible = mechanisms_for(runs.setup(record.scenario).policy)
    common.method(STATE, [entry.name for entry in compatible])
    common.estimate(STATE)


def _collector(data: PersonalData) -> None:
    rows = {
        where: {"what a report says": report_text, "what the collector does with it": makes}
        for where, (report_text, makes) in view.describe_reports(data).items()
    }
    st.table(pd.DataFrame.from_dict(rows, orient="index").rename_axis("where somebody is"))
    left, right = st.columns(2, gap="large")
    with left:
        comparison.listed("The collector learns", view.learned_sentences(data))
    with right:
        comparison.listed("What reports hide, and how far", view.hidden_sentences(data))


def _week(data: PersonalData) -> None:
    days = simulate_week(data)
    if not days:
        st.info("This map has too few cities for an example.")
        return
    domain = data.domain
    home = formats.place_name(domain, days[0].place)
    rows = {
        day.name: {
            "truly": formats.place_name(domain, day.place)
            + ("" if day.tag is None else f" ({TAG_NAMES[day.tag]})"),
            "the report says": "noise: no place"
            if day.reported_place is None
            else f"“{formats.place_name(domain, day.reported_place)}”",
            "chance of “at home”": f"{formats.hundred(day.home_probability)} %",
        }
        for day in days
    }
    st.markdown(f"Somebody lives in **{home}**; their device alone knows. One report a day:")
    st.table(pd.DataFrame.from_dict(rows, orient="index").rename_axis("day"))
    st.caption(TEXTS["week_notes"])
    evenings = infer_home(data)
    if evenings is not None:
        st.markdown(view.home_inference_text(evenings, formats.place_name(domain, days[0].place)))


def _bias(data: PersonalData) -> None:
    st.markdown(view.bias_text(data))
    stage(view.bias_scene(data), STATE.key("bias-maps"))
    st.latex(r"\mathrm{E}\,\hat p(x) - p(x) = \sum_j p(\bot_j)\,\bigl(\pi_j(x) - h_j(x)\bigr)")
    st.caption(TEXTS["bias_notes"])


def _promise(data: PersonalData) -> None:
    comparison.bullets(view.hidden_sentences(data))
    texts = policies.describe_promise(formats.PLACES, data.setup)
    comparison.listed("What is *not* promised", texts.not_promised)
    comparison.audit_section(STATE, data.record.scenario)
    st.markdown(TEXTS["who_knows_places"])
    terms("ε", "sensitive set", "tag", "context-aware", "total variation")


def _numbers(data: PersonalData) -> None:
    results = {
        "this protection": data.ours,
        "homes known": None if data.has_true_background else data.known_places,
        "everything hidden": data.plain,
        "nothing hidden": data.untagged,
    }
    if not pins.table(results):
        return
    st.markdown(view.bias_text(data))
    if data.ours is not None:
        rows = {
            name: {"truth": formats.share(true), "from the reports": f"{round(found, 3) + 0.0:.3f}"}
            for name, true, found, _ in zip(TAG_NAMES, *own_place_shares(data), strict=False)
        }
        st.markdown("**Share of all people at their own place**")
        st.table(pd.DataFrame.from_dict(rows, orient="index").rename_axis("tag"))


def _sharing(data: PersonalData) -> None:
    scenario = data.record.scenario
    results = {"Everything hidden: plain LDP": data.plain, "This protection": data.ours}
    others = {
        "places-known": with_known_places(scenario),
        "nothing-own": without_personal_tags(scenario),
        sharing.PLAIN: runs.best_plain_ldp(scenario),
    }
    content = report(data.ours, view.result_text(data), results)
    sharing.section(STATE, formats.PLACES, content, others, sharing.show_map_save_hint)
    PAGE.offer()


_TABS: Final[dict[str, Callable[[PersonalData], None]]] = {
    "What the collector learns": _collector,
    "One person's week": _week,
    "The guess and its bias": _bias,
    "What is promised": _promise,
    "Numbers": _numbers,
    "Share and export": _sharing,
}


def handle_act(act: Act) -> None:
    """Add or remove the drawn box as sensitive for everybody; undo and redo."""
    if (
        not STATE.undo_or_redo(act.tool)
        and act.area is not None
        and act.action in (view.PROTECT, view.UNPROTECT)
    ):
        sensitive = STATE.current().policy.sensitive
        edits = sensitive.edits if isinstance(sensitive, SensitiveAreas) else ()
        sign = "+" if act.action == view.PROTECT else "-"
        more = SensitiveAreas((*edits, f"{sign}{act.area}"))
        update_scenario(STATE, lambda s: with_tags(s, sensitive=more))


def _films(record: PersonalState) -> list[pins.SliderFilm[PersonalState]]:
    """The film along ε, where its pictures take no longer than a moment."""
    quick = comparison.load_fast_results(STATE, record.scenario)
    return [] if quick.ours is None or quick.plain is None else [EPSILON_FILM]


def _pinned_numbers(data: PersonalData) -> dict[str, str]:
    errors = pins.result_numbers(formats.PLACES, data.ours)
    if not errors:
        return {}
    bias = formats.out_of(data.bias.total_variation)
    return {f"people {formats.PLACES.wrong} by the guess alone": bias, **errors}


PAGE: Final = PinPage(
    state=STATE,
    load=load_fast_data,
    view=view.view,
    films=_films,
    pin_title=title,
    describe=lambda data: view.headline(data).sentence,
    numbers=_pinned_numbers,
    images=lambda data: map_files({"everything-hidden": data.plain, "home-and-work": data.ours}),
)
EPSILON_FILM: Final = pins.SliderFilm[PersonalState](
    STATE,
    view.EPSILON,
    "Privacy level ε",
    common.epsilon_slider(),
    PAGE.render,
    lambda record: runs.key(record.scenario),
)


def show(record: PersonalState) -> None:
    """Show the page at a record."""
    page = layout.stacked_layout(STATE)
    with page.main:
        data = load_data(record)
        shown = PAGE.view(data, None, LIGHT)
        maps = PAGE.show_maps(shown, handle_act, EPSILON_FILM)
    page.show_headline(shown.headline)
    with page.side:
        _controls(data)
    with page.below:
        PAGE.show_pins(data, shown)
        layout.tabs(STATE.key("tabs"), _TABS, data)
        PAGE.send_films(record, maps)
    comparison.drawer("personal")
