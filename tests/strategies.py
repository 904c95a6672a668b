"""Hypothesis strategies for whole scenarios, of all kinds there are."""

from hypothesis import strategies as st

from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN, K_MAX, N_MAX, SEED_MAX, TRIALS_MAX
from caldp_core.datasets import Cities, Geometric, Gowalla, PermutedGeometric, Snap, Uniform, Zipf
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.mechanisms import FAMILIES
from caldp_core.scenarios.protection import (
    AdaptiveBlocks,
    DrawnBlocks,
    EvenRuns,
    EverythingSensitive,
    GridBlocks,
    OneBlock,
    SensitiveAreas,
    SensitiveInhabited,
    SensitiveSymbols,
    StateBlocks,
)
from caldp_core.scenarios.scenario import Scenario

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
def snaps(draw: st.DrawFn) -> Snap:
    """A check-in file, which need not be there, on a map of whole cells."""
    cell = draw(st.sampled_from([5.0, 1.0, 0.5]))
    south, west = draw(st.integers(-890, 850)) / 10, draw(st.integers(-1790, 1750)) / 10
    north = south + cell * draw(st.integers(1, int((90 - south) / cell)))
    east = west + cell * draw(st.integers(1, int((180 - west) / cell)))
    return Snap(draw(PATHS), f"{south:g},{north:g},{west:g},{east:g}", cell)


EDITS = st.builds(lambda sign, area: sign + area, st.sampled_from(["+", "-", "+b", "-b"]), areas())
SYMBOL_RUNS = st.tuples(st.integers(0, 999), st.integers(0, 999)).map(
    lambda run: f"{min(run)}-{max(run)}" if run[0] != run[1] else str(run[0])
)
PATHS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1)

DATASETS = {
    "gowalla": st.builds(Gowalla),
    "snap": snaps(),
    "cities": st.builds(
        Cities,
        cities=st.integers(1, 1000),
        spread_km=st.floats(1, 1000),
        background=st.floats(0, 1),
        seed=SEED,
    ),
    "uniform": st.builds(Uniform, k=K),
    "geometric": st.builds(Geometric, k=K, rate=RATE),
    "permuted-geometric": st.builds(PermutedGeometric, k=K, rate=RATE, seed=SEED),
    "zipf": st.builds(Zipf, k=K, rate=st.floats(0, 10)),
}
BLOCKS = {
    "one": st.builds(OneBlock),
    "grid": st.builds(GridBlocks, rows=K, columns=K),
    "states": st.builds(StateBlocks),
    "adaptive": st.builds(AdaptiveBlocks, blocks=K),
    "drawn": st.builds(DrawnBlocks, areas=st.lists(areas(), max_size=4).map(tuple)),
    "runs": st.builds(EvenRuns, blocks=K),
}
SENSITIVE = {
    "everything": st.builds(EverythingSensitive),
    "areas": st.builds(SensitiveAreas, edits=st.lists(EDITS, max_size=4).map(tuple)),
    "inhabited": st.builds(
        SensitiveInhabited, least=st.integers(0, 1000), most=st.integers(1000, N_MAX)
    ),
    "symbols": st.builds(SensitiveSymbols, runs=st.lists(SYMBOL_RUNS, max_size=4).map(tuple)),
}
SCENARIOS = st.builds(
    Scenario,
    dataset=st.one_of(*DATASETS.values()),
    blocks=st.one_of(*BLOCKS.values()),
    sensitive=st.one_of(*SENSITIVE.values()),
    epsilon=st.one_of(EPSILONS, st.lists(EPSILONS, min_size=2, max_size=5).map(tuple)),
    family=st.sampled_from(sorted(FAMILIES)),
    estimator=st.sampled_from(sorted(ESTIMATORS)),
    n=st.one_of(st.none(), st.integers(1, N_MAX)),
    trials=st.integers(1, TRIALS_MAX),
    seed=SEED,
)
