"""Quantiles of the true share of yes, from the reports to one yes-or-no question.

A report is yes or no, so the yes reports are a binomial count, and the share of yes is a straight
line of that count's probability.
"""

import numpy as np
import scipy

from caldp_core.basics.errors import require
from caldp_core.basics.types import Floats
from caldp_core.mechanisms.channel_products import ChannelProducts


def share_quantiles(products: ChannelProducts, unbiased: Floats, n: int, levels: Floats) -> Floats:
    """Shares of symbol 1, in [0, 1], that are below the true one at these levels.

    `products`: of a channel of two rows and two columns; `unbiased`: (2,) estimate from `n`
    reports; `levels`: (m,) in (0, 1), ascending → (m,). Jeffreys' limits (Brown, Cai, DasGupta
    2001, §3.1) for the probability of the report 1, carried over to the share. Those at 0.025 and
    0.975 hold the true share in about 95 of 100 surveys. Raises `CaldpError` where both symbols
    send the same reports.
    """
    from_no, from_yes = (float(products.apply(row)[1]) for row in np.eye(2))
    require(
        from_yes > from_no,
        "Nothing can be learned where both answers send the same reports; make epsilon larger.",
    )
    count = n * float(np.clip(products.apply(unbiased)[1], 0.0, 1.0))
    probability = scipy.special.betaincinv(count + 0.5, n - count + 0.5, levels)
    return np.asarray(np.clip((probability - from_no) / (from_yes - from_no), 0.0, 1.0))
