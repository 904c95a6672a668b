"""The privacy of a collection once a shuffler mixes its reports, block by block.

It depends on how many people a block has, which no protocol knows: before a collection
`mixed_privacy_by_crowd` takes expected numbers, afterwards the record holds it for those who took
part.
"""

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from caldp_core.basics.counted import count_text
from caldp_core.basics.errors import CaldpError, check_n, require
from caldp_core.basics.types import Ints, Progress, no_progress
from caldp_core.collect.protocol import Protocol
from caldp_core.mechanisms.base import Tally
from caldp_core.mechanisms.capabilities import block_totals
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.privacy.context import Context
from caldp_core.theory.mixing import DELTA, Variations, epsilons_after_mixing

LISTED: Final = 100
"""Most blocks listed; of more, those with the fewest and with the most people."""
_ASSUMES: Final = (
    "a shuffler that nobody who sees the reports works with, and that forgets who sent what; "
    "people are counted in reports"
)


def mixed_privacy(protocol: Protocol, people: Ints) -> dict[str, Any] | None:
    """(m,) people of each block → what mixing their reports leaves of ε, JSON-ready.

    `epsilon`: of two protected values; `epsilon_beside_open`: of a protected and an open one. None
    where the policy has pairs without a limit, or protects nobody. Raises `CaldpError` for another
    number of blocks.
    """
    crowds = np.asarray(people)
    blocks = len(protocol.block_names)
    require(
        crowds.shape == (blocks,),
        f"people must be a number for each of {count_text(blocks, 'block', 'blocks')}, got "
        f"{crowds.size:,}.",
    )
    listed = np.arange(blocks)
    if blocks > LISTED:
        listed = np.argsort(crowds, kind="stable")[[*range(LISTED // 2), *range(-LISTED // 2, 0)]]
    listed_crowds = np.zeros_like(crowds)
    listed_crowds[listed] = crowds[listed]
    levels = epsilons_after_mixing(protocol.mechanism, listed_crowds, DELTA)
    if levels is None or not protocol.coverage.protected.any():
        return None
    alone = block_epsilons(protocol)
    rows = [
        {
            "block": protocol.block_names[j],
            "people": int(crowds[j]),
            "epsilon_of_one_report": alone[j],
            **_rounded_epsilon("epsilon", levels.hidden[j]),
            **_rounded_epsilon("epsilon_beside_open", levels.open[j]),
        }
        for j in np.sort(listed).tolist()
    ]
    return {**protocol.exposed_part, "delta": DELTA, "assumes": _ASSUMES, "blocks": rows}


def block_epsilons(protocol: Protocol) -> list[float | None]:
    """ε of each block for one report, before anything is mixed; None where nothing is hidden."""
    policy = protocol.mechanism.policy
    if isinstance(policy, Context):
        pairs = zip(policy.epsilon.tolist(), policy.hidden_sizes.tolist(), strict=True)
        return [level if hidden else None for level, hidden in pairs]
    return [protocol.plan.promise()["epsilon_most"]] * len(protocol.block_names)


def _rounded_epsilon(name: str, level: float) -> dict[str, float]:
    """{name: `level` rounded up to three digits}; empty where there is no such pair."""
    if math.isnan(level):
        return {}
    step = 10.0 ** (math.floor(math.log10(level)) - 2)
    return {name: float(f"{math.ceil(level / step - 1e-9) * step:.3g}")}


def mixed_privacy_of_tally(protocol: Protocol, tally: Tally) -> dict[str, Any] | None:
    """`mixed_privacy` for a tally's reports, with as many people of each block as it counts."""
    return mixed_privacy(protocol, block_totals(protocol.mechanism, tally)[1])


def mixed_privacy_by_crowd(
    protocol: Protocol,
    people: Sequence[int],
    delta: float = DELTA,
    progress: Progress = no_progress,
) -> dict[str, Any]:
    """ε that is left after mixing where every block has n people, for each n in `people`.

    JSON-ready. Blocks that are alike have one row, with how many there are and the first one's
    name. Raises `CaldpError` where the policy has pairs without a limit, and for numbers of people
    that are none.
    """
    require(
        bool(protocol.coverage.protected.any()),
        "Mixing promises nothing where no value is protected: every report names its value; "
        "choose a policy that hides some.",
    )
    crowds = sorted({check_n(n) for n in people})
    first, alike = _kinds(protocol)
    bounds = []
    for done, n in enumerate(crowds):
        counts = np.zeros(len(protocol.block_names), np.int64)
        counts[first] = n
        levels = epsilons_after_mixing(protocol.mechanism, counts, delta)
        if levels is None:
            raise CaldpError(
                "Mixing promises nothing where the policy has pairs without a limit; choose a "
                "policy in which every pair has one, or blocks."
            )
        bounds.append(levels)
        progress((done + 1) / len(crowds))
    alone = block_epsilons(protocol)
    rows = [
        {
            "block": protocol.block_names[j],
            "blocks_like_it": count,
            "epsilon_of_one_report": alone[j],
            "mixed_among": {
                str(n): _rounded_epsilon("epsilon", each.hidden[j])
                | _rounded_epsilon("epsilon_beside_open", each.open[j])
                for n, each in zip(crowds, bounds, strict=True)
            },
        }
        for j, count in zip(first.tolist(), alike.tolist(), strict=True)
    ]
    return {
        **protocol.exposed_part,
        "protocol": protocol.fingerprint,
        "delta": delta,
        "assumes": _ASSUMES,
        "blocks": rows,
    }


def _kinds(protocol: Protocol) -> tuple[Ints, Ints]:
    """The first block of each kind and how many there are; of many kinds the extremes.

    Two blocks are of a kind if their ε and the chances of their coins are the same.
    """
    mechanism, blocks = protocol.mechanism, len(protocol.block_names)
    if not isinstance(mechanism, ContextMechanism):
        return np.zeros(1, np.int64), np.array([blocks])
    variations = Variations.of(mechanism)
    epsilon = np.where(mechanism.policy.hidden_sizes > 0, mechanism.policy.epsilon, np.nan)
    rows = np.stack([epsilon, variations.hidden, variations.open], axis=1)
    _, first, alike = np.unique(
        np.nan_to_num(rows, nan=-1), axis=0, return_index=True, return_counts=True
    )
    order = np.arange(first.size)
    if first.size > LISTED:
        order = order[[*range(LISTED // 2), *range(-LISTED // 2, 0)]]
    order = order[np.argsort(first[order])]
    return first[order], alike[order]
