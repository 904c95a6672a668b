"""Combinations of parameters, of which a part runs by default and all run in `.ci/run`."""

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import pytest


def thinned(*axes: Iterable[Any], one_in: int, of: int = 1) -> list[Any]:
    """Combinations as parameters; all but one in so many are marked `thorough`.

    Those that run by default lie on diagonals: each value of one axis meets several of the others.
    `of`: only one combination in so many runs at all, on diagonals, too.
    """
    numbered: list[Sequence[tuple[int, Any]]] = [list(enumerate(axis)) for axis in axes]
    return [
        pytest.param(
            *(value for _, value in case),
            marks=() if diagonal % (of * one_in) == 0 else pytest.mark.thorough,
        )
        for case in product(*numbered)
        if (diagonal := sum(number for number, _ in case)) % of == 0
    ]
