"""Powers of e to many digits, whole numbers rounded from them, and limits of a share from a count.

A promise of ε is kept or broken at e^ε exactly, which no float is: coins take their thresholds from
here, rounded to the private side, and audits their bounds.
"""

from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np

from caldp_core.basics.extras import scipy
from caldp_core.basics.limits import LEVEL_MAX
from caldp_core.basics.types import Floats, Ints

DIGITS: Final = 60
_TINY: Final = 1e-30
"""Below it, 1 + ε is nearer to e^ε than 60 digits."""

Formula: TypeAlias = Callable[..., Decimal]
"""Powers of e → a number, by decimal arithmetic."""


def floor_of(formula: Formula, *exponents: float | Fraction, digits: int = DIGITS) -> int:
    """⌊formula(e^a, e^b, …)⌋ ≥ 0 for exponents a, b, …, exact for values that are not whole.

    A power of e is irrational for every rational exponent but 0 (Lindemann 1882), so enough
    `digits` separate a value from a whole number near it: they must outlast all differences that
    the formula takes. −∞ stands for e^{−∞} = 0.
    """
    with localcontext() as context:
        context.prec = digits
        return int(formula(*(_decimal(exponent).exp() for exponent in exponents)))


def ceiling_of(formula: Formula, *exponents: float | Fraction, digits: int = DIGITS) -> int:
    """⌈formula(e^a, e^b, …)⌉ > 0, for values that are not whole; see `floor_of`."""
    return floor_of(formula, *exponents, digits=digits) + 1


def _decimal(exponent: float | Fraction) -> Decimal:
    if isinstance(exponent, Fraction):
        return Decimal(exponent.numerator) / Decimal(exponent.denominator)
    return Decimal(float(exponent))


@lru_cache(maxsize=1 << 14)
def exp_below(epsilon: float) -> Fraction:
    """A rational just below e^ε, by at most 2·10^-59 of it; never below 1, and 1 for ε = 0.

    `epsilon`: finite, ≥ 0. Beyond `LEVEL_MAX` it is far below e^ε: what this number bounds is
    bounded by e^ε all the same, so that nothing leaks unseen.
    """
    if epsilon < _TINY:
        return 1 + Fraction(epsilon)  # below e^ε by about ε²/2
    with localcontext() as context:
        context.prec = DIGITS
        # exp is correctly rounded, so the number before the result lies below e^ε.
        return Fraction(Decimal(min(epsilon, LEVEL_MAX)).exp().next_minus())


def clopper_pearson_lower(hits: Ints | Floats, n: int, tail: float | Floats) -> Floats:
    """The least p at which `hits` of n or more have probability `tail`; 0 for no hits.

    `hits`: any shape, in [0, n]; `tail`: in (0, 1).
    """
    some = np.where(hits > 0, hits, 1.0)
    return np.where(hits > 0, scipy.special.betaincinv(some, n - some + 1.0, tail), 0.0)


def clopper_pearson_upper(hits: Ints | Floats, n: int, tail: float | Floats) -> Floats:
    """The greatest p at which `hits` of n or fewer have probability `tail`; 1 for n hits."""
    missing = n - hits
    share = scipy.special.betainccinv(hits + 1.0, np.where(missing > 0, missing, 1.0), tail)
    return np.where(missing > 0, share, 1.0)
