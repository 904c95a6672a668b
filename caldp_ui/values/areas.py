"""The map of a table whose answers are areas: each has one colour, and nobody is spread over cells.

Areas are drawn in small cells, which hold no people of their own.
"""

from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
import streamlit as st

from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.datasets import DatasetSpec, OwnTable
from caldp_core.datasets.areas import areas_on_map, main_view
from caldp_core.experiments.run import Result, Setup
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_ui.app.errors import escape_markdown
from caldp_ui.app.texts import read_texts
from caldp_ui.maps import ground, scene
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.session.record_link import update_scenario
from caldp_ui.stage import (
    Act,
    Action,
    Arrangement,
    Fact,
    Ground,
    Picture,
    Scene,
    encode,
    encode_errors,
    encode_people,
    nobody_below,
    stage,
)
from caldp_ui.values.page_state import STATE, domain_of, spec_of
from caldp_ui.values.view import shares_of
from caldp_ui.words import accuracy, policies, promise
from caldp_ui.words.formats import ANSWERS

TEXTS: Final = read_texts(__file__)
_Z: Final = 1.96
_IN_AREAS: Final = replace(ANSWERS, wrong="in the wrong area")


def areas_of(spec: DatasetSpec) -> tuple[str, ...]:
    """The areas that the answers of a dataset are; () for other answers."""
    return spec.areas if isinstance(spec, OwnTable) else ()


def show(data: ComparisonData) -> None:
    """The maps of truth and estimates, if the answers are areas."""
    areas = areas_of(data.setup.scenario.dataset)
    if areas:
        _, labels = areas_on_map(areas)
        stage(_scene(data, areas), STATE.key("maps"), partial(_toggle, data.setup, labels))
        st.caption(escape_markdown(" ".join(remarks(data, areas))))


def remarks(data: ComparisonData, areas: tuple[str, ...]) -> list[str]:
    """What a click does, which areas cannot be seen, and why two maps of plain LDP may differ."""
    names = domain_of(data.setup.scenario).names
    _, labels = areas_on_map(areas)
    _, beyond = main_view(areas)
    unseen = set(range(len(areas))) - set(labels.tolist())
    found = [TEXTS["protect_area"]]
    for text, numbers in ((TEXTS["areas_beyond"], beyond), (TEXTS["areas_unseen"], sorted(unseen))):
        found += [f"{text} {', '.join(names[at] for at in numbers)}."] if numbers else []
    if accuracy.is_plain(data.setup) and data.ours is not None and data.plain is not None:
        plain, ours = (MECHANISMS[r.setup.mechanism_name].title for r in (data.plain, data.ours))
        found += [TEXTS["plain_areas"].format(plain=plain, ours=ours)] if plain != ours else []
    return found


def _scene(data: ComparisonData, areas: tuple[str, ...]) -> Scene:
    setup = data.setup
    results = {scene.PLAIN: ("Plain LDP", data.plain), scene.OURS: ("This protection", data.ours)}
    _, labels = areas_on_map(areas)
    truth = replace(scene.truth(setup, ("blocks",)), title=TEXTS["truth_title"], subtitle="")
    pictures = [replace(truth, code=encode(_in_cells(setup.dataset.distribution, labels)))]
    pictures += [_picture(key, title, r, labels) for key, (title, r) in results.items() if r]
    names = tuple(picture.id for picture in pictures)
    return Scene(
        _ground(setup, areas),
        tuple(pictures),
        setup.n,
        (names[-2] if len(names) > 1 else names[-1], names[-1]),
        actions=(Action("protect", "Protect, or not", {"look": TEXTS["protect_area"]}),),
        scale=scene.scale(setup, data.ours),
        scale_title="share of people in an area:",
        arrangement=Arrangement(names) if len(names) > 2 else None,
        image_name="caldp-areas",
        image_lines=(policies.promise_summary(ANSWERS, setup), policies.setting_text(setup)),
        **scene.shared_pictures(setup, *names[1:]),
    )


def _in_cells(values: Floats, labels: Ints) -> Floats:
    """(cells,) the value of each cell's area, 0 where there is no area."""
    return np.asarray(np.append(values, 0.0)[labels])


def _picture(name: str, title: str, result: Result, labels: Ints) -> Picture:
    shares, n = shares_of(result), result.setup.n
    half = np.maximum(shares.high - shares.estimate, shares.estimate - shares.low)
    number, text = accuracy.wrong_of_hundred(_IN_AREAS, result.first.errors.tv)
    return Picture(
        name,
        title,
        promise.population(result.setup),
        f"Map of the estimate by area, {title}: {number} {text}.",
        encode_people(_in_cells(shares.estimate, labels), n),
        nobody_below(n),
        ("blocks", "sensitive", "open") if name == scene.OURS else ("blocks",),
        Fact(number, text),
        encode_errors(_in_cells(half / _Z, labels)),
    )


def _ground(setup: Setup, areas: tuple[str, ...]) -> Ground:
    grid, labels = areas_on_map(areas)
    names = (*domain_of(setup.scenario).names, "No area of the table")

    def cells(flags: Bools) -> Bools:
        return np.asarray(np.append(flags, False)[labels])

    marked, hatched = cells(setup.sensitive), cells(~ground.protected(setup))
    view, _ = main_view(areas)
    return replace(ground.bare_ground(grid, labels, names, marked, hatched), home=view)


def _toggle(setup: Setup, labels: Ints, act: Act) -> None:
    """Protect the area that was clicked, or no longer."""
    clicked = labels[act.mask(labels.size)]
    if clicked.size and clicked[0] < setup.sensitive.size:
        flags = setup.sensitive.copy()
        flags[clicked[0]] = not flags[clicked[0]]
        update_scenario(STATE, lambda scenario: scenario.with_context(sensitive=spec_of(flags)))
