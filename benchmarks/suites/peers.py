"""Clients and servers of other libraries, which work person by person, at ε = 1.

pure-ldp is that of Cormode, Maddock, Maple 2021, multi-freq-ldpy that of Arcolezi et al. 2022.
benchmarks/README.md says how to install them; without them, what needs them is skipped.
"""

from collections.abc import Callable
from importlib import import_module
from statistics import median
from time import perf_counter
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from caldp_core.basics.types import Floats

EPSILON: Final = 1.0
_ROUNDS: Final = 3
Collector: TypeAlias = tuple[bool, Callable[[], None], Callable[[], Floats]]
"""Whether estimates are clipped to a distribution; the timed part; the (k,) estimate from it."""


class Stopwatch:
    """Wall time of what runs in turn with something else."""

    @staticmethod
    def seconds(action: Callable[[], object]) -> float:
        """Seconds of one run."""
        started = perf_counter()
        action()
        return perf_counter() - started

    @staticmethod
    def median(action: Callable[[], object]) -> float:
        """Median seconds of some runs."""
        return median(Stopwatch.seconds(action) for _ in range(_ROUNDS))

    @staticmethod
    def ratio(over: Callable[[], object], under: Callable[[], object]) -> float:
        """Median seconds of `over` over those of `under`, run in turn after one round."""
        pairs = [(Stopwatch.seconds(over), Stopwatch.seconds(under)) for _ in range(_ROUNDS + 1)]
        first, second = zip(*pairs[1:], strict=True)
        return float(median(first) / median(second))


def library(name: str) -> Any:
    """A module of a peer; raises `NotImplementedError`, for which asv skips, without it."""
    try:
        return import_module(name)
    except ImportError as error:
        raise NotImplementedError(str(error)) from error


class Peer(NamedTuple):
    """A peer's implementation of one of our families; `start`: symbols and k → a collector."""

    family: str
    start: Callable[[list[int], int], Collector]

    def start_here(self, symbols: list[int], k: int) -> Collector:
        """As `start`; raises `NotImplementedError` if the peer cannot run on this machine."""
        try:  # xxhash 4 hashes no texts; Python 3.12 draws no whole numbers from floats
            self.start(symbols[:1], k)[1]()
        except TypeError as error:
            raise NotImplementedError(str(error)) from error
        return self.start(symbols, k)


def _pure_ldp(
    family: str, module: str, prefix: str, client: dict[str, Any], server: dict[str, Any]
) -> Peer:
    """pure-ldp: only its `privatise` and `aggregate` are timed."""

    def start(symbols: list[int], k: int) -> Collector:
        found = library(f"pure_ldp.frequency_oracles.{module}")
        one = getattr(found, f"{prefix}Client")(EPSILON, k, **client)
        all_ = getattr(found, f"{prefix}Server")(EPSILON, k, **server)

        def collect() -> None:
            all_.reset()
            if hasattr(all_, "hash_counts"):
                all_.hash_counts[:] = 0  # its reset leaves them
            for symbol in symbols:
                all_.aggregate(one.privatise(symbol + 1))  # its items count from 1

        def estimate() -> Floats:
            all_.check_and_update_estimates()
            return np.asarray(all_.estimated_data, float) / float(all_.n)

        return False, collect, estimate

    return Peer(family, start)


def _multi_freq(family: str, prefix: str, **options: Any) -> Peer:
    """multi-freq-ldpy: its aggregator estimates, too, so all is timed."""

    def start(symbols: list[int], k: int) -> Collector:
        found = library(f"multi_freq_ldpy.pure_frequency_oracles.{prefix}")
        client, aggregator = (getattr(found, f"{prefix}_{x}") for x in ("Client", "Aggregator_MI"))
        domain = {} if prefix == "UE" else {"k": k}
        estimates: list[Any] = []

        def collect() -> None:
            reports = [client(symbol, k, EPSILON, **options) for symbol in symbols]
            estimates[:] = [aggregator(reports, epsilon=EPSILON, **domain, **options)]

        return True, collect, lambda: np.asarray(estimates[0], float)

    return Peer(family, start)


_OUE: Final = {"use_oue": True}
_OLH: Final = {"use_olh": True}
_FAST: Final = {"k": 1000, "use_olh": True}  # hash functions that all share
PEERS: Final = {
    "hadamard, pure-ldp": _pure_ldp(
        "hadamard", "hadamard_response", "HadamardResponse", {"hash_funcs": None}, {}
    ),
    "randomized-response, pure-ldp": _pure_ldp(
        "randomized-response", "direct_encoding", "DE", {}, {}
    ),
    "rappor, pure-ldp": _pure_ldp("rappor", "unary_encoding", "UE", {}, {}),
    "oue, pure-ldp": _pure_ldp("oue", "unary_encoding", "UE", _OUE, _OUE),
    "local-hashing, pure-ldp": _pure_ldp("local-hashing", "local_hashing", "LH", _OLH, _OLH),
    "local-hashing, pure-ldp's fast variant": _pure_ldp(
        "local-hashing", "local_hashing", "FastLH", _FAST, _FAST
    ),
    "randomized-response, multi-freq-ldpy": _multi_freq("randomized-response", "GRR"),
    "rappor, multi-freq-ldpy": _multi_freq("rappor", "UE", optimal=False),
    "oue, multi-freq-ldpy": _multi_freq("oue", "UE", optimal=True),
    "subset-selection, multi-freq-ldpy": _multi_freq("subset-selection", "SS"),
    "local-hashing, multi-freq-ldpy": _multi_freq("local-hashing", "LH", optimal=True),
}
