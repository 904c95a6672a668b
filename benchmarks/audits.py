"""The exact audit of all k² pairs of symbols: time, and memory beyond what was there."""

import tracemalloc
from collections.abc import Callable, Iterator

from benchmarks.figures import Bar, Figure, measure_time
from benchmarks.sizes import Sizes
from caldp_core.audit.blockwise import audit_context
from caldp_core.mechanisms import FAMILIES, ContextMechanism, registry
from caldp_core.mechanisms.structures import HasChannelRows
from caldp_core.privacy.context import Context


def figures(sizes: Sizes) -> Iterator[Figure]:
    """Plain LDP on the paper's map, in one block: the largest audit that anyone needs.

    Families that stream their rows have every entry looked at, the others the channel's form.
    """
    context = Context.plain(sizes.audit_k, 1.0)
    for family in FAMILIES:
        mechanism = registry.in_context(context, family)
        work = f"exact audit, k = {context.k:,}, {family}"
        unit, most = ("s", 10) if isinstance(mechanism.oracles, HasChannelRows) else ("ms", 100)
        yield measure_time(work, unit, _audit(mechanism), sizes.long_repeats, Bar("≤", most))
        peak = _peak_megabytes(mechanism)
        yield Figure.of(f"memory of the {work}", "MB", [peak], Bar("≤", 500))


def _audit(mechanism: ContextMechanism) -> Callable[[int], object]:
    def action(run: int) -> object:
        del run
        return audit_context(mechanism)

    return action


def _peak_megabytes(mechanism: ContextMechanism) -> float:
    tracemalloc.start()
    try:
        audit_context(mechanism)
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()
