"""Random scenarios on which the cascade is compared with the nearest shares.

Uniform, Zipf, clustered, one spike, smooth, skewed; 2 to 10,000 values, blocks of 2 to all of them,
ε from 0.5 to 4, all families.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import GridDomain
from caldp_core.domain.partitions import even_blocks, grid_blocks
from caldp_core.estimation.estimators import simplex_per_block
from caldp_core.estimation.evidence import Evidence
from caldp_core.mechanisms import FAMILIES, catalogue
from caldp_core.privacy.context import Context

KINDS: Final = ("uniform", "zipf", "zipf in order", "clustered", "one spike", "smooth", "skewed")


@dataclass(frozen=True, eq=False)
class Case:
    """A random scenario: (k,) shares `p` of `n` people on a `domain` in blocks of `labels`."""

    p: Floats
    n: int
    domain: Domain | GridDomain
    labels: Ints
    epsilon: float
    family: str
    sensitive: Bools | None = None

    def __str__(self) -> str:
        return (
            f"{self.family}, {type(self.domain).__name__}, k = {self.p.size}, n = {self.n}, "
            f"ε = {self.epsilon}, {self.labels.max() + 1} blocks"
        )

    def evidence(self, draw: int) -> tuple[Floats, Evidence]:
        """(k,) shares of the people of this `draw`, and the evidence in their reports."""
        rng = np.random.default_rng([draw, self.n])
        flags = np.ones(self.p.size, np.bool_) if self.sensitive is None else self.sensitive
        mechanism = catalogue.in_context(Context.of(self.labels, flags, self.epsilon), self.family)
        people = rng.multinomial(self.n, self.p)
        tally = mechanism.sample_tally(people, rng)
        return people / self.n, Evidence.of(mechanism, tally, domain=self.domain)

    def ratio(self, estimate: Callable[[Evidence], Floats], draws: int) -> float:
        """Mean error of the estimator over that of the nearest shares."""
        ours = nearest = 0.0
        for draw in range(draws):
            truth, evidence = self.evidence(draw)
            ours += np.abs(estimate(evidence) - truth).sum()
            nearest += np.abs(simplex_per_block(evidence) - truth).sum()
        return ours / max(nearest, 1e-12)


def random_case(seed: int) -> Case:
    """The scenario of that number, everything sensitive."""
    rng = np.random.default_rng(seed)
    k = int(np.exp(rng.uniform(np.log(2), np.log(10_000))))
    rows = max(1, int(np.sqrt(k) * rng.uniform(0.5, 1.5))) if rng.random() < 0.5 else 1
    columns = max(2, k // rows)
    k = rows * columns
    weights = draw_weights(str(rng.choice(KINDS)), rows, columns, rng)
    m = max(1, k // int(np.exp(rng.uniform(np.log(2), np.log(10_000)))))
    domain: Domain | GridDomain = Domain(k)
    labels = even_blocks(k, m).labels
    if rows > 1:
        domain = GridDomain(0, 0, 0.01, rows, columns)
        down = min(rows, max(1, round(np.sqrt(m * rows / columns))))
        labels = grid_blocks(domain, down, min(columns, max(1, m // down))).labels
    elif rng.random() < 0.4:
        groups = np.sort(rng.integers(0, max(2, k // 8), k))
        domain = Domain(k, groups=tuple(map(str, groups)))
    slow = k > 3000
    family = str(rng.choice(["hadamard", "galois"] if slow else list(FAMILIES)))
    n, epsilon = int(10 ** rng.uniform(2.5, 6.5)), float(rng.choice([0.5, 1.0, 2.0, 4.0]))
    return Case(weights / weights.sum(), n, domain, labels, epsilon, family)


def draw_weights(kind: str, rows: int, columns: int, rng: np.random.Generator) -> Floats:
    """(rows · columns,) weights of one of `KINDS`."""
    k = rows * columns
    if kind == "uniform":
        return np.ones(k)
    if kind.startswith("zipf"):
        falling = np.arange(1, k + 1) ** -rng.uniform(0.5, 1.5)
        return np.asarray(falling if "order" in kind else rng.permutation(falling))
    if kind == "one spike":
        return np.asarray(np.full(k, rng.uniform() / k) + (np.arange(k) == rng.integers(k)))
    if kind == "skewed":
        return np.asarray(rng.gamma(rng.uniform(0.1, 2.0), size=k) + 1e-12)
    return _around_centres(kind, rows, columns, rng)


def _around_centres(kind: str, rows: int, columns: int, rng: np.random.Generator) -> Floats:
    row, column = np.mgrid[:rows, :columns]
    density = np.full((rows, columns), 1e-4 if kind == "clustered" else 0.3)
    for _ in range(rng.integers(1, 6)):
        down, right, width = rng.integers(rows), rng.integers(columns), max(rows, columns) / 12 + 1
        apart = (row - down) ** 2 + (column - right) ** 2
        density += rng.uniform() * np.exp(-apart / (2 * (width * rng.uniform(0.3, 1.0)) ** 2))
    scatter = rng.gamma(0.4, size=density.size) if kind == "clustered" else 1.0
    return np.asarray(density.ravel() * scatter + 1e-12)


def partly_sensitive_case(seed: int) -> Case:
    """The case of this `seed` with only some values sensitive: random or the most frequent ones."""
    whole, rng = random_case(seed), np.random.default_rng([7, seed])
    share = rng.uniform(0.02, 0.9)
    flags = rng.random(whole.p.size) < share
    if rng.random() < 0.5 or not flags.any():
        flags = whole.p >= np.quantile(whole.p, 1 - share)
    return replace(whole, sensitive=flags)
