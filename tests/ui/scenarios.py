"""Scenarios that differ from each other in one thing each, and together in all things."""

from dataclasses import replace

from caldp_core.datasets import Cities
from caldp_core.mechanisms.catalogue import RandomizedResponse
from caldp_core.scenarios.blocks import (
    AdaptiveBlocks,
    DrawnBlocks,
    GridBlocks,
    OneBlock,
    SensitiveAreas,
    SensitiveInhabited,
    StateBlocks,
)
from caldp_core.scenarios.scenario import Scenario

BASE = Scenario(n=100_000)
VARIED: dict[str, Scenario] = {
    "base": BASE,
    "the data": replace(BASE, n=None),
    "cities": replace(BASE, dataset=Cities()),
    "other cities": replace(BASE, dataset=Cities(cities=7, spread_km=60.0)),
    "one block": BASE.with_context(blocks=OneBlock()),
    "coarse": BASE.with_context(blocks=GridBlocks(5, 7)),
    "states": BASE.with_context(blocks=StateBlocks()),
    "adaptive": BASE.with_context(blocks=AdaptiveBlocks(100)),
    "drawn": BASE.with_context(blocks=DrawnBlocks(("40,41,-75,-73", "33,34.2,-119,-117"))),
    "areas": BASE.with_context(sensitive=SensitiveAreas(("+40,41,-75,-73", "-b40,40.2,-74,-73.8"))),
    "nothing": BASE.with_context(sensitive=SensitiveAreas(())),
    "inhabited": BASE.with_context(sensitive=SensitiveInhabited(1, 2000)),
    "epsilon": BASE.with_context(epsilon=0.25),
    "epsilons": BASE.with_context(blocks=GridBlocks(1, 2), epsilon=(0.5, 3.0)),
    "family": replace(BASE, mechanism=RandomizedResponse()),
    "estimator": replace(BASE, estimator="clip"),
    "seed": replace(BASE, seed=2**32 - 1),
}
