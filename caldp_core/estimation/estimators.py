"""Estimators by name. They post-process the unbiased estimate, which costs no privacy.

Each takes the `Evidence` of one tally and returns (k,) shares. All but "none" are biased, so pages
name the one that they show. Values reported in the clear are known almost exactly: each keeps them
(`Evidence.clear`) and works on the hidden ones alone.

docs/derivations.md, “The error of an estimate”, has the derivation.
"""

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from caldp_core.basics.errors import check_choice, check_floats
from caldp_core.basics.extras import scipy
from caldp_core.basics.limits import K_MAX
from caldp_core.basics.types import Floats, Ints, Levels, sums_by
from caldp_core.domain.domains import Domain, GridDomain
from caldp_core.domain.orders import places_on_scale
from caldp_core.estimation import cascade_estimator as cascades
from caldp_core.estimation import intervals as score
from caldp_core.estimation.evidence import KNOWING_MAP, USUAL, EstimatorName, Evidence
from caldp_core.estimation.intervals import LEVEL, Intervals, Range, may_be_noise, share_within
from caldp_core.estimation.maximum_likelihood import maximum_likelihood, smoothed_likelihood
from caldp_core.estimation.mixture import chosen_estimate, chosen_fit, mixture_estimate, mixture_fit
from caldp_core.estimation.projection import simplex_projection
from caldp_core.estimation.public_prior import cascade_with_inhabitants, cascade_with_public_map
from caldp_core.mechanisms import Mechanism, Tally

PostProcess: TypeAlias = Callable[[Evidence], Floats]
FittedLaw: TypeAlias = Callable[[Evidence], tuple[cascades.NoisySymbols, cascades.Fit]]
"""What an estimator expects of the noisy symbols."""
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

    `slow_from`: symbols in one block from which it takes more than a second. `in_order`: only for
    values in an order; `on_maps`: only for maps; `needs_map`: only for maps with a public map as a
    prior.
    `levels`: how far it pools symbols (`cascade_estimator.pooling_levels`), None where each has a
    share of its own. `law`: what it expects of symbols, None where it knows more than the reports.
    `relative_time`: of one estimate, the cascade's is 1.
    """

    name: str
    title: str
    sentence: str
    apply: PostProcess
    slow_from: int = K_MAX + 1
    in_order: bool = False
    on_maps: bool = False
    needs_map: bool = False
    levels: Callable[[Evidence], Levels | None] = lambda _: None
    law: FittedLaw | None = cascades.best_fit
    relative_time: float = 0.1

    @property
    def is_cascade(self) -> bool:
        """Whether it pools as the cascade does."""
        return self.levels is cascades.pooling_levels

    @property
    def has_q(self) -> bool:
        """Whether the cascade's q, `Options.false_share`, changes it; mixtures begin with one."""
        return self.is_cascade or self.law not in (None, cascades.best_fit)


_TEXTS: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
"""By name of an estimator all of its record that is not a function."""


def _entry(name: str, apply: PostProcess, **functions: Any) -> EstimatorEntry:
    return EstimatorEntry(name=name, apply=apply, **_TEXTS[name], **functions)


_ENTRIES: Final = (
    _entry("simplex", simplex),
    _entry("simplex-per-block", simplex_per_block),
    _entry("cascade", cascades.cascade_estimate, levels=cascades.pooling_levels),
    _entry(
        "cascade-inhabitants", cascade_with_inhabitants, levels=cascades.pooling_levels, law=None
    ),
    _entry(KNOWING_MAP, cascade_with_public_map, levels=cascades.pooling_levels, law=None),
    _entry("mixture", mixture_estimate, law=mixture_fit),
    _entry("chosen", chosen_estimate, law=chosen_fit),
    _entry("significance-threshold", significant),
    _entry("maximum-likelihood", maximum_likelihood),
    _entry("smoothed", smoothed_likelihood),
    _entry("none", unprocessed),
)
ESTIMATORS: Final = {entry.name: entry for entry in _ENTRIES}
GIVEN_UP: Final[Mapping[str, EstimatorName]] = {"norm-sub": "simplex", "clip": "simplex"}
"""Estimators that scenarios of earlier versions name, and the one that each is read as."""


def explain_given_up(name: object) -> str:
    """A sentence on the estimator that an earlier one is read as; "" for all other names."""
    if not isinstance(name, str) or name not in GIVEN_UP:
        return ""
    return f'The estimator "{name}" is given up; it is read as "{GIVEN_UP[name]}".'


def menu_of_estimators(
    chosen: str, *, in_order: bool = False, on_maps: bool = False, has_map: bool = False
) -> list[str]:
    """Names that a menu offers, and the `chosen` one.

    `in_order`, `on_maps`, `has_map`: with those for values in an order, for maps, and for maps with
    a public map as a prior.
    """
    names = []
    for name, entry in ESTIMATORS.items():
        fits = (
            entry.in_order <= in_order and entry.on_maps <= on_maps and entry.needs_map <= has_map
        )
        if fits or name == chosen:
            names.append(name)
    return names


def estimator(name: str) -> EstimatorEntry:
    """The named estimator; raises `CaldpError` for an unknown name."""
    check_choice("estimator", name, ESTIMATORS)
    return ESTIMATORS[name]


_MIDDLES: Final = cascades.EDGES - 0.5 * np.diff(cascades.EDGES, prepend=0.0)
_GROUP: Final = 8
"""Rows of the grid of expected shares, a factor e, whose symbols have one law."""
_LEAST: Final = 0.4
"""Part of an expected error that is surely one; see docs/estimators.md."""


@dataclass(frozen=True)
class ErrorEstimate:
    """Share of people in the wrong cell or under the wrong value, in [0, 1], and its range.

    `faint`: share of people who are shown where perhaps nobody is (`may_be_noise`). No report shows
    how many of them are in the wrong place, so the range is for none to all of them, while `share`
    takes them to be spread as the fitted law has it. The total variation is Σ max(x − p, 0), at
    most the faint x and all Σ|x − p| of the others, here twice what is expected of it. It is at
    least half of Σ|x − p| where x is above its noise, here 0.4 times what is expected.
    """

    share: float
    low: float
    high: float
    faint: float


def estimated_error(
    evidence: Evidence, estimate: PostProcess, law: FittedLaw = cascades.best_fit
) -> ErrorEstimate | None:
    """The total variation to the people who took part, for the shares that `estimate` makes.

    `law`: what the estimator expects of each symbol. None where symbols are too few to say how
    shares spread, or share their noise, and where shares are negative.
    """
    shares = estimate(evidence)
    if not cascades.pooling_helps(evidence.mechanism) or shares.min() < 0.0:
        return None
    noisy, fit = law(evidence)
    if not noisy.at.size:
        return None
    deviations, errors = evidence.tied_shares.deviations, np.zeros(shares.size)
    at = np.flatnonzero(deviations > 0)
    errors[at] = _expected_errors(evidence, at, shares, noisy.at, fit)
    faint = (deviations > 0) & may_be_noise(evidence)
    bright, lost = float(errors[~faint].sum()), float(shares[faint].sum())
    high = min(lost + 2.0 * bright, 1.0)
    share = min(0.5 * (bright + min(float(errors[faint].sum()), 2.0 * lost)), high)
    above = float(errors[shares > deviations].sum())
    return ErrorEstimate(share, min(0.5 * _LEAST * above, share), high, lost)


def _errors_of_noise(z: Floats) -> Floats:
    """(n,) E|z + N| with N standard normal."""
    density = np.exp(-0.5 * z**2) / np.sqrt(2.0 * np.pi)
    return np.asarray(2.0 * density + z * (2.0 * scipy.special.ndtr(z) - 1.0))


def _expected_errors(
    evidence: Evidence, at: Ints, shares: Floats, fitted: Ints, fit: cascades.Fit
) -> Floats:
    """(n,) expected errors of (k,) shares at the symbols `at`, (n,), of noisy estimates.

    Symbols of which about the same is expected have one law of any form, the likeliest one for
    their estimates. EM begins with the law of the `fit` to the symbols `fitted`, and half of its
    weight at 0: shapes of beta prime laws have too few empty symbols. All others have another law,
    which begins with any share. The total of a block is known, which leaves 1 − v/V of a variance v
    to a symbol in a block of variance V: nothing where all others are surely empty.
    """
    seen, deviation, blocks = _seen_by_noise_at(shares, evidence, at)
    shown, nothing = shares[at] / deviation, len(fit.prior)
    rows = np.full(at.size, nothing)
    rows[np.searchsorted(at, fitted)] = fit.rows
    priors = np.vstack([fit.prior, np.full(cascades.EDGES.size, 1.0 / cascades.EDGES.size)])
    group = np.where(rows < nothing, rows % cascades.LOG_E.size // _GROUP, -1)
    errors, variances = _errors_of_noise(seen.z - shown), np.ones(at.size)
    near = seen.z < cascades.UNSHRUNK_ABOVE
    near &= (rows < nothing) | (at.size - fitted.size >= cascades.ALL_LEAST)
    for each in np.unique(group[near]):
        members = np.flatnonzero(near & (group == each))
        counts = np.bincount(seen.nearest[members], minlength=cascades.Z_GRID.size)
        begin = 0.5 * (np.bincount(rows[members], minlength=nothing + 1) / members.size @ priors)
        begin[0] += 0.5
        laws = cascades.likelihood() * cascades.freest_law(counts, begin)
        laws /= laws.sum(axis=1, keepdims=True)
        which = seen.nearest[members]
        errors[members] = _mean_errors(laws, which, shown[members])
        variances[members] = (laws @ _MIDDLES**2 - (laws @ _MIDDLES) ** 2)[which]
    variances *= deviation**2
    of_block = sums_by(blocks, variances, int(blocks.max()) + 1)[blocks]
    part = np.divide(variances, of_block, out=np.zeros(at.size), where=of_block > 0)
    return np.asarray(errors * deviation * np.sqrt(np.maximum(1.0 - part, 0.0)))


def _seen_by_noise_at(
    shares: Floats, evidence: Evidence, at: Ints
) -> tuple[cascades.GridEstimates, Floats, Ints]:
    """Estimates of the symbols `at` by deviations that don't rise and fall with their own noise.

    Where noise grows with the share, an estimate divided by the noise that it seems to have varies
    too little: by a third, of people spread evenly over 64 cells at ε = 4.
    """
    tied = evidence.tied_shares
    found = tied.with_noise_at(shares, evidence).deviations[at]
    deviation = np.where(found > 0, found, tied.deviations[at])
    seen = cascades.GridEstimates.of(tied.estimate[at] / deviation)
    return seen, deviation, tied.blocks[at]


def _mean_errors(laws: Floats, which: Ints, shares: Floats) -> Floats:
    """(n,) E|x − u| of (n,) shares x, u from the (t, u) `laws`, of which each has one."""
    reached = np.cumsum(laws, axis=1)
    moment = np.cumsum(laws * _MIDDLES, axis=1)
    upto = np.searchsorted(_MIDDLES, shares, side="right") - 1
    some = upto >= 0
    below = np.where(some, reached[which, upto], 0.0)
    part = np.where(some, moment[which, upto], 0.0)
    return np.asarray(shares * (2.0 * below - 1.0) + moment[which, -1] - 2.0 * part)


def estimate(
    mechanism: Mechanism,
    tally: Tally,
    estimator: EstimatorName = USUAL,
    domain: Domain | GridDomain | None = None,
) -> Floats:
    """(k,) shares by the named estimator; "none" is the unbiased one, which may be negative.

    `domain`: says which values are neighbours, as a cascade needs to be as good as in a run.
    Raises `CaldpError` for an unknown name, a tally that another mechanism made, and a domain of
    another size.
    """
    check_choice("estimator", estimator, ESTIMATORS)
    return ESTIMATORS[estimator].apply(Evidence.of(mechanism, tally, domain=domain))


def intervals(
    mechanism: Mechanism, tally: Tally, level: float = 0.95, shares: Floats | None = None
) -> Intervals:
    """(k,) ranges in [0, 1], each of which holds its true share with probability `level`.

    They belong to the unbiased estimate, see `caldp_core.estimation.intervals`. `shares`: (k,)
    estimates to stand beside them, which they then include; those of the highest shares hold on
    average as well. `level`: in [0.5, 1 − 10^-12]. Raises `CaldpError` otherwise, and for a tally
    that another mechanism made.
    """
    evidence = Evidence.of(mechanism, tally)
    if shares is None:
        return score.intervals(evidence, level)
    return score.ranges(evidence, check_floats("shares", shares, mechanism.k), level)


COMPARED_MAX: Final = 300
"""Most values of a domain of which groups are compared or quantiles estimated."""


@dataclass(frozen=True)
class GroupShare:
    """An answer's `share` of a group, beside that of all people `elsewhere`, and the `difference`.

    `people`: of the group, known where reports show groups, else estimated. Each range holds with
    its level alone.
    """

    answer: str
    group: str
    people: float
    share: Range
    elsewhere: Range
    difference: Range

    @property
    def sentence(self) -> str:
        """The comparison in words, of 100 people, or that the group has too few people."""
        if self.share[1] < 0.005 and self.share[2] >= 0.995:
            few = f"has too few people ({self.people:,.0f}) to say anything"
            return f"“{self.answer}”: “{self.group}” {few}."
        here, there = _of_hundred(self.share), _of_hundred(self.elsewhere)
        shares = f"“{self.answer}”: in “{self.group}” {here}, elsewhere {there}"
        middle, low, high = self.difference
        if low > 0 or high < 0:
            least, most = sorted((abs(low), abs(high)))
            word = " more" if low > 0 else " fewer"
            return f"{shares}: {_of_hundred((abs(middle), least, most), word)}."
        ends = f"{100 * low:+.0f} to {100 * high:+.0f} of 100"
        return f"{shares}: no difference can be shown ({ends})."


def _of_hundred(found: Range, word: str = "") -> str:
    """An estimate and its range in words: "12 of 100 (9 to 15)"."""
    places = 0 if found[2] - found[1] >= 0.02 else 1
    middle, low, high = (f"{100 * each:.{places}f}" for each in found)
    return f"{middle}{word} of 100 ({low} to {high})"


def compare_groups(evidence: Evidence, level: float = LEVEL) -> list[GroupShare]:
    """Each answer's share in its group beside that in all other groups, by number of value.

    `evidence`: of a domain of up to 300 values in groups that have answers in common
    (`Domain.short_names`); of any other the list is empty. Shares and ranges by `share_within`,
    which raises `CaldpError` for another `level`.
    """
    domain = evidence.domain
    if not isinstance(domain, Domain) or not domain.groups or domain.k > COMPARED_MAX:
        return []
    answers, groups = np.array(domain.short_names()), np.array(domain.groups)
    if np.unique(answers).size == domain.k:
        return []
    found = []
    for answer, group in zip(answers.tolist(), domain.groups, strict=True):
        wholes = groups == group, groups != group
        here, there = (share_within(evidence, (answers == answer) & w, w, level) for w in wholes)
        ranges = here.range, there.range, here.minus(there, evidence)
        found.append(GroupShare(answer, group, here.people, *ranges))
    return found


@dataclass(frozen=True)
class Quantile:
    """The first answer up to which a `share` of people are, and the ends of its range.

    `group`: the group of these people; "" for everybody.
    """

    share: float
    estimate: str
    low: str
    high: str
    group: str = ""

    @property
    def sentence(self) -> str:
        """The quantile and its range in words; 0.5 is the median."""
        name = "Median" if self.share == 0.5 else f"{100 * self.share:g} of 100 people have at most"
        where = f" in “{self.group}”:" if self.group else ""
        return f"{name}{where} “{self.estimate}” (“{self.low}” to “{self.high}”)."


def quantiles(
    evidence: Evidence, shares: Iterable[float] = (0.25, 0.5, 0.75), level: float = LEVEL
) -> list[Quantile]:
    """Quantiles at `shares` in [0, 1] of up to 300 values on a scale; of others the list is empty.

    A scale: numbers or bands, or words that have an order, without answers beside it such as "don't
    know". Where answers are crossed with groups, the median of each group follows. A range has all
    answers that cannot be excluded (Woodruff 1952), each by the range of the share of people up to
    it (`share_within`, which raises `CaldpError` for another `level`).
    """
    domain = evidence.domain
    if not isinstance(domain, Domain) or domain.k > COMPARED_MAX:
        return []
    answers, groups, found = domain.short_names(), np.array(domain.groups), list[Quantile]()
    places = places_on_scale(list(dict.fromkeys(answers)))
    at, called = np.array([places.get(a, -1) for a in answers]), {p: a for a, p in places.items()}
    wholes = {"": at >= 0}
    if len(set(answers)) < domain.k:
        wholes |= {group: (groups == group) & (at >= 0) for group in dict.fromkeys(domain.groups)}
    for group, whole in wholes.items():
        steps = np.unique(at[whole])
        below = [share_within(evidence, whole & (at <= x), whole, level).range for x in steps[:-1]]
        middle, low, high = np.array([*below, (1.0, 1.0, 1.0)]).T
        for share in ((0.5,) if group else shares) if steps.size else ():
            first, estimate = int(np.argmax(high >= share)), int(np.argmax(middle >= share))
            last = int(np.flatnonzero(np.append(0.0, low[:-1]) <= share)[-1])
            ends = [called[int(steps[each])] for each in (estimate, first, last)]
            found.append(Quantile(share, ends[0], ends[1], ends[2], group))
    return found
