"""What is promised of a collection once a shuffler mixes its reports, block by block."""

import math
from typing import Any, Final

import numpy as np

from caldp_core.basics.errors import require
from caldp_core.basics.types import Ints
from caldp_core.collect.protocol import Protocol
from caldp_core.mechanisms.offers import block_totals
from caldp_core.mechanisms.tally import Tally
from caldp_core.theory.mixing import DELTA, mixed

LISTED: Final = 100
"""Of more blocks those with the fewest and with the most people are told."""
_ASSUMES: Final = (
    "a shuffler that nobody who sees the reports works with, and that forgets who sent what; "
    "people are counted in reports"
)


def if_mixed(protocol: Protocol, people: Ints) -> dict[str, Any] | None:
    """(m,) people of each block → what mixing their reports leaves of ε, JSON-ready.

    `epsilon`: of two protected values; `epsilon_beside_open`: of a protected and an open one. None
    where the policy has pairs without a limit. Raises `CaldpError` for another number of blocks.
    """
    crowds = np.asarray(people)
    blocks = len(protocol.block_names)
    require(
        crowds.shape == (blocks,),
        f"people must be a number for each of {blocks:,} blocks, got {crowds.size:,}.",
    )
    told = np.arange(blocks)
    if blocks > LISTED:
        told = np.argsort(crowds, kind="stable")[[*range(LISTED // 2), *range(-LISTED // 2, 0)]]
    only = np.zeros_like(crowds)
    only[told] = crowds[told]
    found = mixed(protocol.mechanism, np.where(only > 0, only, 1), DELTA)
    if found is None:
        return None
    rows = [
        {
            "block": protocol.block_names[j],
            "people": int(crowds[j]),
            **_known("epsilon", found.hidden[j]),
            **_known("epsilon_beside_open", found.open[j]),
        }
        for j in np.sort(told).tolist()
    ]
    return {"delta": DELTA, "assumes": _ASSUMES, "blocks": rows}


def _known(name: str, level: float) -> dict[str, float]:
    """Three digits, upwards; nothing where there is no such pair."""
    if math.isnan(level):
        return {}
    step = 10.0 ** (math.floor(math.log10(level)) - 2)
    return {name: float(f"{math.ceil(level / step - 1e-9) * step:.3g}")}


def if_these_are_mixed(protocol: Protocol, tally: Tally) -> dict[str, Any] | None:
    """The same for those whose reports are in a tally, as many of each block as it tells."""
    return if_mixed(protocol, block_totals(protocol.mechanism, tally)[1])
