"""What other work is timed beside, and pure-ldp (Cormode, Maddock, Maple 2021) at ε = 1.

benchmarks/README.md says how to install it; without it, what needs it is skipped.
"""

from collections.abc import Callable
from importlib import import_module
from statistics import median
from time import perf_counter
from typing import Any, Final

EPSILON: Final = 1.0
_ROUNDS: Final = 3


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


def collector(symbols: list[int], k: int) -> Callable[[], None]:
    """pure-ldp's Hadamard response: `privatise` and `aggregate`, without its estimate.

    Raises `NotImplementedError` if it cannot run on this machine.
    """
    found = library("pure_ldp.frequency_oracles.hadamard_response")
    one = found.HadamardResponseClient(EPSILON, k, hash_funcs=None)
    everybody = found.HadamardResponseServer(EPSILON, k)

    def collect() -> None:
        everybody.reset()
        for symbol in symbols:
            everybody.aggregate(one.privatise(symbol + 1))  # its items count from 1

    try:  # Python 3.12 draws no whole numbers from floats
        everybody.aggregate(one.privatise(1))
    except TypeError as error:
        raise NotImplementedError(str(error)) from error
    return collect
