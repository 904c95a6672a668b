"""A family rebuilt from a protocol's whole numbers, without choosing its parameters anew.

What a family chooses by itself (parts, ω, g, q) it chooses by floats: another machine or a later
version might choose otherwise, while devices in the field go on by what the protocol says.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from caldp_core.basics.counted import count_text
from caldp_core.basics.errors import require
from caldp_core.basics.limits import SPACE_POINTS_MAX
from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.mechanisms.base import Family, FrequencyOracles
from caldp_core.mechanisms.oracles.galois import GaloisOracles, digits_of
from caldp_core.mechanisms.oracles.hadamard import HadamardOracles
from caldp_core.mechanisms.oracles.hyperplanes import DEGREE_MAX
from caldp_core.mechanisms.oracles.local_hashing import LocalHashingOracles
from caldp_core.mechanisms.oracles.subset_selection import SubsetSelectionOracles
from caldp_core.mechanisms.specs import FamilySpec

_CHOICES: Final[dict[str, tuple[str, Callable[..., FrequencyOracles]]]] = {
    "hadamard": ("parts", HadamardOracles),
    "galois": ("degree", GaloisOracles),
    "subset-selection": ("omega", SubsetSelectionOracles),
    "local-hashing": ("g", LocalHashingOracles),
}
"""Family → the numbers that it chooses, and its oracles; the others choose nothing."""


def pinned_family(spec: FamilySpec, numbers: Mapping[str, Any]) -> Family:
    """The family with the choices in `numbers`, lists of m; `CaldpError` when it is called."""
    if spec.name not in _CHOICES:
        return spec.family()
    name, oracles = _CHOICES[spec.name]

    def choose(sizes: Ints, *_: Any) -> Ints:
        listed = numbers.get(name)
        require(
            isinstance(listed, list)
            and len(listed) == sizes.size
            and all(type(each) is int and 0 <= each <= 1 << 20 for each in listed),
            f"The protocol's mechanism needs {name}: a whole number for each of "
            f"{count_text(sizes.size, 'block', 'blocks')}; give the file that caldp wrote.",
        )
        array = np.array(listed, np.int64)
        wrong = np.flatnonzero(~_ALLOWED[name](sizes, array))
        require(
            not wrong.size,
            f"The protocol's {name} of block {wrong[:1].sum()} is {array[wrong[:1]].sum()}, which "
            "the block is too small for; give the file that caldp wrote.",
        )
        return array

    def family(sizes: Ints, epsilon: Floats) -> FrequencyOracles:
        return oracles(sizes, epsilon, choose)

    return family


def _fields(sizes: Ints, degrees: Ints) -> Bools:
    right = degrees <= DEGREE_MAX
    for m in range(1, DEGREE_MAX + 1):
        some = degrees == m
        points = 2.0 ** (m * digits_of(sizes[some], m))
        right[some] = (points <= SPACE_POINTS_MAX) & (sizes[some] > 1 << m)
    return np.asarray(right)


def _bins(sizes: Ints, g: Ints) -> Bools:
    # As many as symbols is always few enough: the prime is not smaller.
    return np.asarray((g >= np.minimum(2, sizes)) & (g >= 1) & (g <= np.maximum(2 * sizes, 1)))


_ALLOWED: Final[dict[str, Callable[[Ints, Ints], Bools]]] = {
    "parts": lambda sizes, parts: (parts >= 1) & (parts <= np.maximum(sizes, 1)),
    "degree": _fields,
    "omega": lambda sizes, omega: (omega >= 1) & (omega <= np.maximum(sizes - 1, 1)),
    "g": _bins,
}
