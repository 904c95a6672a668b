"""Columns of a design: all extreme rays of the cone of allowed ones, or a local search of them.

docs/derivations.md, “Columns of a design”, has the derivation.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeAlias

import numpy as np

from caldp_core.basics.extras import scipy
from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.mechanisms.designed import master, problem
from caldp_core.mechanisms.oracles.galois import digits_of
from caldp_core.mechanisms.oracles.hyperplanes import hyperplanes

_CHUNK: Final = 8192
_SURELY: Final = 2.0
"""The estimate of partial rays is rarely high by more than this factor."""
_SAMPLE: Final = 256
_SUPPORTS: Final = 8
"""Supports on which partial rays are estimated; of more there are few each."""
_SEED: Final = 5
_TIE: Final = 1e-11
"""Nats below which two bounds are one; far below every level that is not 0."""
_VAST: Final = 1e6
"""Nats that stand for no bound where a level may be ∞ as well."""


@dataclass(frozen=True, eq=False)
class _Partial:
    """Rays under construction, one a row; all (rows, k).

    `low`, `high`: bounds of u, equal where `placed`. `not_low`, `not_high`: forbidden.
    """

    low: Floats
    high: Floats
    placed: Bools
    not_low: Bools
    not_high: Bools

    def rows(self, which: Ints | Bools | slice) -> "_Partial":
        return _Partial(*(each[which] for each in vars(self).values()))


def extreme_rays(levels: Floats, classes: Ints, most: int) -> Floats | None:
    """(rays, k) logarithms u of one ray of each orbit (−∞: v_x = 0); None beyond `most` rays.

    `levels`: (k, k) closed E. `classes`: (k,) labels of twins. Gives up as well after 10 times as
    many partial rays for each symbol of a class: twins make rays few, but partial ones less so.
    """
    batches: list[Floats] = []
    count = work = 0
    work_most = 10 * most * (len(classes) // len(np.unique(classes)))
    supports = _supports(levels, classes, most)
    if supports is None:
        return None
    few = np.isfinite(levels).all() and math.comb(2 * len(levels) - 2, len(levels) - 1) <= most
    if not few and _more_than(_SURELY * work_most, levels, classes, supports):
        return None
    for support in supports:
        for rays, steps in _on_support(levels, classes, support):
            batches.append(rays)
            count, work = count + len(rays), work + steps
            if count > most or work > work_most:
                return None
    return _one_of_each(np.concatenate(batches), classes)


def _more_than(limit: float, levels: Floats, classes: Ints, supports: list[Bools]) -> bool:
    """Whether there are more than about `limit` partial rays: a few stand for all (Knuth 1975)."""
    rng, total = np.random.default_rng(_SEED), 0.0
    for support in supports[:_SUPPORTS]:
        batch, each = _seed(levels, support), 1.0
        while len(batch.low) and total <= limit:
            total += each * len(batch.low)
            if len(batch.low) > _SAMPLE:
                each *= len(batch.low) / _SAMPLE
                batch = batch.rows(rng.choice(len(batch.low), _SAMPLE, replace=False))
            unfinished = batch.rows(~np.asarray(batch.placed.all(axis=1)))
            children = list(_children(levels, classes, unfinished))
            if not children:
                break
            batch = _together(children)
    return total > limit


def _one_of_each(rays: Floats, classes: Ints) -> Floats:
    """Rays whose first symbol was one of several twins are found once for each place it takes."""
    if len(np.unique(classes)) == len(classes):
        return rays
    rays = rays - rays.max(axis=1, keepdims=True)
    order = np.argsort(classes, kind="stable")
    for members in (order[classes[order] == label] for label in np.unique(classes)):
        rays[:, members] = -np.sort(-rays[:, members], axis=1)
    rounded = np.round(np.where(np.isfinite(rays), rays, -1e4), 9)
    return rays[np.unique(rounded, axis=0, return_index=True)[1]]


def _supports(levels: Floats, classes: Ints, most: int) -> list[Bools] | None:
    """Every connected set that holds x′ wherever it holds x and E[x, x′] is finite; by orbits."""
    above = np.isfinite(levels)
    first = np.unique(classes, return_index=True)[1]
    supports: dict[bytes, Bools] = {}
    waiting = [_canonical(above[x], classes) for x in first]
    while waiting:
        support = waiting.pop()
        if support.tobytes() in supports:
            continue
        supports[support.tobytes()] = support
        if len(supports) > most:
            return None
        outside = np.flatnonzero(~support)
        waiting.extend(
            _canonical(above[x] | support, classes)
            for x in outside[np.unique(classes[outside], return_index=True)[1]]
            if (above[x] & support).any()
        )
    return list(supports.values())


def _canonical(support: Bools, classes: Ints) -> Bools:
    """The set of the orbit that takes the first symbols of each class."""
    order = np.lexsort((~support, classes))
    result = np.empty_like(support)
    result[np.argsort(classes, kind="stable")] = support[order]
    return result


def _on_support(levels: Floats, classes: Ints, support: Bools) -> Iterator[tuple[Floats, int]]:
    """Batches of finished rays with this support, and the number of partial ones looked at."""
    stack = [_seed(levels, support)]
    while stack:
        batch = stack.pop()
        while stack and len(batch.low) < _CHUNK:
            batch = _together([batch, stack.pop()])
        if len(batch.low) > _CHUNK:
            stack.append(batch.rows(slice(_CHUNK, None)))
            batch = batch.rows(slice(_CHUNK))
        finished = np.asarray(batch.placed.all(axis=1))
        rays = np.where(support, batch.low[finished], -np.inf)
        children = list(_children(levels, classes, batch.rows(~finished)))
        if children:
            children_rays = _together(children)
            stack.append(children_rays.rows(~_stuck(levels, children_rays)))
        yield rays, len(finished)


def _together(parts: list[_Partial]) -> _Partial:
    fields = zip(*(vars(part).values() for part in parts), strict=True)
    return _Partial(*map(np.concatenate, fields))


def _seed(levels: Floats, support: Bools) -> _Partial:
    """The first symbol of the support at u = 0; what lies outside counts as placed."""
    start = int(np.flatnonzero(support)[0])
    none = np.zeros((1, len(support)), np.bool_)
    low = np.where(support, -levels[start], 0.0)[None]
    high = np.where(support, levels[:, start], 0.0)[None]
    return _settled(_Partial(low, high, (~support)[None].copy(), none, none.copy()))


def _settled(partial: _Partial) -> _Partial:
    """Place what has no choice left, and drop rays for which that place is forbidden."""
    tied = (partial.high - partial.low <= _TIE) & ~partial.placed
    dead = np.asarray((tied & (partial.not_low | partial.not_high)).any(axis=1))
    placed = partial.placed | tied
    high = np.where(tied, partial.low, partial.high)
    settled = _Partial(partial.low, high, placed, partial.not_low, partial.not_high)
    return settled.rows(~dead) if dead.any() else settled


def _children(levels: Floats, classes: Ints, batch: _Partial) -> Iterator[_Partial]:
    """All ways to place one more symbol; each forbids those before it."""
    not_low, not_high = batch.not_low.copy(), batch.not_high.copy()
    for members in (np.flatnonzero(classes == label) for label in np.unique(classes)):
        free = ~batch.placed[:, members]
        x = members[np.argmax(free, axis=1)]
        rows = np.arange(len(x))
        for bound, forbidden in ((batch.high, not_high), (batch.low, not_low)):
            able = free.any(axis=1) & np.isfinite(bound[rows, x]) & ~forbidden[rows, x]
            parents = np.flatnonzero(able)
            if parents.size:
                parent = replace(batch, not_low=not_low, not_high=not_high).rows(parents)
                yield _placed(levels, parent, x[parents], bound[parents, x[parents]])
                forbidden[np.ix_(parents, members)] = True


def _placed(levels: Floats, parent: _Partial, x: Ints, u: Floats) -> _Partial:
    """The parents with symbol x_i of the i-th at u_i; bounds that move are no longer forbidden."""
    high = np.minimum(parent.high, u[:, None] + levels[:, x].T)
    low = np.maximum(parent.low, u[:, None] - levels[x])
    high, low = (
        np.where(parent.placed, old, new) for old, new in ((parent.high, high), (parent.low, low))
    )
    placed = parent.placed.copy()
    rows = np.arange(len(x))
    placed[rows, x] = True
    high[rows, x] = low[rows, x] = u
    not_low = parent.not_low & (low <= parent.low + _TIE)
    not_high = parent.not_high & (high >= parent.high - _TIE)
    return _settled(_Partial(low, high, placed, not_low, not_high))


def _stuck(levels: Floats, partial: _Partial) -> Bools:
    """(rows,) where a symbol may be neither high nor low, and no other moves its bounds any more.

    Others end up between their own bounds, so they move x's only from there.
    """
    free = ~partial.placed
    lows = np.where(free, np.maximum(partial.low, -_VAST), np.inf)
    highs = np.where(free, np.minimum(partial.high, _VAST), -np.inf)
    stuck = np.zeros(len(free), np.bool_)
    neither = free & partial.not_low & partial.not_high
    for x in np.flatnonzero(neither.any(axis=0)):
        rows = np.flatnonzero(neither[:, x] & ~stuck)
        reach = levels[x].copy(), levels[:, x].copy()
        reach[0][x] = reach[1][x] = np.inf
        down = (lows[rows] + reach[0]).min(axis=1) < partial.high[rows, x] - _TIE
        up = (highs[rows] - reach[1]).max(axis=1) > partial.low[rows, x] + _TIE
        stuck[rows] = ~(down | up)
    return stuck


_DEGREES: Final = range(1, 6)
"""Fields of 2 to 32 elements: sets of a half to a 32nd of the twins."""
_PRIMES: Final = (5, 7, 11, 13, 17, 19, 23, 29, 31)
_SIXTEEN: Final = 4
"""The degree of the field of 16 elements."""
_DIFFERENCES: Final = (0, 1, 2, 4, 8, 15)
"""A difference set of its additive group: any element but 0 is a difference of two in two ways."""
_PLANES_SEED: Final = 3
_System: TypeAlias = Callable[[int, int], Bools | None]
"""Points, most sets → (sets, points), two points in equally many; None where they are more."""
_DIGITS: Final = 12
"""Digits in which columns must agree to be one."""
_ROW_TOLERANCE: Final = 1e-6
"""How far rows may be from 1, once the weights of the sets are adjusted."""
_TALL: Final = 30.0
"""Nats: where E = ∞, highs are that high over lows."""


def hyperplane_columns(
    weighted: master.WeightedColumns, classes: problem.Classes, most: int
) -> Iterator[tuple[Floats, Floats]]:
    """For each system of sets (N, k) columns, N ≤ `most`, and (N,) weights with Σ w v = 1, if any.

    `weighted`: one column of each orbit, with the weight of the whole orbit.
    """
    orbits = [problem.Orbit(v, classes) for v in weighted.columns.v]
    for system in _systems():
        parts = [_members(orbit, system, most) for orbit in orbits]
        members = [part for part in parts if part is not None]
        if len(members) < len(parts) or sum(len(part) for part in members) > 2 * most:
            continue
        columns = np.concatenate(members)
        sums = [part @ classes.prior for part in members]
        shares = [w * each / each.sum() for w, each in zip(weighted.w, sums, strict=True)]
        v, w = _joined(columns / np.concatenate(sums)[:, None], np.concatenate(shares))
        w = master.normalize_rows(v, w, np.ones(v.shape[1]))
        if len(v) <= most and np.abs(w @ v - 1).max() < _ROW_TOLERANCE:
            yield v, w


def two_level_columns(levels: Floats) -> Floats:
    """(N, k) logarithms of columns that keep (k, k) E: highs on a hyperplane, lows off it.

    Either highs are as high over lows of 1 as E allows, or lows as low. Of the two fields whose
    hyperplanes are nearest to the best share of plain LDP at the usual level, 1/(e^ε + 1).
    """
    k = len(levels)
    share = 1 / (np.exp(np.median(levels[(levels > 0) & np.isfinite(levels)])) + 1)
    capped = np.minimum(levels, _TALL)
    rows = [np.zeros((0, k))]
    for m in sorted(_DEGREES, key=lambda m: abs(m + float(np.log2(share))))[:2]:
        on = _hyperplanes(m, k, 4 * k)
        if on is not None:
            off = np.where(on[:, None, :], np.inf, capped)
            highs = np.where(on, np.stack([row.min(axis=1) for row in off]), 0.0)
            lows = [np.where(high, np.inf, -capped[high].min(axis=0)) for high in on]
            rows += [highs, np.minimum(lows, 0.0)]
    return np.concatenate(rows)


def _systems() -> list[_System]:
    fields: list[_System] = [partial(_hyperplanes, m) for m in _DEGREES]
    return [*fields, _six_of_sixteen, *(partial(_lines, p) for p in _PRIMES)]


def _hyperplanes(m: int, count: int, most: int) -> Bools | None:
    """Hyperplanes of F_q^d, q = 2^m, that part the points 0 … count − 1; None above `most`."""
    d = int(digits_of(np.array([count]), m)[0])
    if d < 2 or hyperplanes(m, d).reports > most:
        return None
    space = hyperplanes(m, d)
    return _parting(space.contains(np.arange(count), space.masks(count)).T)


def _six_of_sixteen(count: int, most: int) -> Bools | None:
    """Unions of parallel hyperplanes of F_16^d, one for each direction and shift of the set."""
    d = int(digits_of(np.array([count]), _SIXTEEN)[0])
    if d < 2 or hyperplanes(_SIXTEEN, d).reports > most:
        return None
    space = hyperplanes(_SIXTEEN, d)
    on = space.contains(np.arange(count), space.masks(count)).T.reshape(1 << _SIXTEEN, -1, count)
    shifts = np.arange(len(on))[:, None] ^ np.array(_DIFFERENCES)
    return _parting(on[shifts].any(axis=1).reshape(-1, count))


def _lines(p: int, count: int, most: int) -> Bools | None:
    """Lines of F_p²: p of each slope and p that are upright. Points at random, to even them out."""
    if p * p < count or p * (p + 1) > most:
        return None
    x, y = np.divmod(np.random.default_rng(_PLANES_SEED).permutation(p * p)[:count], p)
    at = np.concatenate([(y - np.arange(p)[:, None] * x) % p, x[None]])
    return _parting((at[:, None] == np.arange(p)[:, None]).reshape(-1, count))


def _parting(on: Bools) -> Bools:
    return on[on.any(axis=1) & ~on.all(axis=1)]


def _members(orbit: problem.Orbit, system: _System, most: int) -> Floats | None:
    """(N, k) all of a small orbit, else one column for each set; None if no column is found.

    All are multiples of columns of a channel by one number.
    """
    if orbit.size * len(orbit.v) <= most:
        return orbit.members()
    if len(orbit.moving) != 1:
        return None
    (twins,) = orbit.moving
    low, high = float(orbit.v[twins].min()), float(orbit.v[twins].max())
    middle = np.abs(orbit.v[twins] - low) > 1e-9 * high
    if np.ptp(orbit.v[twins][middle]) > 1e-9 * high:
        return None
    on = system(len(twins), most)
    if on is None:
        return None
    columns = np.repeat(orbit.v[None], len(on), axis=0)
    columns[:, twins] = np.where(on, high, low)
    return columns


def _joined(v: Floats, w: Floats) -> tuple[Floats, Floats]:
    """Columns that are the same as one, with their weights' sum."""
    _, first, same = np.unique(np.round(v, _DIGITS), axis=0, return_index=True, return_inverse=True)
    return v[first], np.bincount(same.ravel(), w).astype(np.float64)


_SWEEPS: Final = 12
"""Times that every symbol of a climber is moved at most; few need half of them."""
_ROUNDING_SHARE: Final = 1e-9
"""Share of a column's π·v that the moves of a sweep must leave: less of it may be rounding.
Share of its largest entry below which entries are set to 0."""
_ZERO_TRIAL_SHARE: Final = 0.02
"""Share of a column's largest entry below which entries are tried at 0."""


@dataclass(frozen=True, eq=False)
class ColumnScore:
    """φ of columns: `quadratic` G: (k, k), `linear` λ: (k,), `prior` π: (k,)."""

    quadratic: Floats
    linear: Floats
    prior: Floats

    @classmethod
    def of(cls, weighted: master.WeightedColumns) -> "ColumnScore":
        """φ of a design's multipliers, written out over all symbols."""
        classes = weighted.information.classes
        shared, spread = weighted.information.gradient
        labels, root = classes.labels, classes.rows_sum
        own = spread / np.maximum(classes.sizes - 1, 1)
        quadratic = (shared / np.outer(root, root))[np.ix_(labels, labels)]
        same = labels[:, None] == labels
        quadratic = quadratic + np.diag(own[labels]) - same * (own / classes.sizes)[labels]
        return cls(quadratic, (weighted.dual / root)[labels], classes.prior)

    def __call__(self, v: Floats) -> Floats:
        """(N, k) columns → (N,) φ."""
        mean = v @ self.prior
        value = np.einsum("ij,ij->i", v @ self.quadratic, v) - (v @ self.linear) * mean
        return np.asarray(value / mean**2)


def climb(v: Floats, levels: Floats, worth: ColumnScore, rng: np.random.Generator) -> Floats:
    """(N, k) columns → as many of no less worth, which few moves improve."""
    climbers, active, highest = _Climbers(v, np.exp(-levels), worth), np.arange(len(v)), v.copy()
    for _ in range(_SWEEPS):
        for x in rng.permutation(len(levels)):
            climbers.move(int(x))
        highest[active], active = climbers.v.T, active[climbers.moved]
        if not active.size:
            break
        climbers.drop_unmoved()
    return highest


def clear_columns(v: Floats, levels: Floats, worth: ColumnScore) -> Floats:
    """(N, k) columns that keep (k, k) closed E → as many of no less worth, 0 where little was.

    Moves of one symbol never reach a ray of a smaller support, only come near it. Symbols that
    others rest on, E being finite, stay as they are.
    """
    for little in (_ZERO_TRIAL_SHARE, _ROUNDING_SHARE):
        small = v < little * v.max(axis=1, keepdims=True)
        borne = (~small).astype(np.float64) @ np.isfinite(levels) > 0
        without = np.where(small & ~borne, 0.0, v)
        better = (worth(without) >= worth(v)) | (little == _ROUNDING_SHARE)
        v = np.where(better[:, None], without, v)
    return v


class _Climbers:
    """Columns side by side: `v`: (k, N), with Gv, vᵀGv, λᵀv and π·v kept up to date.

    `moved`: (N,) whether any symbol of a column did since `go_on`.
    """

    def __init__(self, v: Floats, powers: Floats, worth: ColumnScore) -> None:
        self.v, self.worth = np.ascontiguousarray(v.T), worth
        self.below = np.where(np.eye(len(powers), dtype=np.bool_), 0.0, powers)
        self.ceilings = [np.flatnonzero(row) for row in self.below]
        with np.errstate(divide="ignore"):
            self.above = None if (powers == 0).any() else 1 / self.below[:, :, None]
        self.least = 1e-9 * float(np.abs(worth.quadratic).max())
        self.moved = np.ones(len(v), np.bool_)
        self.drop_unmoved()

    def drop_unmoved(self) -> None:
        """Keep the columns that moved, rescaled; compute products anew against rounding."""
        self.v = np.ascontiguousarray(self.v[:, self.moved])
        self.v /= self.v.max(axis=0)
        self.moved = np.zeros(self.v.shape[1], np.bool_)
        self.pushed = self.worth.quadratic @ self.v
        self.square = np.einsum("ij,ij->j", self.v, self.pushed)
        self.line, self.sent = self.worth.linear @ self.v, self.worth.prior @ self.v
        self.nothing = _ROUNDING_SHARE * self.sent

    def move(self, x: int) -> None:
        """Put symbol x as high or as low as the others allow where that is better."""
        low, high = (self.v * self.below[:, x, None]).max(axis=0), self._highest(x)
        now = (self.square - self.line * self.sent) / self.sent**2
        down, up = self._worth_after(x, low - self.v[x]), self._worth_after(x, high - self.v[x])
        better = np.maximum(down, up) > now + self.least
        higher = up >= down
        step = np.where(better, np.where(higher, high, low) - self.v[x], 0.0)
        self.square += step * (2 * self.pushed[x] + step * self.worth.quadratic[x, x])
        self.line += step * self.worth.linear[x]
        self.sent += step * self.worth.prior[x]
        self.pushed += self.worth.quadratic[:, x, None] * step
        # Not v += step: of an entry far below the step rounding would leave E's ratios behind.
        self.v[x] = np.where(better, np.where(higher, high, low), self.v[x])
        self.moved |= better

    def _highest(self, x: int) -> Floats:
        """(N,) as high as the others allow symbol x; where they do not care, as it is."""
        if self.above is not None:
            return np.asarray((self.v * self.above[x]).min(axis=0))
        over = self.ceilings[x]
        if not over.size:
            return np.asarray(self.v[x])
        return np.asarray((self.v[over] / self.below[x, over, None]).min(axis=0))

    def _worth_after(self, x: int, step: Floats) -> Floats:
        """(N,) φ with symbol x moved by (N,) `step`."""
        square = self.square + step * (2 * self.pushed[x] + step * self.worth.quadratic[x, x])
        mean = self.sent + step * self.worth.prior[x]
        positive = mean > self.nothing
        divisor = np.where(positive, mean, 1.0)
        line = self.line + step * self.worth.linear[x]
        return np.where(positive, (square - line * divisor) / divisor**2, -np.inf)


_CLIMBERS: Final = 384
_CLIMBERS_LARGE: Final = 192
_NEW_COLUMNS_MAX: Final = 256
"""Most columns of a round, as more make the weights slow."""
_ROUNDS: Final = 26
"""Rounds of the search: five seconds of one core for 64 symbols."""
_ROUNDS_SMALL: Final = 30
"""Rounds for up to `_SMALL` symbols: less than a second of one core for 16."""
_ROUNDS_LARGE: Final = 20
"""Rounds from `_LARGE_K` symbols on: less than a minute for 256."""
_SMALL: Final = 24
_LARGE_K: Final = 100
_AFAR: Final = 0.3
"""Of the usual level: how far the third part of the climbers starts from columns in use."""


def _new(v: Floats, used: Floats) -> Ints:
    """Indices of distinct (N, k) columns v that are not among the (M, k) columns in use."""
    both = np.concatenate([used, v])
    with np.errstate(divide="ignore"):
        u = np.log(both / both.max(axis=1, keepdims=True))
    rounded = np.round(np.where(np.isfinite(u), u, -1e4), 7)
    first = np.unique(rounded, axis=0, return_index=True)[1]
    return np.asarray(first[first >= len(used)] - len(used), np.int64)


def _allowed(u: Floats, levels: Floats) -> Floats:
    """(N, k) logarithms → the highest below them of columns that keep E."""
    highest = np.empty_like(u)
    for x, row in enumerate(levels):
        near = np.flatnonzero(np.isfinite(row))
        highest[:, x] = (u[:, near] + row[near]).min(axis=1)
    return highest


@dataclass(frozen=True, eq=False)
class SearchedRays:
    """A source that climbs from the columns in use and from others nearby."""

    classes: problem.Classes
    levels: Floats
    rng: np.random.Generator

    def initial_columns(self) -> problem.Columns:
        """Columns that can be weighted so that rows sum to 1, and that span.

        Among them the reports of Hadamard response at the least level, which keep any E, and
        those of Galois response, stretched as far as E allows.
        """
        k = len(self.levels)
        signs = scipy.linalg.hadamard(1 << k.bit_length())[1 : k + 1].T
        halves = 0.5 * float(self.levels[self.levels > 0].min()) * signs
        start = [master.complete_start(self.levels), halves, two_level_columns(self.levels)]
        return self.classes.columns(np.concatenate(start))

    def retained_columns(self, weighted: master.WeightedColumns) -> tuple[problem.Columns, Floats]:
        """Columns sent the most, and the constant one, with which some weights make a channel."""
        k = len(self.levels)
        informative = np.flatnonzero(np.ptp(weighted.columns.v, axis=1) > 0)
        ranked = informative[np.argsort(-weighted.w[informative], kind="stable")]
        ranked = ranked[weighted.w[ranked] > 1e-7]
        most = min(20 * k, max(640, 4 * k))
        while most < len(ranked) and self._loses(weighted, ranked[:most]):
            most *= 2
        ranked = ranked[:most]
        nothing = self.classes.columns(np.zeros((1, k)))
        return problem.join_columns(weighted.columns.rows(ranked), nothing), np.append(
            weighted.w[ranked], 0.0
        )

    def _loses(self, weighted: master.WeightedColumns, kept: Ints) -> bool:
        """Whether these columns alone have much less information: a symbol may need the others."""
        w, rows = weighted.w[kept], weighted.columns.rows(kept)
        least = np.linalg.eigvalsh(problem.Information.of(rows, w / w.sum(), self.classes).shared)[
            0
        ]
        return bool(least < 0.5 * np.linalg.eigvalsh(weighted.information.shared)[0])

    @property
    def rounds(self) -> int:
        """Most rounds, fewer where symbols are many."""
        k = len(self.levels)
        return _ROUNDS_SMALL if k <= _SMALL else _ROUNDS if k < _LARGE_K else _ROUNDS_LARGE

    def improving_columns(self, weighted: master.WeightedColumns) -> tuple[problem.Columns, Floats]:
        """The best columns that climbers reach, each once, and (N,) their excess."""
        k = len(self.levels)
        u = self._near(weighted)
        u -= u.max(axis=1, keepdims=True)
        worth = ColumnScore.of(weighted)
        v = clear_columns(climb(np.exp(u), self.levels, worth, self.rng), self.levels, worth)
        with np.errstate(divide="ignore"):
            columns = self.classes.columns(np.log(v[_new(v, weighted.columns.v)]))
        excess = master.excess_of(weighted, columns)
        best = np.argsort(-excess)[: min(8 * k, _NEW_COLUMNS_MAX)]
        return columns.rows(best), excess[best]

    def _near(self, weighted: master.WeightedColumns) -> Floats:
        """(N, k) logarithms of allowed columns that are a little or farther off those in use."""
        count = _CLIMBERS if len(self.levels) < _LARGE_K else _CLIMBERS_LARGE
        used = weighted.columns.v[weighted.w > 1e-7 * weighted.w.max()]
        with np.errstate(divide="ignore"):
            u = np.log(used[self.rng.integers(0, len(used), count)])
        own = self.levels[(self.levels > 0) & np.isfinite(self.levels)]
        sizes = np.array([0.3 * own.min(), 3.0 * own.min(), _AFAR * np.median(own)])
        size = sizes[np.arange(count) % len(sizes), None]
        return _allowed(u + size * self.rng.normal(size=u.shape), self.levels)
