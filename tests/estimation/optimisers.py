"""Maximisers and estimates to compare with: EM, bounds of a fit, SciPy's optimiser, Calibrate.

Shares are taken to follow one power law, whatever lies around them: the exponent is the one that
fits the estimates best. Calibrate fits its prior by other means.

Uniform, Zipf, clustered, one spike, smooth, skewed; 2 to 10,000 values, blocks of 2 to all of them,
ε from 0.5 to 4, all families.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import scipy
from scipy.optimize import minimize
from scipy.special import logsumexp

from caldp_core.basics.types import Bools, Floats, Ints, Progress, no_progress, sums_by
from caldp_core.domain.domains import Domain, GridDomain
from caldp_core.domain.partitions import even_blocks, grid_blocks
from caldp_core.estimation.estimators import simplex_per_block
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.maximum_likelihood import (
    EM_ROUNDS_MAX,
    GAIN_NATS,
    CompositeLikelihood,
    ReportLikelihood,
    _start,
    ascend,
    fit_supports,
    ratio,
)
from caldp_core.mechanisms import FAMILIES, ContextMechanism, catalogue
from caldp_core.mechanisms.capabilities import (
    ChannelProducts,
    SupportTally,
    channel_products,
    support_tally,
)
from caldp_core.privacy.context import Context
from tests.contract.checks import channel_of, design_of


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted distribution, and a certificate of how close to the maximum it is.

    `p`: (k,) shares that sum to 1. `likelihood`: mean log-likelihood of a report, in nats.
    `rounds`: iterations that it took. `gap`: upper bound of maximum − `likelihood`, in nats per
    person.
    """

    p: Floats
    likelihood: float
    rounds: int
    gap: float


def likelihood_gap(slopes: Floats, blocks: Ints, shares: Floats) -> float:
    """Σ_j share_j·(largest slope in block j) − 1: no p has a likelihood higher by more than this.

    By concavity. `slopes`: (k,) derivatives of the mean log-likelihood; `blocks`: (k,) labels;
    `shares`: (m,) observed shares of the blocks, which the best p keeps.
    """
    highest = np.zeros(shares.size)
    np.maximum.at(highest, blocks, slopes)
    return max(float(shares @ highest) - 1.0, 0.0)


class SlopedLikelihood(CompositeLikelihood):
    """The composite likelihood as a function of p."""

    def __init__(self, evidence: Evidence, supports: SupportTally) -> None:
        super().__init__(evidence, supports)
        self.sent_share: Floats = supports.sent / evidence.n

    def slopes(self, p: Floats) -> tuple[float, Floats]:
        """Mean log-likelihood of a report, and its (k,) derivatives; `p`: (k,) shares."""
        prob, noise, counts, block = self.prob, self.noise, self.counts, self.counts.block
        weight = (self.sent_share / np.maximum(counts.sizes, 1))[block]
        hidden, clear = p[self.hidden], p[self.clear]
        mass, rest = (
            sums_by(block, hidden, noise.size),
            sums_by(self.clear_block, clear, noise.size),
        )
        floor = prob.other * mass + prob.base * noise * rest
        includes = prob.gain[block] * hidden + floor[block]
        excludes = (mass + noise * rest)[block] - includes
        open_share = (1.0 - noise)[self.clear_block]
        value = weight @ (
            scipy.special.xlogy(counts.hit, includes) + scipy.special.xlogy(counts.missed, excludes)
        )
        value += scipy.special.xlogy(self.named, open_share * clear).sum()
        hit = weight * ratio(counts.hit, includes)
        missed = weight * ratio(counts.missed, excludes)
        hits, misses = sums_by(block, hit, noise.size), sums_by(block, missed, noise.size)
        result = np.empty(p.size)
        every = prob.other * hits + (1.0 - prob.other) * misses
        result[self.hidden] = prob.gain[block] * (hit - missed) + every[block]
        base = noise * (prob.base * hits + (1.0 - prob.base) * misses)
        result[self.clear] = base[self.clear_block] + ratio(self.named, clear)
        return float(value), result


def fit(evidence: Evidence, rounds: int = EM_ROUNDS_MAX, gain_nats: float = GAIN_NATS) -> Fit:
    """What `maximum_likelihood` finds, with its certificate."""
    counted = support_tally(evidence.mechanism, evidence.tally)
    if counted is None:
        products, n = channel_products(evidence.mechanism), evidence.n
        assert products is not None
        observed = ReportLikelihood(products, evidence.tally.counts / n, n)
        p, done = ascend(observed, _start(evidence), evidence.progress, rounds, gain_nats)
        value, slopes = observed.slopes(p)
    else:
        told: list[float] = []
        p = fit_supports(replace(evidence, progress=told.append), counted)
        value, slopes = SlopedLikelihood(evidence, counted).slopes(p)
        done = len(told)
    return Fit(p, value, done, likelihood_gap(slopes, evidence.blocks, evidence.block_shares))


_EXPONENTS: Final = np.linspace(0.5, 3.0, 11)
_CHUNK: Final = 4096


def calibrate(evidence: Evidence) -> Floats:
    """(k,) posterior means divided by their sum."""
    deviation = np.maximum(evidence.deviation, 1e-15)
    # No share of people is smaller than one of them, but for those that are 0.
    shares = np.concatenate([[0.0], np.geomspace(1.0 / evidence.n, 1.0, 160)])
    choices = [_prior(shares, exponent, evidence.unbiased.size) for exponent in _EXPONENTS]
    sample = np.random.default_rng(0).permutation(evidence.unbiased.size)[:_CHUNK]
    law = _log_law(evidence.unbiased[sample], deviation[sample], shares)
    prior = max(choices, key=lambda log: float(logsumexp(law + log, axis=1).sum()))
    k = evidence.unbiased.size
    means = np.empty(k)
    for at in np.array_split(np.arange(k), -(-k // _CHUNK)):
        law = _log_law(evidence.unbiased[at], deviation[at], shares)
        means[at] = _mean(law + prior, shares)
    return np.asarray(means / means.sum())


def _prior(shares: Floats, exponent: float, k: int) -> Floats:
    """(u,) log-probabilities: a power law above 0, and enough zeros that the mean is 1/k."""
    steps = np.gradient(shares[1:])
    above = shares[1:] ** -exponent * steps
    above /= above.sum()
    inhabited = min(1.0, 1.0 / k / float(above @ shares[1:]))
    both = np.concatenate([[1.0 - inhabited], inhabited * above])
    return np.asarray(np.log(np.maximum(both, 1e-300)))


def _log_law(estimate: Floats, deviation: Floats, shares: Floats) -> Floats:
    return np.asarray(-0.5 * ((estimate[:, None] - shares) / deviation[:, None]) ** 2)


def _mean(log: Floats, shares: Floats) -> Floats:
    weights = np.exp(log - log.max(axis=1, keepdims=True))
    return np.asarray(weights @ shares / weights.sum(axis=1))


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


@dataclass(frozen=True, eq=False)
class Components:
    """The composite's parts, one a column: what may be seen of a report.

    `laws`: (k, columns) probability of each from each symbol. `incidence`: (outputs, columns)
    whether a report shows it. `weights`: (columns,) 1/s for a block's source with or without one
    of its s hidden symbols, 1 for a symbol in the clear. `channel`: (k, outputs).
    """

    laws: Floats
    incidence: Bools
    weights: Floats
    channel: Floats

    @classmethod
    def of(cls, mechanism: ContextMechanism) -> "Components":
        """From the channel and what each report adds to the tally; knows no closed form."""
        channel, design = channel_of(mechanism), design_of(mechanism)
        s, cells = mechanism.hidden_symbols.size, mechanism.oracles.tally_size
        block = mechanism.policy.blocks[mechanism.hidden_symbols]
        includes = design[:, :s]
        sources = design[:, s:cells][:, block]
        incidence = np.hstack([includes, sources - includes, design[:, cells:]])
        weights = np.ones(incidence.shape[1])
        weights[: 2 * s] = np.tile(1.0 / mechanism.sizes[block], 2)
        return cls(channel @ incidence, incidence > 0, weights, channel)

    def counts(self, mechanism: ContextMechanism, tally: Ints) -> Floats:
        """(columns,) how often each was seen, out of a tally's counts."""
        s, cells = mechanism.hidden_symbols.size, mechanism.oracles.tally_size
        block = mechanism.policy.blocks[mechanism.hidden_symbols]
        parts = [tally[:s], tally[s:cells][block] - tally[:s], tally[cells:]]
        return np.concatenate(parts).astype(np.float64)

    def value(self, p: Floats, counts: Floats) -> float:
        """Log-likelihood; `counts`: (columns,)."""
        some = counts > 0
        law = np.maximum(p @ self.laws[:, some], 1e-300)
        return float((self.weights[some] * counts[some]) @ np.log(law))

    def slopes(self, p: Floats, counts: Floats) -> Floats:
        """(k,) derivatives of `value`."""
        some = counts > 0
        law = np.maximum(p @ self.laws[:, some], 1e-300)
        return np.asarray(self.laws[:, some] @ (self.weights[some] * counts[some] / law))

    def covariances(self, p: Floats) -> tuple[Floats, Floats]:
        """(k, k) of √n·p̂ for large n: of the full likelihood's maximum, and of the composite's.

        The inverse of Fisher's information, and Godambe's sandwich, both on Σ p = 1; p > 0.
        """
        k = p.size
        basis = np.linalg.svd(np.ones((1, k)))[2][1:].T

        def confined(matrix: Floats) -> Floats:
            return np.asarray(basis @ np.linalg.inv(basis.T @ matrix @ basis) @ basis.T)

        law, parts = p @ self.channel, p @ self.laws
        some, columns = law > 0, parts > 0
        full = confined((self.channel[:, some] / law[some]) @ self.channel[:, some].T)
        rates = (self.laws[:, columns] / parts[columns]) * self.weights[columns]
        bread = confined(rates @ self.laws[:, columns].T)
        scores = self.incidence[:, columns] @ rates.T
        return full, bread @ ((scores.T * law) @ scores) @ bread


def fit_histogram(
    products: ChannelProducts,
    counts: Ints,
    progress: Progress = no_progress,
    rounds: int = EM_ROUNDS_MAX,
    gain_nats: float = GAIN_NATS,
) -> Fit:
    """Maximum likelihood without blocks; `counts`: (outputs,) reports of each kind."""
    n, k = int(counts.sum()), products.apply_transpose(np.ones(counts.size)).size
    observed = ReportLikelihood(products, counts / n, n)
    p, done = ascend(observed, np.full(k, 1.0 / k), progress, rounds, gain_nats)
    value, slopes = observed.slopes(p)
    return Fit(p, value, done, likelihood_gap(slopes, np.zeros(k, np.int64), np.ones(1)))


def least_on_simplex(
    loss: Callable[[Floats], float],
    k: int,
    slopes: Callable[[Floats], Floats] | None = None,
    floor: float = 0.0,
) -> Any:
    """SciPy's result for the (k,) shares, none below `floor`, with the least loss."""
    total: Any = {"type": "eq", "fun": lambda p: p.sum() - 1, "jac": np.ones_like}
    return minimize(
        loss,
        np.full(k, 1 / k),
        jac=slopes,
        bounds=[(floor, 1.0)] * k,
        constraints=total,
        method="SLSQP",
        options={"ftol": 1e-14 if slopes else 1e-13, "maxiter": 1000},
    )
