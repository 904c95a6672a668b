"""The designer: how long it takes, and how much better any other channel could be.

Matrices with a pattern, and random ones without any. McKenna, Maity, Mazumdar and Miklau (2020) end
12 to 14 % above the optimum in plain LDP at k = 16 to 64, by gradient descent on a strategy matrix
of 4k reports: measured once on the same loss, and the bar here.
"""

from collections.abc import Iterator
from time import perf_counter
from typing import Final

import numpy as np

from benchmarks.figures import Bar, Figure
from benchmarks.sizes import Sizes
from caldp_core.basics.types import Floats
from caldp_core.mechanisms.designed.design import Design, design
from caldp_core.privacy.context import Context, PrivacyMatrix
from caldp_core.privacy.matrix import DenseMatrix

_ANCHOR: Final = 12.0
"""Percent above the optimum: the strategy matrix's best case."""
_SECONDS: Final = {16: 2.0, 64: 10.0, 256: 120.0}
_SEED: Final = 1


def figures(sizes: Sizes) -> Iterator[Figure]:
    """Seconds and the certified gap, once each."""
    for k in sizes.designed:
        for name, policy in _policies(k).items():
            started = perf_counter()
            channel_design = design(policy)
            seconds = perf_counter() - started
            limit = _SECONDS.get(k)
            bar = Bar("≤", limit) if limit else None
            work = f"design, k = {k}, {name}"
            yield Figure.of(work, "s", [seconds], bar, _note(channel_design))
            yield _gap(work, name, channel_design)


def _note(channel_design: Design) -> str:
    looked = (
        "every extreme ray looked at"
        if channel_design.exact
        else "by merged symbols and a relaxation"
    )
    return f"{channel_design.channel.outputs:,} reports, loss {channel_design.loss:.4g}, {looked}"


def _gap(work: str, name: str, channel_design: Design) -> Figure:
    """The design's loss over the least loss that is proven for any channel: 1 + gap."""
    times = 1 + channel_design.gap
    bar = Bar("≤", 1 + _ANCHOR / 100) if name == "plain LDP" else None
    return Figure.of(f"loss / proven least loss, {work}", "×", [times], bar)


def _policies(k: int) -> dict[str, PrivacyMatrix]:
    return {
        "plain LDP": Context.plain(k, 1.0),
        "a quarter sensitive": Context.high_low(np.arange(k) < k // 4, 1.0),
        "places in the plane": DenseMatrix.of(_places(k)),
        "random levels": DenseMatrix.of(_levels(k)),
    }


def _places(k: int) -> Floats:
    """Distances of random places in a square of 2 by 2 nats."""
    places = np.random.default_rng(_SEED).uniform(0, 2, (k, 2))
    return np.asarray(np.hypot(*(places[:, None] - places).transpose(2, 0, 1)))


def _levels(k: int) -> Floats:
    """(k, k) independent levels, uniform in [0.5, 3] nats; 0 on the diagonal."""
    levels = np.random.default_rng(_SEED).uniform(0.5, 3.0, (k, k))
    np.fill_diagonal(levels, 0.0)
    return levels
