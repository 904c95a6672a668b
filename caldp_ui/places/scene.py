"""A scenario as a scene of the stage: truth, plain LDP, this protection, and where they are off.

Room: places. Codes of pictures are made once for all visits.
"""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.experiments.run import Result, Setup
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_ui.compute import runs
from caldp_ui.parts.comparison import Shown
from caldp_ui.stage import (
    Blob,
    Difference,
    Fact,
    Ground,
    Picture,
    Scene,
    encode,
    nobody_below,
)
from caldp_ui.words import accuracy, formats, promise
from caldp_ui.words.vocabulary import PLACES

PLAIN: Final = "plain"
OURS: Final = "ours"
_TRUTH: Final = "truth"


def scene(what: Shown, land: Ground, title: str = "This protection", **more: Any) -> Scene:
    """The scene of what there is to show; `title`: what this protection is called.

    `more`: further fields of `Scene`, such as what hands may do.
    """
    setup = what.setup
    nobody = nobody_below(setup.n)
    there = {PLAIN: ("Plain LDP", what.plain), OURS: (title, what.ours)}
    pictures = [_truth(setup)]
    differences = []
    for name, (called, result) in there.items():
        if result is not None:
            pictures.append(_estimate(name, called, result, nobody))
            differences.append(_off(name, called, result, nobody))
    names = [picture.id for picture in pictures]
    return Scene(
        land,
        tuple(pictures),
        setup.n,
        (names[-2] if len(names) > 1 else names[-1], names[-1]),
        tuple(differences),
        film_at=film_at(what.ours) if what.ours else {},
        image_name="caldp-map",
        image_lines=(promise.in_short(setup), setup.dataset.name),
        **more,
    )


def film_at(ours: Result) -> Mapping[str, float]:
    """By film, the value of the step that the scene is."""
    scenario = ours.setup.scenario  # a setup alone is the same for all seeds
    return {"epsilon": promise.strongest(scenario), "draws": float(scenario.seed)}


def error_id(name: str) -> str:
    """The id of the picture of how far that one is from the truth."""
    return f"off-{name}"


def subtitle(result: Result) -> str:
    """How far a picture is off, and by which method it was made."""
    off = accuracy.tv_in_words(PLACES, result.first.errors.tv)
    method = MECHANISMS[result.setup.mechanism_name].title
    return f"{off} · {method}"


def fact(result: Result) -> Fact:
    """The error in large type."""
    number, text = accuracy.wrong_of_hundred(PLACES, result.first.errors.tv)
    return Fact(number, text)


def code(result: Result) -> Blob:
    """The estimate as the browser reads it."""
    return _code(runs.key(result.setup.scenario), result)


def truth_code(setup: Setup) -> Blob:
    """Where people truly are, as the browser reads it: the same whatever is protected."""
    return _truth_code(runs.data_key(setup.scenario), setup)


def _truth(setup: Setup) -> Picture:
    return Picture(
        _TRUTH,
        "Truth",
        f"{formats.people(setup.n)} people, seen here only as this is a demonstration",
        f"Map of where people truly are: {setup.dataset.name}.",
        truth_code(setup),
        marks=(),
    )


def _estimate(name: str, title: str, result: Result, nobody: float) -> Picture:
    told = subtitle(result)
    return Picture(
        name,
        title,
        told,
        f"Map of the estimate from randomised reports, {title}: {told}.",
        code(result),
        nobody,
        ("sensitive",) if name == PLAIN else ("blocks", "sensitive"),
        fact(result),
        _spread(runs.key(result.setup.scenario), result) if name == OURS else None,
    )


def _off(name: str, title: str, result: Result, nobody: float) -> Difference:
    told = subtitle(result)
    return Difference(
        error_id(name),
        f"{title} is off by",
        told,
        f"Map of how far {title} is from the truth in each cell: {told}.",
        name,
        _TRUTH,
        nobody,
        ("sensitive",),
        fact(result),
    )


@st.cache_resource(max_entries=8, show_spinner=False)
def _truth_code(name: str, _setup: Setup) -> Blob:
    del name
    return encode(_setup.dataset.distribution)


@st.cache_resource(max_entries=256, show_spinner=False)
def _code(name: str, _result: Result) -> Blob:
    del name
    return encode(_result.first.estimate)


@st.cache_resource(max_entries=128, show_spinner=False)
def _spread(name: str, _result: Result) -> Blob | None:
    """Standard errors of the unbiased estimate of each cell; None where they are not known."""
    del name
    setup = _result.setup
    try:
        variance = setup.mechanism.variance(setup.dataset.distribution, setup.n)
    except CaldpError:
        return None
    return encode(np.sqrt(np.maximum(variance, 0.0)))
