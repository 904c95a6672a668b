"""Estimators by name. They post-process the unbiased estimate, which costs no privacy.

Each takes the `Evidence` of one tally and returns (k,) shares. All but "none" are biased, so pages
name the one that they show. Values reported in the clear are known almost exactly: each keeps them
(`Evidence.clear`) and works on the hidden ones alone.

`recover_shares` takes an assumed share of fake reports out of an estimate again, by the idea of
LDPRecover (Sun, Ye, Hu, Duan, Wo, Xu, Yang 2024): what was tallied is (1 − β)·honest + β·fake;
subtract what the fakes are thought to have added, and take the nearest distribution. Here it is
done block by block, as contexts do not hide how many reports come from each. All rests on two
guesses, β and what a fake report adds. Fakes that follow the coins fit no guess. With a right β but
no idea of the target, a place keeps β·(a − A/d)/(1 − β) of its gain β·a, where A/d is the part of
the fakes' total A that the repair takes from each of d places. With a right guess of the target,
but fewer fakes than assumed, an honest place loses what nobody had added.

The error of an estimate, where nobody knows the truth, is estimated by thinning the noise. The
unbiased estimate is z = truth + noise, the noise nearly normal with known σ. With ω standard
normal, a = z + γσω and b = z − σω/γ are two looks at one truth from the same reports, unbiased and
uncorrelated, so that where the noise is normal they are independent (Oliveira, Lei, Tibshirani
2021; Neufeld et al. 2024). A law that was fitted to a is held against b, which shows how much too
well it thinks of itself. ω follows from the tally by a hash, so nobody can draw until it is
pleasing. docs/estimators.md says why the noise is split and not the reports. Blocks of fewer than
30 people are left to the normal approximation.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np
import scipy

from caldp_core.basics.errors import check_choice, check_number, require
from caldp_core.basics.limits import K_MAX
from caldp_core.basics.types import Floats, Ints, Levels
from caldp_core.estimation.cascade_estimator import (
    EDGES,
    UNSHRUNK_ABOVE,
    Z_GRID,
    Fit,
    GridEstimates,
    NoisySymbols,
    best_fit,
    cascade_estimate,
    cascade_with_inhabitants,
    cascade_with_public_map,
    freest_law,
    likelihood,
    pooling_helps,
    pooling_levels,
)
from caldp_core.estimation.evidence import KNOWING_MAP, Evidence
from caldp_core.estimation.maximum_likelihood import maximum_likelihood, smoothed_likelihood
from caldp_core.estimation.projection import simplex_projection

PostProcess: TypeAlias = Callable[[Evidence], Floats]
_NORM_SUB_ROUNDS: Final = 200
SIGNIFICANCE: Final = 0.05
"""α of the significance threshold: probability that it keeps a symbol that nobody has."""


def unprocessed(evidence: Evidence) -> Floats:
    """The unbiased estimate itself; entries may be negative and need not sum to 1."""
    return evidence.unbiased


def _beside_clear(evidence: Evidence, rule: Callable[[Floats, float], Floats]) -> Floats:
    """(k,) shares: in the clear as reported, of hidden symbols by `rule`.

    `rule`: (s,) unbiased estimates and the sum that remains for them → (s,) shares.
    """
    clear = evidence.clear
    shares = clear.shares.copy()
    if clear.hidden.any():
        shares[clear.hidden] = rule(evidence.unbiased[clear.hidden], float(clear.left.sum()))
    return shares


def clip_renormalise(evidence: Evidence) -> Floats:
    """max(p̂, 0) scaled to sum to 1; even shares if no entry is positive."""
    return _beside_clear(evidence, _clip)


def _clip(estimate: Floats, total: float) -> Floats:
    kept = np.maximum(estimate, 0.0)
    whole = float(kept.sum())
    return total * kept / whole if whole > 0 else np.full_like(kept, total / kept.size)


def norm_sub(evidence: Evidence) -> Floats:
    """Set negative entries to 0 and shift the positive ones by one amount until the sum is 1.

    Source: Wang et al. 2020, "Locally differentially private frequency estimation with
    consistency". Where the positive entries sum to 1 or more, as they nearly always do, the
    iteration ends at the Euclidean projection on the simplex. Otherwise it raises the positive
    entries, while the projection raises all of them.
    """
    return _beside_clear(evidence, _shift_positive)


def _shift_positive(estimate: Floats, total: float) -> Floats:
    current = estimate
    for _ in range(_NORM_SUB_ROUNDS):
        current = np.maximum(current, 0.0)
        positive = current > 0
        if not positive.any():
            return simplex_projection(estimate, total)
        shift = (total - current.sum()) / positive.sum()
        current = np.where(positive, current + shift, 0.0)
        if (current >= 0).all():
            break
    return np.maximum(current, 0.0)


def simplex(evidence: Evidence) -> Floats:
    """The distribution nearest to the unbiased estimate in Euclidean distance."""
    return _beside_clear(evidence, simplex_projection)


def simplex_per_block(evidence: Evidence) -> Floats:
    """In each block the nearest shares that are not negative and sum to its observed share."""
    return evidence.plausible


def significant(evidence: Evidence) -> Floats:
    """Keep p̂_x where it exceeds z_{1−α/s}·σ̂_x, and divide the remaining mass among the others.

    α = 0.05, with Bonferroni's correction for s hidden symbols and the plug-in σ̂ of
    `Evidence.deviation`. Where the kept shares sum to 1 or more, or all symbols are kept, they are
    divided by their sum. Source: RAPPOR (Erlingsson et al. 2014, §4; ULDP §2.5).
    """
    hidden = evidence.clear.hidden
    limit = -float(scipy.special.ndtri(SIGNIFICANCE / max(int(hidden.sum()), 1)))
    # Rounding may leave an estimate that is certainly 0 slightly positive.
    keep = (evidence.unbiased > limit * evidence.deviation) & (evidence.plausible > 0)

    def spread(estimate: Floats, total: float) -> Floats:
        kept = np.where(keep[hidden], estimate, 0.0)
        whole, others = float(kept.sum()), kept.size - int(keep[hidden].sum())
        if whole >= total or others == 0:
            return total * kept / (whole or 1.0)  # 0 / 0 is 0 here
        return np.where(keep[hidden], estimate, (total - whole) / others)

    return _beside_clear(evidence, spread)


@dataclass(frozen=True)
class EstimatorEntry:
    """An estimator for readers: `title` and one `sentence` on what it does.

    `slow_from`: symbols in one block from which it takes more than a second. `listed`: whether
    menus offer it; files and links may name the others too. `in_order`: only for values in an
    order; `on_maps`: only for maps; `needs_map`: only for maps with a public map as a prior.
    `levels`: how far it pools symbols (`cascade_estimator.pooling_levels`), None where each has a
    share of its own.
    """

    name: str
    title: str
    sentence: str
    apply: PostProcess
    slow_from: int = K_MAX + 1
    listed: bool = True
    in_order: bool = False
    on_maps: bool = False
    needs_map: bool = False
    levels: Callable[[Evidence], Levels | None] = lambda _: None

    @property
    def is_cascade(self) -> bool:
        """Whether it has the cascade's q, `Options.false_share`."""
        return self.levels is pooling_levels


_ENTRIES: Final = (
    EstimatorEntry(
        "simplex",
        "Nearest distribution (simplex projection)",
        "the closest set of shares that are not negative and sum to 1; slightly biased",
        simplex,
    ),
    EstimatorEntry(
        "simplex-per-block",
        "Nearest distribution, block by block",
        "the closest shares that are not negative and keep each block's observed total; "
        "slightly biased",
        simplex_per_block,
    ),
    EstimatorEntry(
        "cascade",
        "Cascade: fine where the data bear it",
        "in each block the shares of the least expected error, given what their neighbours hold; "
        "single shares are drawn towards those around them",
        cascade_estimate,
        levels=pooling_levels,
    ),
    EstimatorEntry(
        "cascade-inhabitants",
        "Cascade, knowing where people live",
        "as the cascade, and on a map people are expected where towns are (GeoNames), as far as "
        "that fits the reports; a part of the picture is not measured",
        cascade_with_inhabitants,
        on_maps=True,
        levels=pooling_levels,
    ),
    EstimatorEntry(
        KNOWING_MAP,
        "Cascade, knowing a public map",
        "as the cascade, and people are expected where a public map has them, as far as that fits "
        "the reports; a part of the picture is not measured",
        cascade_with_public_map,
        on_maps=True,
        needs_map=True,
        levels=pooling_levels,
    ),
    EstimatorEntry(
        "norm-sub",
        "Norm-sub",
        "negative shares set to 0 and the others shifted evenly until they sum to 1; "
        "slightly biased",
        norm_sub,
        listed=False,  # its shares are those of "simplex" nearly always
    ),
    EstimatorEntry(
        "clip",
        "Clip and renormalise",
        "negative shares set to 0 and the rest divided by their sum; biased towards even",
        clip_renormalise,
    ),
    EstimatorEntry(
        "significance-threshold",
        "Significance threshold",
        "shares that stand out from the noise beyond doubt, and what is left spread evenly over "
        "the others; biased towards even",
        significant,
    ),
    EstimatorEntry(
        "maximum-likelihood",
        "Maximum likelihood",
        "the shares under which these reports are the least surprising (of reports that are sets "
        "of values, how often each value is in them); slightly biased",
        maximum_likelihood,
        slow_from=15_000,
    ),
    EstimatorEntry(
        "smoothed",
        "Smoothed maximum likelihood (EMS)",
        "for values in an order: maximum likelihood, each share drawn towards those beside it; "
        "narrow peaks come out too low",
        smoothed_likelihood,
        slow_from=200,
        in_order=True,
    ),
    EstimatorEntry(
        "none",
        "Unbiased, unprocessed",
        "right on average, but single shares may be negative",
        unprocessed,
    ),
)
ESTIMATORS: Final = {entry.name: entry for entry in _ENTRIES}


def menu_of_estimators(
    chosen: str, *, in_order: bool = False, on_maps: bool = False, has_map: bool = False
) -> list[str]:
    """Names that a menu offers: the listed ones, and the `chosen` one.

    `in_order`, `on_maps`, `has_map`: with those for values in an order, for maps, and for maps with
    a public map as a prior.
    """
    return [
        name
        for name, entry in ESTIMATORS.items()
        if (
            entry.listed
            and entry.in_order <= in_order
            and entry.on_maps <= on_maps
            and entry.needs_map <= has_map
        )
        or name == chosen
    ]


def estimator(name: str) -> EstimatorEntry:
    """The named estimator; raises `CaldpError` for an unknown name."""
    check_choice("estimator", name, ESTIMATORS)
    return ESTIMATORS[name]


@dataclass(frozen=True, eq=False)
class FakesGuess:
    """What a fake report is thought to do.

    `added`: (k,) what it adds to n·p̂ on average; `blocks`: (m,) how likely it is from each block,
    sum 1.
    """

    added: Floats
    blocks: Floats


def even_fakes(evidence: Evidence, total: float) -> FakesGuess:
    """LDPRecover's guess without knowledge of the target: the same for all positive estimates.

    `total`: what a fake report adds to n·Σ p̂. Fakes come from blocks as all reports do.
    """
    positive = evidence.unbiased > 0
    added = np.where(positive, total / max(int(positive.sum()), 1), 0.0)
    return FakesGuess(added, evidence.block_shares)


def fakes_from_block(evidence: Evidence, place: int, added: Floats) -> FakesGuess:
    """Guess that every fake report comes from the block of `place`; `added`: (k,)."""
    blocks = np.zeros(evidence.block_shares.size)
    blocks[evidence.blocks[place]] = 1.0
    return FakesGuess(added, blocks)


def subtract_fakes(unbiased: Floats, fakes: float, added: Floats) -> Floats:
    """(k,) (p̂ − β·added)/(1 − β), unbiased for the honest people if both guesses are right.

    `unbiased`: (k,) estimate from all reports; `fakes`: assumed β in [0, 0.5]; `added`: (k,) what a
    fake report is thought to add to n·p̂. Raises `CaldpError` for others.
    """
    beta = check_number("fakes", fakes, 0.0, 0.5)
    require(
        added.shape == unbiased.shape,
        f"added must have one entry for each of the {unbiased.size} shares, got {added.size}.",
    )
    return np.asarray((unbiased - beta * added) / (1.0 - beta))


def remove_fakes(evidence: Evidence, fakes: float, guess: FakesGuess) -> Evidence:
    """The evidence of honest people, if both guesses are right; for estimators of shares alone.

    `fakes`: assumed β in [0, 0.5]. A block's share is the observed one less its fakes, at least 0.
    The tally stays that of all reports. Raises `CaldpError` as `subtract_fakes` does.
    """
    totals = np.maximum(subtract_fakes(evidence.block_shares, fakes, guess.blocks), 0.0)
    return replace(
        evidence,
        unbiased=subtract_fakes(evidence.unbiased, fakes, guess.added),
        block_shares=totals / totals.sum(),
        n=round(evidence.n * (1.0 - fakes)),
    )


def recover_shares(
    evidence: Evidence, fakes: float, guess: FakesGuess, name: str = "simplex-per-block"
) -> Floats:
    """(k,) shares of the honest people by a cascade, if one is named, else the nearest ones.

    Other estimators look at the reports themselves, which no repair takes out.
    """
    return recovery_estimator(name).apply(remove_fakes(evidence, fakes, guess))


def recovery_estimator(name: str) -> EstimatorEntry:
    """The estimator that `recover_shares` uses where another of that name is asked for."""
    entry = ESTIMATORS.get(name)
    return entry if entry and entry.is_cascade else ESTIMATORS["simplex-per-block"]


_MIDDLES: Final = EDGES - 0.5 * np.diff(EDGES, prepend=0.0)
_GROUPS: Final = np.array([0.003, 0.01, 0.03, 0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 2.0, 3.0, 4.5, 7.0])
"""Ends of groups of shares, in standard deviations, of which each has a law of its own."""
_FAINT: Final = 1.0
"""Standard deviations below which nobody can say whether a share is in the right place."""
_LOOKS: Final = 2
_ROUNDS: Final = 20
_UNSURE: Final = 1.25
"""Factor by which the error of what is not faint may be lower; see docs/estimators.md."""


@dataclass(frozen=True, eq=False)
class Look(Evidence):
    """Evidence whose estimate has more noise than its tally: (k,) `noise`, standard deviations."""

    noise: Floats = field(kw_only=True)

    @cached_property
    def deviation(self) -> Floats:
        """(k,) standard deviation of `unbiased`."""
        return self.noise


def thin_noise(
    evidence: Evidence, rng: np.random.Generator, gamma: float = 1.0
) -> tuple[Look, Look]:
    """Two independent looks: one to fit, pick or pool on, and one to judge that.

    Their variances are 1 + `gamma`² and 1 + 1/`gamma`² times that of the coins.
    """
    coins = np.sqrt(evidence.tied_shares.variance)
    omega = rng.normal(size=coins.size)

    def look(factor: float) -> Look:
        parts = {name: getattr(evidence, name) for name in Evidence.__dataclass_fields__}
        parts["unbiased"] = evidence.unbiased + factor * coins * omega
        noise = np.sqrt(evidence.deviation**2 + (factor * coins) ** 2)
        return Look(**parts, noise=noise)

    return look(gamma), look(-1.0 / gamma)


def generator_of(evidence: Evidence) -> np.random.Generator:
    """Coins that follow from the tally, the same for everybody who has it."""
    digest = hashlib.blake2b(evidence.tally.counts.tobytes(), digest_size=16).digest()
    return np.random.default_rng(int.from_bytes(digest, "little"))


@dataclass(frozen=True)
class ErrorEstimate:
    """Share of people in the wrong cell or under the wrong value, in [0, 1], and its range.

    `faint`: share of people who are shown where a share is below its noise. No report shows how
    many of them are in the wrong place, so the range is for none to all of them, while `share`
    takes them to be spread as those whom reports tell apart. The total variation is Σ max(x − p,
    0), at most the faint x and all Σ|x − p| of the others, and at least half of that.
    """

    share: float
    low: float
    high: float
    faint: float


def estimated_error(evidence: Evidence, estimate: PostProcess) -> ErrorEstimate | None:
    """The total variation to the people who took part, for the shares that `estimate` makes.

    None where symbols are too few to say how shares spread, or share their noise, and where shares
    are negative.
    """
    shares = estimate(evidence)
    if not pooling_helps(evidence.mechanism) or shares.min() < 0.0:
        return None
    noisy, fit = best_fit(evidence)
    if not noisy.at.size:
        return None
    errors, rng = _expected_errors(noisy, fit, shares), generator_of(evidence)
    if not fit.is_free:
        looks = (thin_noise(evidence, rng) for _ in range(_LOOKS))
        errors *= np.mean([_optimism(*each, estimate) for each in looks])
    here = shares[noisy.at]
    faint = here < _FAINT * noisy.deviation
    bright = float(errors[~faint].sum() + _errors_elsewhere(evidence, noisy, shares))
    lost = float(here[faint].sum())
    high = min(lost + 2.0 * bright, 1.0)
    share = min(0.5 * (bright + min(float(errors[faint].sum()), 2.0 * lost)), high)
    return ErrorEstimate(share, 0.5 * bright / _UNSURE, high, lost)


def _errors_elsewhere(evidence: Evidence, noisy: NoisySymbols, shares: Floats) -> float:
    """Sum of expected errors of symbols for which nothing is expected: their noise alone."""
    tied = evidence.tied_shares
    others = tied.deviations > 0
    others[noisy.at] = False
    deviation = tied.deviations[others]
    return float((deviation * _of_normal((tied.estimate - shares)[others] / deviation)).sum())


def _of_normal(shift: Floats) -> Floats:
    """E|d + N| for (n,) shifts d and N standard normal."""
    density = np.exp(-0.5 * shift**2) / np.sqrt(2.0 * np.pi)
    return np.asarray(2.0 * density + shift * (2.0 * scipy.special.ndtr(shift) - 1.0))


def _posteriors(noisy: NoisySymbols, fit: Fit) -> tuple[Floats, Ints]:
    """(t, u) different laws of shares once estimates are seen, and (n,) which is each symbol's."""
    pairs, which = np.unique(fit.rows * Z_GRID.size + noisy.seen.nearest, return_inverse=True)
    rows, place = np.divmod(pairs, Z_GRID.size)
    laws = likelihood()[place] * fit.prior[rows]
    return laws / laws.sum(axis=1, keepdims=True), which


def _mean_errors(laws: Floats, which: Ints, shares: Floats) -> Floats:
    """(n,) E|x − u| of (n,) shares x, u from the (t, u) `laws`, of which each has one."""
    reached = np.cumsum(laws, axis=1)
    moment = np.cumsum(laws * _MIDDLES, axis=1)
    upto = np.searchsorted(_MIDDLES, shares, side="right") - 1
    some = upto >= 0
    below = np.where(some, reached[which, upto], 0.0)
    part = np.where(some, moment[which, upto], 0.0)
    return np.asarray(shares * (2.0 * below - 1.0) + moment[which, -1] - 2.0 * part)


def _expected_errors(noisy: NoisySymbols, fit: Fit, shares: Floats) -> Floats:
    """(n,) errors that the fitted law expects of (k,) shares at the noisy symbols."""
    x, far = shares[noisy.at] / noisy.deviation, noisy.seen.far
    errors = _mean_errors(*_posteriors(noisy, fit), x)
    errors[far] = _of_normal(noisy.seen.z[far] - x[far])
    return errors * noisy.deviation


def _optimism(fitted: Look, judge: Look, estimate: PostProcess) -> float:
    """Error of the fitted look's shares as the other look has it, over what its law expects.

    Shares of about one size have a law of their own, which begins with what the fitted look
    expects and is fitted to the other one.
    """
    noisy, fit = best_fit(fitted)
    shares = estimate(fitted)
    expected = _expected_errors(noisy, fit, shares)
    tied = judge.tied_shares
    seen = GridEstimates.of(tied.estimate[noisy.at] / np.maximum(tied.deviations[noisy.at], 1e-300))
    x = shares[noisy.at] / noisy.deviation
    group = np.digitize(x, _GROUPS)
    group[noisy.seen.far] = _GROUPS.size + 1
    laws, which = _posteriors(noisy, fit)
    found = expected.copy()
    for each in range(_GROUPS.size + 1):
        members = np.flatnonzero((group == each) & (seen.z < UNSHRUNK_ABOVE))
        if members.size:
            numbers = np.bincount(which[members], minlength=len(laws))
            counts = np.bincount(seen.nearest[members], minlength=Z_GRID.size)
            law = freest_law(counts, numbers @ laws / members.size, _ROUNDS)
            one = np.zeros(members.size, np.int64)
            found[members] = _mean_errors(law[None], one, x[members]) * noisy.deviation[members]
    return float(found.sum() / expected.sum())
