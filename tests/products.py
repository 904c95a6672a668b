"""Combinations of parameters, of which a part runs by default and all run in `.ci/run`."""

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import pytest


def thinned(*axes: Iterable[Any], one_in: int) -> list[Any]:
    """Every combination as a parameter; all but one in so many are marked `thorough`.

    Those that are kept lie on diagonals: each value of one axis meets several of the others.
    """
    numbered: list[Sequence[tuple[int, Any]]] = [list(enumerate(axis)) for axis in axes]
    return [
        pytest.param(
            *(value for _, value in case),
            marks=() if sum(number for number, _ in case) % one_in == 0 else pytest.mark.thorough,
        )
        for case in product(*numbered)
    ]
