"""What the form of a channel says of one block, where its reports are too many to go through.

Room: audits. In families whose reports include symbols, Q(y|x) is base(y) times one of two
weights (`SupportForm`); so four numbers settle every ratio, whatever the number of reports. The
weights are the mechanism's own, reckoned from the coins that it flips; that its channel has this
form is its word. (Where channels are small enough to be written out, tests hold it to it.)
"""

from fractions import Fraction
from itertools import product
from typing import Final

from caldp_core.audit.block_extremes import BlockLaw, Widest, quotient, size_of
from caldp_core.basics.types import Progress
from caldp_core.mechanisms.base import HasSupportForm, SupportForm

_BASE: Final = (Fraction(1),)


def law_of_form(oracles: HasSupportForm, block: int, size: int, progress: Progress) -> BlockLaw:
    """The law of a block of `size` hidden symbols, from its form; takes no time at any size.

    Where a report may include a symbol and may not, two symbols are taken to be told apart by
    one: nothing could be worse. The two named are the first, for all pairs are alike.
    """
    form = oracles.support_form(block)
    weights = possible_weights(form)
    other = min(1, size - 1)
    law = BlockLaw(
        within=Widest(_largest(weights, weights), None, 0, other),
        over_base=Widest(_largest(weights, _BASE), None, 0, 0),
        faulty=None if is_law(form) else 0,
        base_is_law=0 <= form.share <= 1,
    )
    progress(1.0)
    return law


def possible_weights(form: SupportForm) -> tuple[Fraction, ...]:
    """Weights that some report has: none includes a symbol at share 0, each one at share 1."""
    included = (form.included,) if form.share > 0 else ()
    excluded = (form.excluded,) if form.share < 1 else ()
    return included + excluded


def is_law(form: SupportForm) -> bool:
    """Whether a row sums to 1 and has no negative entry."""
    total = form.share * form.included + (1 - form.share) * form.excluded
    return total == 1 and 0 <= form.share <= 1 and min(possible_weights(form)) >= 0


def _largest(above: tuple[Fraction, ...], below: tuple[Fraction, ...]) -> Fraction | None:
    return max((quotient(a, b) for a, b in product(above, below)), key=size_of)
