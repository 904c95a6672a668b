"""Hadamard response, its general form with B parts, and Galois response, at several ε.

The second half of `families`. The general form is the one of Acharya, Sun and Zhang's published
runs, with their B.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from benchmarks.figures import Figure, measure_time, share
from benchmarks.sizes import Sizes
from caldp_core.basics.types import Ints
from caldp_core.mechanisms import ContextMechanism
from caldp_core.mechanisms.specs import FamilySpec, Galois, Hadamard
from caldp_core.privacy.context import Context
from caldp_core.theory.bounds import least_loss
from caldp_core.theory.expected_error import variance_given_people

_EPSILONS: Final = (1.0, 2.0, 4.0, 5.0)
_SPECS: Final[dict[str, FamilySpec]] = {
    "hadamard": Hadamard(),
    "general hadamard": Hadamard(None),
    "galois": Galois(),
}


def figures(sizes: Sizes) -> Iterator[Figure]:
    """The time of one person's report, and the exact n·MSE over the least of all mechanisms."""
    k = sizes.family_k
    x = np.random.default_rng(1).integers(0, k, sizes.family_users)
    for epsilon in _EPSILONS:
        for name, spec in _SPECS.items():
            family = spec.family()
            mechanism = ContextMechanism(Context.plain(k, epsilon), name, family)
            yield _reports(mechanism, x, f"a report, {name}, ε = {epsilon:g}", sizes.long_repeats)
            yield _error(mechanism, epsilon, f"n·MSE / optimum, {name}, ε = {epsilon:g}")


def _reports(mechanism: ContextMechanism, x: Ints, work: str, repeats: int) -> Figure:
    rng = np.random.default_rng(2)
    whole = measure_time(work, "s", lambda _: mechanism.privatize(x, rng), repeats)
    bits = f"{mechanism.report_bits} bits"
    return replace(share(work, "ns", whole, x.size), note=bits)


def _error(mechanism: ContextMechanism, epsilon: float, work: str) -> Figure:
    """Exact, for people who are fixed and even; the optimum is subset selection's."""
    k = mechanism.k
    ours = float(variance_given_people(mechanism, np.full(k, 1 / k), 1).mean())
    least = least_loss(k, k, epsilon, 1.0).loss - (1.0 - 1.0 / k)
    over = ours * k / least
    return Figure.of(work, "×", [over], note=f"n·MSE {ours:.4g}")
