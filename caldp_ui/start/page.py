"""The first page: one picture with numbers, ways for readers, examples, and links to all pages."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path, PurePath
from typing import Any, Final

import streamlit as st

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.basics.cache import cached, cached_by
from caldp_core.domain.domains import Area
from caldp_core.experiments.run import Result
from caldp_ui.app.navigation import PAGES, PLACES, SECTIONS, TITLES
from caldp_ui.app.texts import read_texts, read_toml
from caldp_ui.compute import runs
from caldp_ui.controls.choices import Preset, read_presets
from caldp_ui.lesson.steps import MINUTES
from caldp_ui.maps.scene import BEGIN, ground, home, scene
from caldp_ui.parts import layout, pack
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.session import page_state
from caldp_ui.stage.component import stage
from caldp_ui.stage.records import Arrangement, nobody_below
from caldp_ui.start.page_state import STATE
from caldp_ui.words import accuracy, formats

TEXTS: Final = read_texts(__file__)


@dataclass(frozen=True)
class FrequentQuestion:
    """A question and its answer, in plain text; `source`: its citation, or ""."""

    question: str
    answer: str
    source: str = ""


def frequent_questions() -> dict[str, list[FrequentQuestion]]:
    """All questions of `questions.toml` by the title of their column."""
    texts = read_toml(__file__, "questions.toml")
    odds = {"one": (1.0, 1), "four": (4.0, 1), "eight": (8.0, 1), "ten": (1.0, 10)}
    right = {name: formats.hundred(max_guess_accuracy(*each)) for name, each in odds.items()}
    return {title: [_question(right, **each) for each in texts[title]] for title in texts}


def _question(
    right: Mapping[str, str], question: str, answer: str, page: str = "", source: str = ""
) -> FrequentQuestion:
    see = f" See “{TITLES[f'pages/{page}.py']}”." if page else ""
    return FrequentQuestion(question, answer.format(**right) + see, source)


def show_questions() -> None:
    """Show three columns of questions, and the glossary below them."""
    columns = "".join(
        f"<div><h2>{escape(title)}</h2>{''.join(map(_question_html, questions))}</div>"
        for title, questions in frequent_questions().items()
    )
    words = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(meaning.replace('*', ''))}</dd>"
        for name, meaning in accuracy.DEFINITIONS.items()
    )
    st.html(TEXTS["questions"].format(columns=columns, words=words))


def _question_html(entry: FrequentQuestion) -> str:
    source = f"<small>{escape(entry.source)}</small>" if entry.source else ""
    return (
        f"<details><summary>{escape(entry.question)}</summary>"
        f"<p>{escape(entry.answer)} {source}</p></details>"
    )


_HOME: Final = Area(24.55, 49.75, -111.9, -79.9)
"""Area that is always in view: a wide frame shows the whole country, a phone its middle."""


def _hero() -> None:
    """Show the headline, the two maps under one divider, both errors, and ways to the map."""
    scenario = STATE.current().scenario
    rival = runs.best_plain_ldp(scenario)
    ours, plain = runs.result(scenario), runs.result(rival)
    noise = {"tv": ours.first.errors.tv, "plain_tv": plain.first.errors.tv}
    layout.show_headline(
        formats.Headline(
            "A map that protects only what is sensitive puts "
            f"{accuracy.tv_in_words(formats.PLACES, noise['tv'])}, "
            f"not {formats.per_hundred(noise['plain_tv'])}.",
            TEXTS["what_ldp_is"],
            figures=noise,
        )
    )
    data = ComparisonData(runs.setup(scenario), runs.setup(rival), ours, plain)
    land = replace(ground(data.setup, runs.map_of(data.setup.dataset), None), home=_HOME)
    with st.container(key=STATE.key("hero")):
        with st.container(key=STATE.key("picture")):
            stage(
                scene(data, land, "Blocks of 1° × 2°", look="swipe", arrangement=Arrangement(())),
                STATE.key("maps"),
            )
        with st.container(key=STATE.key("beside")):
            walk = drawing_html("walk")
            st.html(f'<div class="walk"><h2>Everybody adds noise</h2>{walk}</div>')
            sides = f"{_side_html('left', plain)}{_side_html('right', ours)}"
            st.html(f'<div class="sides">{sides}</div>')
            st.markdown(TEXTS["what_maps_hide"])
            with st.container(horizontal=True):
                look: Any = {"icon": ":material/map:", "type": "primary"}
                query, icon = page_state.scenario_query(scenario), ":material/flag:"
                page_state.page_button("Open this map", PLACES, query, **look)
                page_state.page_button("Tour, 3 minutes", PLACES, part="tour", icon=icon)


def _side_html(side: str, result: Result) -> str:
    """One side of the divider: its name, its error, and as many of 100 small figures filled."""
    tv = result.first.errors.tv
    title = {"left": "Plain LDP", "right": "Blocks of 1° × 2°"}[side]
    number, unit = accuracy.wrong_of_hundred(formats.PLACES, tv)
    alt = f"100 small figures, {round(100 * tv)} of them filled: {unit}."
    return (
        f'<div class="{side}"><small>{side} of the divider</small><b>{title}</b>'
        f"<strong>{number}</strong><span>{unit}</span>"
        f"{layout.people_array(round(100 * tv), alt)}</div>"
    )


_WEB: Final = Path(__file__).with_name("web")
_DIRECTORY: Final = read_toml(__file__, "directory.toml")
_ALTS: Final = _DIRECTORY["drawings"]


@cached
def drawing_html(name: str) -> str:
    """A drawing of `web/` under its words."""
    words = (_WEB / f"{name}.html").read_text("utf-8").replace("\n", "")
    coded = base64.b64encode((_WEB / f"{name}.svg").read_bytes()).decode()
    return f'<img src="data:image/svg+xml;base64,{coded}" alt="{escape(_ALTS[name])}">{words}'


PURPOSE_CARDS: Final = _DIRECTORY["cards"]


def _purpose_card(name: str, card: Mapping[str, Any]) -> None:
    st.html(f'<div class="art">{drawing_html(name)}</div>')
    with st.container(key=STATE.key(f"words-{name}")):
        st.html(f"<h2>{card['title']}</h2><p>{card['text'].format(minutes=MINUTES)}</p>")
        with st.container(horizontal=True, gap="xsmall"):
            for number, way in enumerate(card["ways"]):
                look: Any = {"key": STATE.key(f"go-{name}-{number}"), "icon_position": "right"}
                part, icon = way.get("part", ""), ":material/arrow_forward:"
                page_state.page_button(way["label"], way["page"], part=part, icon=icon, **look)


CARDS: Final = read_presets(__file__, "cards", Preset)
"""Examples on the paper's map, at the ε that its page begins with."""


def _cards() -> None:
    """Show all cards in a row, or in several where it is narrow."""
    st.markdown("**Examples**")
    with st.container(horizontal=True, key="start-cards"):
        for card in CARDS:
            with st.container(border=True):
                picture, wrong = _picture(card)
                st.image(picture, width="stretch", alt=f"Map of the estimate with “{card.title}”.")
                st.markdown(f"**{card.title}** · {wrong}")
                st.caption(card.sentence)
                key, query = f"open-{card.title}", page_state.scenario_query(card.apply(BEGIN))
                page_state.page_button("Open it", PLACES, query, key=key, help=card.title)


@cached_by(lambda card: runs.key(card.apply(BEGIN)))
def _picture(card: Preset) -> tuple[bytes, str]:
    """The estimate as a PNG, and how many people it puts in the wrong place."""
    result = runs.result(card.apply(BEGIN))
    domain = runs.map_of(result.setup.dataset)
    nobody = nobody_below(result.setup.n)
    png = pack.png(result.first.estimate, domain, home(domain), nobody)
    return png, accuracy.tv_in_words(formats.PLACES, result.first.errors.tv)


def _directory() -> None:
    """Show columns of links, each with a sentence."""
    with st.container(key="start-directory"):
        *columns, last = st.columns(len(SECTIONS) + 1, gap="medium")
        for column, section in zip(columns, SECTIONS, strict=True):
            with column:
                st.markdown(f"**{section}**")
                for entry in PAGES:
                    if entry.section == section:
                        st.page_link(entry.path, label=entry.title, icon=f":material/{entry.icon}:")
                        st.caption(entry.purpose)
        with last:
            st.markdown("**Your data**")
            for each in _DIRECTORY["own_data"]:
                page, icon = each["page"], f":material/{each['icon']}:"
                look: Any = {"key": STATE.key(f"yours-{PurePath(page).stem}"), "type": "tertiary"}
                page_state.page_button(each["title"], page, part="own", icon=icon, **look)
                st.caption(each["sentence"])


def show() -> None:
    """Show the whole page."""
    with st.container(key=STATE.key("first")):
        _hero()
        with st.container(key=STATE.key("ways")):
            for name, card in PURPOSE_CARDS.items():
                with st.container(key=STATE.key(f"way-{name}")):
                    _purpose_card(name, card)
    _cards()
    _directory()
    best = formats.hundred(max_guess_accuracy(1.0))
    steps = {
        "1 · Everybody adds noise": TEXTS["one_report"].format(best=best),
        "2 · The noise averages out": TEXTS["many_reports"],
        "3 · Context decides what to hide": TEXTS["matrix"],
    }
    for column, (title, text) in zip(st.columns(3), steps.items(), strict=True):
        column.markdown(f"**{title}**\n\n{text}")
    st.caption(TEXTS["sources"])
    show_questions()
