"""A map of 24 cells, small enough for exact channels, set up as the dashboard sets up its own."""

import numpy as np

from caldp_core.basics.types import Floats
from caldp_core.datasets import Dataset
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.run import Setup, prepare
from caldp_core.mechanisms.catalogue import Hadamard
from caldp_core.scenarios.blocks import (
    BlocksSpec,
    DrawnBlocks,
    EverythingSensitive,
    GridBlocks,
    OneBlock,
    SensitiveAreas,
    SensitiveSpec,
)
from caldp_core.scenarios.scenario import Scenario

SMALL = GridDomain(south=10.0, west=-20.0, cell=1.0, rows=4, columns=6)
_COUNTS = np.arange(1, SMALL.k + 1)
DATASET = Dataset("24 cells", "Made for tests.", SMALL, _COUNTS / _COUNTS.sum(), _COUNTS)
CORNER = SensitiveAreas(("+10,12,-20,-18",))

CONTEXTS: dict[str, tuple[BlocksSpec, SensitiveSpec]] = {
    "plain LDP": (OneBlock(), EverythingSensitive()),
    "blocks": (GridBlocks(2, 3), EverythingSensitive()),
    "drawn blocks": (DrawnBlocks(("10,12,-20,-18",)), EverythingSensitive()),
    "sensitive corner": (OneBlock(), CORNER),
    "blocks and corner": (GridBlocks(2, 2), CORNER),
    "blocks of one cell": (GridBlocks(4, 6), EverythingSensitive()),
    "some blocks of one cell": (DrawnBlocks(("10,11,-20,-19",)), EverythingSensitive()),
    "nothing": (OneBlock(), SensitiveAreas(())),
}


def setup_of(name: str, epsilon: float = 1.0) -> Setup:
    blocks, sensitive = CONTEXTS[name]
    short = Scenario(mechanism=Hadamard())  # its channel is small enough to be written out
    scenario = short.with_context(blocks=blocks, sensitive=sensitive, epsilon=epsilon)
    return prepare(scenario, load=lambda s, p: DATASET)


def channel_of(setup: Setup) -> Floats:
    """(k, outputs) exact probabilities as floats."""
    rows = setup.mechanism.exact_channel()
    return np.array([[float(entry) for entry in row] for row in rows])
