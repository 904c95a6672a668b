"""Every family at one size, real reports and all: its time, its error, and the peers' beside them.

The peers work person by person, so few people are enough to time them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from statistics import median
from time import perf_counter
from typing import Final

import numpy as np

from benchmarks import families_by_epsilon
from benchmarks.figures import SECONDS_IN, Bar, Figure, ratio, share
from benchmarks.peers import EPSILON, PEERS, Collect, Peer, skipped
from benchmarks.sizes import Sizes
from caldp_core.basics.types import Floats, Ints
from caldp_core.datasets import Zipf
from caldp_core.mechanisms import FAMILIES, ContextMechanism, registry
from caldp_core.privacy.context import Context

_QUICK: Final = ("hadamard", "randomized-response", "galois")
_PROJECTIVE: Final = Figure.of(
    "projective geometry response, as published, a person",
    "µs",
    [0.36],
    note="C++ on the authors' machine, client and server (Feldman et al. 2022)",
)


@dataclass(frozen=True)
class _Crowd:
    """People of Zipf(1): `p`, (k,) shares, and `x`, (n,) one symbol a person drawn from them."""

    p: Floats
    x: Ints

    def errors(self, estimates: list[Floats]) -> list[float]:
        """n times the mean squared error a symbol, of each estimate."""
        return [self.x.size * float(((each - self.p) ** 2).mean()) for each in estimates]


def figures(sizes: Sizes) -> Iterator[Figure]:
    """Each family's time and error, then its peers', as ratios to ours."""
    k = sizes.family_k
    p = Zipf(k, 1.0).load().distribution
    x = np.random.default_rng(1).choice(k, sizes.family_users, p=p)
    crowd, few = _Crowd(p, x), _Crowd(p, x[: sizes.family_peer_users])
    for family in FAMILIES:
        mechanism = registry.in_context(Context.plain(k, EPSILON), family)
        whole, estimates = _measure_ours(mechanism, crowd, sizes.long_repeats)
        each = share(f"the same, a person, {family}", "ns", whole, x.size)
        exact = x.size * float(mechanism.variance(p, x.size).mean())
        yield from (whole, each, _error(f"n·MSE / exact, {family}", crowd, estimates, exact))
        if family == "galois":
            yield _PROJECTIVE
            yield ratio("projective geometry response / caldp, a person, galois", _PROJECTIVE, each)
        for peer in PEERS:
            if peer.family == family:
                yield from _compare_with_peer(peer, mechanism, few, each, sizes)
    yield from families_by_epsilon.figures(sizes)


def _measure_ours(
    mechanism: ContextMechanism, crowd: _Crowd, repeats: int
) -> tuple[Figure, list[Floats]]:
    """Privatize, tally and estimate, all timed."""
    k, n = mechanism.k, crowd.x.size
    bar = Bar("≤", 0.2 if mechanism.name in _QUICK else 10)
    work = f"{n:,} reports and estimate, k = {k:,}, {mechanism.name}"
    return _measure(work, "s", _collector(mechanism, crowd.x), repeats, bar)


def _collector(mechanism: ContextMechanism, x: Ints) -> Collect:
    rng = np.random.default_rng(2)

    def collect() -> Callable[[], Floats]:
        estimate = mechanism.estimate(mechanism.tally(mechanism.privatize(x, rng)))
        return lambda: estimate

    return collect


def _measure(
    work: str, unit: str, collect: Collect, repeats: int, bar: Bar | None = None
) -> tuple[Figure, list[Floats]]:
    """A figure as by `measure_time`, and the estimates of the runs that count."""
    if repeats > 1:
        collect()
    times, estimates = [], []
    for _ in range(repeats):
        started = perf_counter()
        estimate = collect()
        times.append((perf_counter() - started) / SECONDS_IN[unit])
        estimates.append(estimate())
    return Figure.of(work, unit, times, bar), estimates


def _error(
    work: str, crowd: _Crowd, estimates: list[Floats], under: float, reference: str = "exact"
) -> Figure:
    errors = [error / under for error in crowd.errors(estimates)]
    note = f"n·MSE {median(errors) * under:.3g}, {reference} {under:.3g}"
    return Figure.of(work, "×", errors, note=note)


def _compare_with_peer(
    peer: Peer, mechanism: ContextMechanism, few: _Crowd, each: Figure, sizes: Sizes
) -> Iterator[Figure]:
    """A peer's time a person, its ratio to ours, and its error's; one line if it cannot run."""
    work = f"{peer.title}, a person, {peer.family}"
    symbols, n = few.x.tolist(), few.x.size
    try:
        peer.collector(symbols[:1], mechanism.k)()
    except (ImportError, TypeError) as error:  # the latter: xxhash 4 hashes no texts
        yield skipped(peer, work, error)
        return
    collect = peer.collector(symbols, mechanism.k)
    whole, estimates = _measure(work, "s", collect, sizes.long_repeats)
    theirs = share(work, "µs", whole, n)
    yield replace(theirs, note=f"timed on {n:,} people")
    yield ratio(f"{peer.title} / caldp, a person, {peer.family}", theirs, each)
    our_error, reference = _our_error(mechanism, few, peer.clips, sizes.repeats)
    work = f"n·MSE, {peer.title} / caldp, {peer.family}"
    yield _error(work, few, estimates, our_error, reference)


def _our_error(
    mechanism: ContextMechanism, few: _Crowd, clips: bool, repeats: int
) -> tuple[float, str]:
    """Exact where the peer is unbiased; else measured on as many people, clipped as it clips."""
    n = few.x.size
    if not clips:
        return n * float(mechanism.variance(few.p, n).mean()), "ours"
    collect = _collector(mechanism, few.x)
    clipped = [_clipped(collect()()) for _ in range(repeats)]
    return median(few.errors(clipped)), "ours clipped alike"


def _clipped(estimate: Floats) -> Floats:
    positive = estimate.clip(0)
    shares: Floats = positive / positive.sum()
    return shares
