"""Hypothesis strategies for whole scenarios, of all kinds there are."""

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from itertools import product
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st

from caldp_core import datasets
from caldp_core.basics.limits import (
    EPSILON_MAX,
    EPSILON_MIN,
    K_MAX,
    KM_MAX,
    KM_MIN,
    N_MAX,
    SEED_MAX,
    THETA_MAX,
    THETA_MIN,
    TRIALS_MAX,
)
from caldp_core.datasets.public_map import NoPrior, PublicMap
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.mechanisms import catalogue
from caldp_core.scenarios import blocks
from caldp_core.scenarios.blocks import PolygonBlocks
from caldp_core.scenarios.policies import (
    BACKGROUNDS,
    BinaryQuestion,
    ContextPolicy,
    CrowFlies,
    Distances,
    Line,
    MatrixPolicy,
    PersonalTags,
    Streets,
)
from caldp_core.scenarios.scenario import Best, Scenario

EPSILONS = st.floats(EPSILON_MIN, EPSILON_MAX)
K = st.integers(1, K_MAX)
SEED = st.integers(0, SEED_MAX)
RATE = st.floats(1e-6, 1 - 1e-6)


@st.composite
def areas(draw: st.DrawFn) -> str:
    """A rectangle in degrees, written as in files and links; edges in tenths of them."""
    south, west = draw(st.integers(-890, 880)), draw(st.integers(-1790, 1780))
    north, east = draw(st.integers(south + 1, 890)), draw(st.integers(west + 1, 1790))
    return f"{south / 10},{north / 10},{west / 10:g},{east / 10:g}"


@st.composite
def snaps(draw: st.DrawFn) -> datasets.Snap:
    """A check-in file, which need not be there, on a map of whole cells."""
    cell = draw(st.sampled_from([5.0, 1.0, 0.5]))
    south, west = draw(st.integers(-890, 850)) / 10, draw(st.integers(-1790, 1750)) / 10
    north = south + cell * draw(st.integers(1, int((90 - south) / cell)))
    east = west + cell * draw(st.integers(1, int((180 - west) / cell)))
    return datasets.Snap(draw(PATHS), f"{south:g},{north:g},{west:g},{east:g}", cell)


WORDS = (
    st.text("aé漢'\"<%;,|\\&= ", min_size=1, max_size=8)
    .map(lambda text: " ".join(text.split()))
    .filter(bool)
)
"""Names that people give answers, with signs that files, links and pages have uses for."""


@st.composite
def own_tables(draw: st.DrawFn) -> datasets.OwnTable:
    """A table of one's own, with groups or without."""
    names = draw(st.lists(WORDS, min_size=2, max_size=6, unique=True))
    counts = draw(st.lists(st.integers(0, 10**6), min_size=len(names), max_size=len(names)))
    groups = draw(st.lists(WORDS, min_size=len(names), max_size=len(names)) | st.just([]))
    counts[0] += 1  # somebody is there
    return datasets.OwnTable(tuple(names), tuple(counts), tuple(groups), draw(WORDS))


@st.composite
def own_surveys(draw: st.DrawFn) -> datasets.OwnSurvey:
    """A survey of one's own with two or three questions."""
    titles = draw(st.lists(WORDS, min_size=2, max_size=3, unique=True))
    tables = tuple(replace(draw(own_tables()), groups=(), title=title) for title in titles)
    survey = datasets.OwnSurvey.of(tables, draw(WORDS))
    return replace(survey, selected=draw(st.integers(0, len(titles) - 1)))


EDITS = st.builds(lambda sign, area: sign + area, st.sampled_from(["+", "-", "+b", "-b"]), areas())
SYMBOL_RUNS = st.tuples(st.integers(0, 999), st.integers(0, 999)).map(
    lambda run: f"{min(run)}-{max(run)}" if run[0] != run[1] else str(run[0])
)
SYMBOL_BLOCKS = st.lists(SYMBOL_RUNS, min_size=1, max_size=3).map(",".join)
PATHS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1)

DATASETS = {
    "gowalla": st.builds(
        datasets.Gowalla,
        st.sampled_from(("25,50,-130,-60", "39.8,42.6,-77.2,-71")),
        st.sampled_from((1, 2, 5)),
    ),
    "snap": snaps(),
    "cities": st.builds(
        datasets.Cities,
        cities=st.integers(1, 1000),
        spread_km=st.floats(1, 1000),
        background=st.floats(0, 1),
        seed=SEED,
        together=st.integers(1, 9),
    ),
    "uniform": st.builds(datasets.Uniform, k=K),
    "geometric": st.builds(datasets.Geometric, k=K, rate=RATE),
    "permuted-geometric": st.builds(datasets.PermutedGeometric, k=K, rate=RATE, seed=SEED),
    "zipf": st.builds(datasets.Zipf, k=K, rate=st.floats(0, 10)),
    "survey": st.builds(datasets.Survey, table=st.sampled_from(sorted(datasets.SURVEYS))),
    "web-visits": st.builds(datasets.WebVisits, rate=st.floats(0, 10), seed=SEED),
    "infant-deaths": st.builds(datasets.InfantDeaths),
    "yes-or-no": st.builds(datasets.YesOrNo, yes=st.floats(0, 1)),
    "table": own_tables(),
    "questions": own_surveys(),
    "places": st.builds(
        datasets.OwnPlaces,
        people=st.dictionaries(st.integers(0, 5), st.integers(1, 10**6), min_size=1).map(
            lambda people: " ".join(f"{cell}:{people[cell]}" for cell in sorted(people))
        ),
        area=st.just("10,12,-3,0"),
        cell=st.just(1.0),
        title=WORDS,
        part=st.sampled_from(("", "10,11,-3,-1")),
        together=st.integers(1, 3),
    ),
}
BLOCKS = {
    "one": st.builds(blocks.OneBlock),
    "grid": st.builds(blocks.GridBlocks, rows=K, columns=K),
    "states": st.builds(blocks.StateBlocks),
    "countries": st.builds(blocks.CountryBlocks),
    "regions": st.builds(blocks.RegionBlocks),
    "hexagons": st.builds(blocks.HexagonBlocks, resolution=st.integers(0, 15)),
    "adaptive": st.builds(blocks.AdaptiveBlocks, blocks=K),
    "drawn": st.builds(blocks.DrawnBlocks, areas=st.lists(areas(), max_size=4).map(tuple)),
    "polygons": st.lists(WORDS, max_size=3, unique=True).map(
        lambda names: PolygonBlocks(
            tuple(names),
            ("1,1 5,-2.5 3.25,4", "0,0 9,9 9,0 / 6,2 6,4 7,3", "-90,1 0,1 2,2")[: len(names)],
        )
    ),
    "runs": st.builds(blocks.EvenRuns, blocks=K),
    "groups": st.builds(blocks.GroupBlocks),
    "symbols": st.builds(
        blocks.SymbolBlocks, blocks=st.lists(SYMBOL_BLOCKS, max_size=4).map(tuple)
    ),
}
SENSITIVE = {
    "everything": st.builds(blocks.EverythingSensitive),
    "areas": st.builds(blocks.SensitiveAreas, edits=st.lists(EDITS, max_size=4).map(tuple)),
    "near": st.builds(
        blocks.SensitiveNear,
        points=st.lists(st.sampled_from(["48.85,2.35", "-0.5,179.9", "89,0"]), max_size=3).map(
            tuple
        ),
        km=st.floats(0.0, 1_000.0),
    ),
    "inhabited": st.builds(
        blocks.SensitiveInhabited, least=st.integers(0, 1000), most=st.integers(1000, N_MAX)
    ),
    "symbols": st.builds(
        blocks.SensitiveSymbols, runs=st.lists(SYMBOL_RUNS, max_size=4).map(tuple)
    ),
}
KM = st.floats(KM_MIN, KM_MAX)
LEVELS = st.floats(0, allow_nan=False)  # up to ∞


@st.composite
def matrices(draw: st.DrawFn) -> tuple[tuple[float, ...], ...]:
    """Square, with 0 on the diagonal."""
    k = draw(st.integers(1, 4))
    return tuple(tuple(0.0 if x == y else draw(LEVELS) for y in range(k)) for x in range(k))


def on_a_line(places: list[int]) -> tuple[tuple[float, ...], ...]:
    """Distances of places on a line: a table that keeps the triangle inequality."""
    return tuple(tuple(float(abs(x - y)) for y in places) for x in places)


POLICIES = {
    "context": st.builds(
        ContextPolicy,
        blocks=st.one_of(*BLOCKS.values()),
        sensitive=st.one_of(*SENSITIVE.values()),
        epsilon=st.one_of(EPSILONS, st.lists(EPSILONS, min_size=2, max_size=5).map(tuple)),
    ),
    "streets": st.builds(Streets, epsilon=EPSILONS, km=KM),
    "crow-flies": st.builds(CrowFlies, epsilon=EPSILONS, km=KM),
    "line": st.builds(Line, epsilon=EPSILONS),
    "distances": st.builds(
        Distances,
        rows=st.lists(st.integers(0, 99), min_size=1, max_size=4).map(on_a_line),
        epsilon=EPSILONS,
    ),
    "binary": st.builds(BinaryQuestion, epsilon_01=LEVELS, epsilon_10=LEVELS),
    "matrix": st.builds(MatrixPolicy, rows=matrices()),
    "personal-tags": st.builds(
        PersonalTags,
        sensitive=st.one_of(*SENSITIVE.values()),
        shares=st.lists(st.floats(0, 0.2), min_size=1, max_size=4).map(tuple),
        background=st.sampled_from(sorted(BACKGROUNDS)),
        epsilon=EPSILONS,
    ),
}
SHARES = st.floats(0.0, 1.0)
THETAS = st.none() | st.floats(THETA_MIN, THETA_MAX)
MECHANISMS = {
    "best": st.builds(Best),
    "hadamard": st.builds(catalogue.Hadamard, parts=st.none() | st.integers(1, K_MAX)),
    "randomized-response": st.builds(catalogue.RandomizedResponse),
    "rappor": st.builds(catalogue.Rappor, theta=THETAS),
    "oue": st.builds(catalogue.Oue),
    "subset-selection": st.builds(
        catalogue.SubsetSelection, omega=st.none() | st.integers(1, K_MAX)
    )
    | st.builds(catalogue.SubsetSelection, share=SHARES),
    "local-hashing": st.builds(catalogue.LocalHashing, g=st.none() | st.integers(2, K_MAX)),
    "galois": st.builds(catalogue.Galois, q=st.none() | st.integers(1, 10).map(lambda m: 1 << m))
    | st.builds(catalogue.Galois, share=SHARES),
    "published-urap": st.builds(catalogue.PublishedUrap, theta=THETAS),
    "square-wave": st.builds(catalogue.SquareWave),
    "binary": st.builds(catalogue.Binary),
    "grid-geometric": st.builds(catalogue.GridGeometric),
    "exponential": st.builds(catalogue.Exponential),
    "designed": st.builds(catalogue.Designed),
    "planar-geometric": st.builds(catalogue.PlanarGeometric),
    "best-kernel": st.builds(catalogue.BestKernel),
    "stepped-geometric": st.builds(catalogue.SteppedGeometric),
    "installed": st.builds(catalogue.Installed, WORDS),
}
PRIORS = {
    "none": st.just(NoPrior()),
    "map": st.builds(PublicMap, st.just("3:2 24:1"), st.just("25,26,-130,-129"), st.just(0.2)),
}
EVERY = {
    "dataset": DATASETS,
    "policy": POLICIES,
    "blocks": BLOCKS,
    "sensitive": SENSITIVE,
    "mechanism": MECHANISMS,
    "prior": PRIORS,
}
"""Slot → kind → strategy."""
SCENARIOS = st.builds(
    Scenario,
    dataset=st.one_of(*DATASETS.values()),
    policy=st.one_of(*POLICIES.values()),
    mechanism=st.one_of(*MECHANISMS.values()),
    estimator=st.sampled_from(sorted(ESTIMATORS)),
    n=st.one_of(st.none(), st.integers(1, N_MAX)),
    trials=st.integers(1, TRIALS_MAX),
    seed=SEED,
    prior=st.one_of(*PRIORS.values()),
)


def names_of(cls: Any) -> set[str]:
    """The fields of a kind of record."""
    return {field.name for field in fields(cls)}


def examples(one_in: int) -> settings:
    """For properties of which each example reads a file: a part of others' examples."""
    return settings(max_examples=settings().max_examples // one_in)


def thinned(*axes: Iterable[Any], one_in: int, of: int = 1) -> list[Any]:
    """Combinations as parameters; all but one in this many are marked `thorough`.

    Those that run by default lie on diagonals: each value of one axis meets several of the others.
    `of`: only one combination in this many runs at all, on diagonals, too.
    """
    numbered: list[Sequence[tuple[int, Any]]] = [list(enumerate(axis)) for axis in axes]
    return [
        pytest.param(
            *(value for _, value in case),
            marks=() if diagonal % (of * one_in) == 0 else pytest.mark.thorough,
        )
        for case in product(*numbered)
        if (diagonal := sum(number for number, _ in case)) % of == 0
    ]
