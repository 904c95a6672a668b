"""The extremes of one block's channel from its stated form, where it has too many entries to read.

In families whose reports are sets of symbols, Q(y|x) is base(y) times one of two weights
(`SupportForm`), so a few numbers determine every ratio, whatever the number of reports. The
mechanism computes the weights from its coins and states that its channel has this form; tests check
the form on channels that are small enough to be written out.
"""

from fractions import Fraction
from itertools import product
from typing import Final

from caldp_core.audit.block_extremes import BlockExtremes, MaxRatio, quotient, ratio_sort_key
from caldp_core.basics.types import Progress
from caldp_core.mechanisms.structures import HasSupportForm, SupportForm

_BASE: Final = (Fraction(1),)


def extremes_from_form(
    oracles: HasSupportForm, block: int, size: int, progress: Progress
) -> BlockExtremes:
    """The extremes of a block of `size` hidden symbols, from its form, in constant time.

    If some reports include a symbol and others do not, the worst case is assumed: one report that
    includes x and not x′. All pairs are alike, so the first two symbols are named.
    """
    form = oracles.support_form(block)
    weights = possible_weights(form)
    other = min(1, size - 1)
    extremes = BlockExtremes(
        hidden_ratio=MaxRatio(_largest(weights, weights), None, 0, other),
        base_ratio=MaxRatio(_largest(weights, _BASE), None, 0, 0),
        faulty_row=None if is_distribution(form) else 0,
        base_is_distribution=0 <= form.share <= 1,
    )
    progress(1.0)
    return extremes


def possible_weights(form: SupportForm) -> tuple[Fraction, ...]:
    """The weights that occur: at share 0 no report includes a symbol, at share 1 every one does."""
    included = (form.included,) if form.share > 0 else ()
    excluded = (form.excluded,) if form.share < 1 else ()
    return included + excluded


def is_distribution(form: SupportForm) -> bool:
    """Whether a row sums to 1 and has no negative entry."""
    total = form.share * form.included + (1 - form.share) * form.excluded
    return total == 1 and 0 <= form.share <= 1 and min(possible_weights(form)) >= 0


def _largest(above: tuple[Fraction, ...], below: tuple[Fraction, ...]) -> Fraction | None:
    return max((quotient(a, b) for a, b in product(above, below)), key=ratio_sort_key)
