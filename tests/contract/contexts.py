"""The kinds of contexts that every family has to serve, small enough for exact channels."""

from collections.abc import Callable
from typing import Final

import numpy as np

from caldp_core.basics.types import Floats
from caldp_core.privacy.context import Context

# Blocks of 5, 3, 1 and 2 symbols, not in order: layouts that only suit sorted labels break.
_LABELS: Final = np.array([1, 0, 0, 2, 0, 3, 1, 0, 3, 0, 1])
_FLAGS: Final = np.array([1, 0, 1, 1, 1, 1, 1, 0, 0, 1, 0], dtype=np.bool_)


def _one_epsilon_per_block(epsilon: float) -> Context:
    levels = epsilon * np.array([1.0, 0.5, 0.8, 0.3])
    return Context.of(_LABELS, _FLAGS, levels)


CONTEXTS: Final[dict[str, Callable[[float], Context]]] = {
    "plain": lambda e: Context.plain(7, e),
    "plain, power of two": lambda e: Context.plain(4, e),
    "sensitive set": lambda e: Context.high_low(_FLAGS, e),
    "single sensitive symbol": lambda e: Context.high_low(np.arange(4) == 2, e),
    "blocks": lambda e: Context.block_structured(_LABELS, e),
    "blocks and sensitive set": lambda e: Context.of(_LABELS, _FLAGS, e),
    "block without sensitive symbols": lambda e: Context.of(_LABELS, _FLAGS & (_LABELS != 0), e),
    "nothing sensitive": lambda e: Context.of(_LABELS, np.zeros(_LABELS.size, np.bool_), e),
    "one ε per block": _one_epsilon_per_block,
    "k = 1": lambda e: Context.plain(1, e),
}
EPSILONS: Final = (0.01, 0.5, 1.0, 4.0, 20.0)
CASES: Final = [(name, epsilon) for name in CONTEXTS for epsilon in EPSILONS]


def context(name: str, epsilon: float) -> Context:
    """The named kind of context."""
    return CONTEXTS[name](epsilon)


def many_symbols(epsilon: float = 1.0, k: int = 2000) -> tuple[Context, Floats]:
    """Three blocks whose orders are 1024, 1024 and 512, a quarter not sensitive; (k,) shares.

    Half of the people hold one symbol, so that its estimate tells a wrong coin from a right one.
    """
    rng = np.random.default_rng(20)
    labels = rng.choice(3, size=k, p=[0.45, 0.35, 0.2])
    flags = rng.random(k) < 0.75
    flags[:12] = np.arange(12) % 4 < 3
    shares = 0.5 ** np.arange(1, k + 1) + 1e-4
    return Context.of(labels, flags, epsilon), shares / shares.sum()
