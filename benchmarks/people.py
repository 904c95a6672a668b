"""Real reports, one a person, and the estimate from them: ours beside pure-ldp's.

pure-ldp is the best-known Python library of LDP frequency oracles; it works person by person.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from benchmarks.figures import Bar, Figure, measure_time, ratio, share
from benchmarks.peers import EPSILON, HADAMARD, skipped
from benchmarks.sizes import Sizes
from caldp_core.basics.types import Ints
from caldp_core.datasets import Dataset, Gowalla
from caldp_core.domain.grid import GridDomain
from caldp_core.domain.partitions import grid_blocks, single_block
from caldp_core.mechanisms import ContextMechanism, registry
from caldp_core.privacy.context import Context

_PEER_REPEATS = 3


def contexts(dataset: Dataset) -> Iterator[tuple[str, ContextMechanism]]:
    """Plain LDP and the paper's 25 × 35 blocks, both with Hadamard response at ε = 1."""
    domain = dataset.domain
    assert isinstance(domain, GridDomain)  # Gowalla is a map
    for name, partition in (
        ("plain LDP", single_block(domain)),
        ("25 × 35 blocks", grid_blocks(domain, 25, 35)),
    ):
        context = Context.block_structured(partition.labels, EPSILON)
        yield name, registry.in_context(context, "hadamard")


def figures(sizes: Sizes) -> Iterator[Figure]:
    """Privatize, tally and estimate in each context; then a person's share against the peer's."""
    dataset = Gowalla().load()
    x = _shuffled(dataset, sizes.people)
    ours = []
    for name, mechanism in contexts(dataset):
        work = f"{x.size:,} reports and estimate, {name}"
        everybody = measure_time(
            work, "ms", _round_trip(mechanism, x), sizes.repeats, Bar("≤", 150)
        )
        ours.append((name, share(f"the same, a person, {name}", "ns", everybody, x.size)))
        yield from (everybody, ours[-1][1])
    peer = _peer(x[: sizes.peer_users], dataset.domain.k)
    yield peer
    for name, each in ours:
        yield ratio(f"pure-ldp / caldp, a person, {name}", peer, each, Bar("≥", 200))


def _shuffled(dataset: Dataset, people: int) -> Ints:
    """(n,) one cell a person; shuffled, as no server gets its people sorted by place."""
    assert dataset.counts is not None  # Gowalla holds real people
    x = np.repeat(np.arange(dataset.domain.k), dataset.counts)
    np.random.default_rng(1).shuffle(x)
    return x[:people]


def _round_trip(mechanism: ContextMechanism, x: Ints) -> Callable[[int], object]:
    def action(run: int) -> object:
        reports = mechanism.privatize(x, np.random.default_rng(run))
        return mechanism.estimate(mechanism.tally(reports))

    return action


def _peer(x: Ints, k: int) -> Figure:
    work, symbols = "pure-ldp's Hadamard response, a person", x.tolist()
    try:
        HADAMARD.collector(symbols[:1], k)()
    except (ImportError, TypeError) as error:  # the latter: Python 3.12 draws from no floats
        return skipped(HADAMARD, work, error)
    collect = HADAMARD.collector(symbols, k)
    whole = measure_time(work, "s", lambda _: collect(), _PEER_REPEATS)
    note = f"timed on {x.size:,} people, its estimate left out"
    return replace(share(work, "µs", whole, x.size), note=note)
