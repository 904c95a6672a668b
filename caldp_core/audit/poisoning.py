"""What fake phones do to an estimate: attacks, their gain by formula, one phone's power.

docs/derivations.md, “What fake phones do”, has the derivation.
"""

import math
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from caldp_core.basics.errors import CaldpError, check_number, check_symbols, check_whole, require
from caldp_core.basics.extras import scipy
from caldp_core.basics.limits import FAKES_MAX, N_MAX
from caldp_core.basics.types import Floats, Ints, Seed, sums_by
from caldp_core.estimation.evidence import Evidence
from caldp_core.mechanisms.base import CraftableOracles, Mechanism, Tally
from caldp_core.mechanisms.capabilities import HasCraftableOracles, SymbolPartition
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.randomness import generator
from caldp_core.theory.expected_error import variance_given_people


@dataclass(frozen=True)
class Attack:
    """An attack for readers: `title`, one `sentence` on what a fake phone does.

    `mean_added`: a mechanism and (r,) different targets → a of the module.
    """

    name: str
    title: str
    sentence: str
    mean_added: Callable[[Mechanism, Ints], float]


def expected_gain(
    attack: Attack, mechanism: Mechanism, p: Floats, targets: Ints, fakes: float
) -> float:
    """β·(a − p_T): how much the unbiased estimate of the targets' share rises on average.

    `p`: (k,) true shares; `targets`: (r,) different symbols; `fakes`: β in [0, 0.5]. CJG §4.
    Raises `CaldpError` for others, and where the mechanism does not state what reports include.
    """
    beta = check_number("fakes", fakes, 0.0, FAKES_MAX)
    some = _targets(mechanism, targets)
    return beta * (attack.mean_added(mechanism, some) - float(p[some].sum()))


def random_items_added(mechanism: Mechanism, targets: Ints) -> float:
    """CJG's random item attack: claim a random target, then follow the coins: a = 1 exactly.

    Such a report has the law of an honest person's, so no server can tell it from one.
    """
    _targets(mechanism, targets)
    return 1.0


def random_reports_added(mechanism: Mechanism, targets: Ints) -> float:
    """CJG's random report attack: any report at random, as in `random_report_mean`."""
    return float(random_report_mean(mechanism)[_targets(mechanism, targets)].sum())


def maximal_gain_added(mechanism: Mechanism, targets: Ints) -> float:
    """CJG's maximal gain attack: the most that any one report can add.

    Of a block with r targets among its hidden symbols, a report that includes c of them adds
    (c − r·P(includes x | not x))/gain, one that names another symbol −β_j·r/gain and, where that
    is a target, 1/(1 − λ).
    """
    parts, some = _parts(mechanism), _targets(mechanism, targets)
    prob, partition = parts.oracles.probabilities, parts.symbol_partition
    m, ranks = partition.sizes.size, _ranks(parts, some)
    hidden = ranks >= 0
    most = parts.oracles.most_included(ranks[hidden])
    wanted = np.bincount(parts.blocks[some[hidden]], minlength=m)
    with np.errstate(invalid="ignore", divide="ignore"):
        sent = np.where(partition.sizes > 0, (most - wanted * prob.other) / prob.gain, -math.inf)
        beside = np.where(partition.sizes > 0, -prob.clear * wanted / prob.gain, 0.0)
    named = np.full(m, -math.inf)
    named[parts.blocks[partition.clear]] = 0.0
    named[parts.blocks[some[~hidden]]] = 1.0 / partition.clear_share[parts.blocks[some[~hidden]]]
    return float(np.maximum(sent, named + beside).max())


RANDOM_REPORTS: Final = "random-reports"
RANDOM_ITEMS: Final = "random-items"
MAXIMAL_GAIN: Final = "maximal-gain"
_MEAN_ADDED: Final = {
    RANDOM_REPORTS: random_reports_added,
    RANDOM_ITEMS: random_items_added,
    MAXIMAL_GAIN: maximal_gain_added,
}
_TEXTS: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
ATTACKS: Final = {
    name: Attack(name, **_TEXTS[name], mean_added=mean) for name, mean in _MEAN_ADDED.items()
}


def random_report_mean(mechanism: Mechanism) -> Floats:
    """(k,) what a random report adds to n·p̂ on average.

    Its block is that of a uniform symbol. If that is hidden, the report is uniform among all that
    the block's oracle can send, else it names the symbol; in plain LDP it is uniform among all.
    """
    parts = _parts(mechanism)
    prob, partition, m = (
        parts.oracles.probabilities,
        parts.symbol_partition,
        parts.symbol_partition.sizes.size,
    )
    k, block = mechanism.k, parts.blocks
    named = np.bincount(block[partition.clear], minlength=m)
    result = np.empty(k)
    j = block[partition.hidden]
    sent = (partition.sizes * (parts.oracles.uniform_inclusion - prob.other))[j]
    result[partition.hidden] = (sent - (named * prob.clear)[j]) / (k * prob.gain[j])
    result[partition.clear] = 1.0 / (k * partition.clear_share[block[partition.clear]])
    return result


def crafted_mean(mechanism: Mechanism, x: int) -> Floats:
    """(k,) what a crafted report for x adds to n·p̂ on average; its entry x is the most possible.

    `CraftableOracles` make the report for a hidden symbol; for any other the report names it.
    """
    parts = _parts(mechanism)
    (symbol,) = check_symbols("x", [x], mechanism.k)
    prob, partition, j = (
        parts.oracles.probabilities,
        parts.symbol_partition,
        int(parts.blocks[symbol]),
    )
    others = partition.hidden[parts.blocks[partition.hidden] == j]
    result = np.zeros(mechanism.k)
    if symbol in others:
        both = prob.base_pair[j] / prob.base[j]
        result[others] = (both - prob.other[j]) / prob.gain[j]
        result[symbol] = (1.0 - prob.other[j]) / prob.gain[j]
        return result
    result[others] = -prob.clear[j] / prob.gain[j] if others.size else 0.0
    result[symbol] = 1.0 / partition.clear_share[j]
    return result


def sample_crafted(mechanism: Mechanism, x: int, fakes: int, rng: Seed) -> Tally:
    """The tally of `fakes` crafted reports for x; it can be added to that of honest people."""
    parts = _parts(mechanism)
    (symbol,) = check_symbols("x", [x], mechanism.k)
    people = check_whole("fakes", fakes, 0, N_MAX)
    counts = np.zeros(mechanism.k, np.int64)
    counts[symbol] = people
    hidden = counts[parts.symbol_partition.hidden]
    cells = parts.oracles.sample_crafted(hidden, generator(rng))
    cells = np.concatenate([cells, counts[parts.symbol_partition.clear]])
    return Tally(cells, people, mechanism.fingerprint)


@dataclass(frozen=True)
class AttackPower:
    """What one fake phone can do at a symbol.

    `added`: people that its strongest report adds to the symbol's estimate. `noise`: standard
    deviation of that estimate without fakes, in people, who are held fixed.
    """

    added: float
    noise: float

    def to_stand_out(self) -> int:
        """Fake phones that move the estimate by three standard deviations, at least 1."""
        return max(1, math.ceil(3.0 * self.noise / self.added))


def attack_power(mechanism: Mechanism, x: int, p: Floats, n: int) -> AttackPower:
    """One attacker's power at x; `p`: (k,) shares of n people.

    Does a smaller block raise or lower it? The strongest report for a hidden x adds (1 − r)/(a − r)
    people (`supports.py`): in Hadamard response (e^ε + 1)/(e^ε − 1), in optimized unary encoding
    2e^ε/(e^ε − 1), in RAPPOR e^{ε/2}/(e^{ε/2} − 1), whatever the block; in randomized response
    1 + (s − 1)/(e^ε − 1), which falls with the block's s hidden symbols; in the other families it
    tends to a constant as s grows. The noise of the estimate grows as the root of the people in the
    block. So where the power does not depend on the block, fewer phones stand out of the noise of a
    smaller one; in randomized response both fall together.
    """
    (symbol,) = check_symbols("x", [x], mechanism.k)
    variance = float(variance_given_people(mechanism, p, n)[symbol])
    return AttackPower(maximal_gain_added(mechanism, np.array([symbol])), n * math.sqrt(variance))


@dataclass(frozen=True, eq=False)
class _Craftable:
    """A mechanism whose reports somebody may choose.

    `oracles`: for the hidden symbols of `symbol_partition`; `blocks`: (k,) labels.
    """

    oracles: CraftableOracles
    symbol_partition: SymbolPartition
    blocks: Ints


def _parts(mechanism: Mechanism) -> _Craftable:
    if not isinstance(mechanism, HasCraftableOracles) or not (oracles := mechanism.craftable()):
        raise CaldpError(
            "This mechanism does not say what a chosen report does; "
            "take a family in a context instead."
        )
    return _Craftable(oracles, mechanism.symbol_partition, mechanism.blocks)


def _targets(mechanism: Mechanism, targets: Ints) -> Ints:
    some = check_symbols("targets", targets, mechanism.k)
    require(
        some.size > 0 and np.unique(some).size == some.size,
        f"targets must be one or more different symbols, got {some.size}.",
    )
    return some


def _ranks(parts: _Craftable, symbols: Ints) -> Ints:
    """(r,) ranks of hidden symbols, −1 for the others."""
    rank = np.full(parts.blocks.size, -1)
    rank[parts.symbol_partition.hidden] = np.arange(parts.symbol_partition.hidden.size)
    return rank[symbols]


FALSE_ALARMS: Final = 1e-3
"""Chance that any block of a collection without fakes is suspected."""
_NOISE_MIN: Final = 1e-6
"""People: noise below it is rounding."""


@dataclass(frozen=True)
class BlockSum:
    """One block of one collection, in people, and how many `blocks` are checked.

    `estimated`: the sum of its unbiased estimates; `reported`: how many reports came from it;
    `noise`: standard deviation of their difference without fakes, 0 where they always agree.
    `deviations`: the number of them that is exceeded without fakes with probability
    `FALSE_ALARMS`/`blocks`; infinite where the most that reports can add is likelier.
    """

    estimated: float
    reported: float
    noise: float
    blocks: int
    deviations: float

    @property
    def always_agree(self) -> bool:
        """True where the sum always equals the number of reports, so that it shows nothing."""
        return self.noise == 0.0

    @property
    def limit(self) -> float:
        """People by which `estimated` may be above `reported` before fakes are suspected."""
        return self.deviations * self.noise if self.noise else 0.0

    @property
    def is_suspect(self) -> bool:
        """True where the sum is too large for honest reports."""
        return not self.always_agree and self.estimated - self.reported > self.limit

    def detectable_fakes(self, mechanism: Mechanism, x: int) -> int | None:
        """Crafted reports for the block's symbol x, beside these, suspected every other time.

        They add noise as well: it grows as the root of the block's reports. None where no number
        of them is suspected. Raises `CaldpError` as `crafted_mean` does.
        """
        excess = float(crafted_mean(mechanism, x).sum()) - 1.0
        if self.always_agree or excess <= 0 or math.isinf(self.limit):
            return None
        enough = self.limit / excess
        own = enough**2 / (2 * self.reported)
        return math.ceil(own + math.sqrt(own**2 + enough**2))


def block_sum(evidence: Evidence, x: int) -> BlockSum:
    """The check of the block of symbol x; `CaldpError` for another symbol.

    The noise is exact at the plausible shares: Var Σ p̂ less the variance of the block's own share,
    which the reports show.
    """
    (symbol,) = check_symbols("x", [x], evidence.unbiased.size)
    block, n = int(evidence.blocks[symbol]), evidence.n
    inside = (evidence.blocks == block).astype(np.float64)
    p = evidence.plausible
    share = float(p @ inside)
    own = max(share * (1.0 - share), 0.0) / n
    variance = evidence.mechanism.sum_variance(p, inside, n) - own
    noise = n * math.sqrt(max(variance, 0.0))
    # Where both are equal, their difference is rounding.
    noise = noise if noise > max(_NOISE_MIN, 1e-6 * n * math.sqrt(own)) else 0.0
    estimated = n * float(evidence.unbiased @ inside)
    reported = n * float(evidence.block_shares[block])
    mechanism = evidence.mechanism
    assert isinstance(mechanism, ContextMechanism)
    # Reports that name an open symbol add 1 each.
    named = mechanism.clear_counts(evidence.tally)
    drawn = round(reported) - int(named[evidence.blocks[mechanism.clear_symbols] == block].sum())
    found = _deviations(evidence, block, drawn, noise) if noise and drawn > 0 else 0.0
    return BlockSum(estimated, reported, noise, evidence.block_shares.size, found)


def _deviations(evidence: Evidence, block: int, drawn: int, noise: float) -> float:
    """`BlockSum.deviations` by how many of its hidden symbols an honest report includes.

    A law that is wider than the `noise`, in people, counts as it is.
    """
    mechanism, p = evidence.mechanism, evidence.plausible
    assert isinstance(mechanism, ContextMechanism)
    inside, chance = evidence.blocks == block, FALSE_ALARMS / evidence.block_shares.size
    products = mechanism.channel_products()
    if products is not None:  # numbers but for a factor and a constant
        included = products.apply((inside & mechanism.policy.hidden()).astype(np.float64))
        law = products.apply(np.where(inside, p, 0.0))
        own = included > 0
        values, at = np.unique(included[own].round(12), return_inverse=True)
        weights = np.bincount(at, weights=law[own]) / law[own].sum()
        return exceeded_deviations(values, weights, drawn, chance)
    oracles: Any = mechanism.oracles
    block_p = sums_by(evidence.blocks, p, mechanism.policy.m)
    law = oracles.number_law(block, p[mechanism.hidden_symbols], block_p)
    number = np.arange(law.size, dtype=np.float64)
    spread = math.sqrt(drawn * float(law @ (number - law @ number) ** 2))
    wider = spread / float(oracles.probabilities.gain[block]) / noise
    return wider * exceeded_deviations(number, law, drawn, chance)


def exceeded_deviations(values: Floats, chances: Floats, n: int, chance: float) -> float:
    """Deviations above its mean that the sum of n draws of (c,) `values` exceeds with `chance`.

    Infinite where all draws being the largest is likelier.
    """
    kept = chances > 1e-200
    weights = chances[kept] / chances[kept].sum()
    if weights.size < 2:
        return float(-scipy.special.ndtri(chance))
    off = values[kept] - weights @ values[kept]
    off = off / math.sqrt(weights @ off**2)
    span, most = float(np.diff(np.sort(off)).min()), float(off.max())
    steps = (off - off.min()) / span
    at = np.rint(steps).astype(np.int64)
    few = n <= _DRAWS_MAX and n * steps.max() <= _SUMS_MAX
    if few and np.allclose(steps, at, rtol=0, atol=1e-6):
        reached = _exceeded_sum(sums_by(at, weights, int(at.max()) + 1), n, chance)
        return (reached * span + n * float(off.min())) / math.sqrt(n)
    likely, wanted = float(weights[off.argmax()]), -math.log(chance)
    # Beyond it less than half a report is not the largest, and the saddlepoint ends.
    edge = math.log(max(2 * n * (1 - likely) / likely, 2.0)) / span
    low, high = math.log(1e-3 / math.sqrt(n)), math.log(min(edge, 500 / most))
    if _tail(off, weights, span, n, high)[1] < wanted:
        is_certain = -n * math.log(likely) < wanted
        return math.inf if is_certain else (most - 0.5 * span / n) * math.sqrt(n)
    log_tilt = scipy.optimize.brentq(
        lambda at: _tail(off, weights, span, n, at)[1] - wanted, low, high, xtol=1e-9
    )
    return _tail(off, weights, span, n, float(log_tilt))[0] * math.sqrt(n)


_DRAWS_MAX: Final = 1 << 12
_SUMS_MAX: Final = 1 << 19
"""Reports, and values of their sum, up to which each value gets its probability: 0.1 s."""


def _exceeded_sum(law: Floats, n: int, chance: float) -> float:
    """Between the sums of n draws that are exceeded with at most `chance` and the others.

    `law`: (steps,) probabilities of 0, 1, … Infinite where no sum is exceeded so rarely.
    """
    size = n * (law.size - 1) + 1
    sums = np.fft.irfft(np.fft.rfft(law, 1 << size.bit_length()) ** n)[:size]
    reached = int((np.cumsum(sums[::-1]) > chance).sum())
    return math.inf if reached == size else reached - 0.5


def _tail(
    off: Floats, weights: Floats, span: float, n: int, log_tilt: float
) -> tuple[float, float]:
    """The mean of n draws at a tilt, and −log of the probability to be there or above it.

    (c,) values `off`, with mean 0 and variance 1, their `weights`, and the `span` of their lattice.
    """
    tilt = math.exp(log_tilt)
    grown = float(weights @ np.expm1(tilt * off))
    tilted = weights * np.exp(tilt * off) / (1 + grown)
    place = float(tilted @ off)
    spread = max(float(tilted @ (off - place) ** 2), 1e-300)
    r = math.sqrt(max(2 * n * (tilt * place - math.log1p(grown)), 1e-300))
    u = -math.expm1(-tilt * span) / span * math.sqrt(n * spread)
    return place, float(-scipy.special.log_ndtr(-(r + math.log(u / r) / r)))
