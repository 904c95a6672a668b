"""Mechanisms by name and parameters: records that a file, a link and a cache key can hold.

A spec says which mechanism is meant; `make` makes it for a policy. A parameter that is None is
chosen by the mechanism itself, as its source says. `catalogue.py` describes each and lists the
policies that it keeps.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from caldp_core.basics.errors import check_number, check_whole, require
from caldp_core.basics.limits import K_MAX, THETA_MAX, THETA_MIN
from caldp_core.basics.types import Ints
from caldp_core.mechanisms.base import Family, Mechanism
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.designed.mechanism import DesignedMechanism
from caldp_core.mechanisms.direct import geometric_axis, planar, published_urap, square_wave
from caldp_core.mechanisms.direct.binary import BinaryMechanism
from caldp_core.mechanisms.direct.exponential import ExponentialMechanism
from caldp_core.mechanisms.kernels.mechanism import best_kernel
from caldp_core.mechanisms.oracles import galois, hadamard, local_hashing, subset_selection
from caldp_core.mechanisms.oracles.hyperplanes import DEGREE_MAX
from caldp_core.mechanisms.oracles.randomized_response import RandomizedResponseOracles
from caldp_core.mechanisms.oracles.unary import OueOracles, RapporOracles, unary_family
from caldp_core.mechanisms.personalised import TaggedMechanism
from caldp_core.privacy.context import PersonalPolicy
from caldp_core.privacy.distance import DistanceMetric


class MechanismSpec(Protocol):
    """Says which mechanism is meant; frozen, its fields numbers or None."""

    def make(self, policy: Any, /) -> Mechanism:
        """The mechanism for a policy that it keeps; `CaldpError` where size or parameters fail."""


@runtime_checkable
class TakesShare(Protocol):
    """A spec that can be tuned to a share of people with a sensitive value."""

    def for_share(self, share: float) -> MechanismSpec:
        """The mechanism that is best if this `share`, in [0, 1], of a block's people has one."""


class FamilySpec:
    """A family of frequency oracles, by its `name` in files; `oracles`: their class."""

    name: ClassVar[str]
    oracles: ClassVar[Any]

    def choice(self) -> Callable[..., Ints] | None:
        """What the parameters choose, for the oracles' `choose`; None: the family's own choice."""
        return None

    def family(self) -> Family:
        """Factory of the oracles."""
        choose = self.choice()
        family: Family = self.oracles if choose is None else partial(self.oracles, choose=choose)
        return family

    def make(self, policy: Any) -> Mechanism:
        """The family in this context, or as the common mechanism of a personal policy."""
        if isinstance(policy, PersonalPolicy):
            return TaggedMechanism(policy, self.name, self.family())
        return ContextMechanism(policy, self.name, self.family())


@dataclass(frozen=True)
class Hadamard(FamilySpec):
    """Hadamard response. `parts`: B of its general form; None is the published one.

    With 1 it is the form for high privacy, which CALDP takes in contexts. None is the B of Acharya,
    Sun, Zhang 2019 for every block, about e^ε.
    """

    name = "hadamard"
    oracles = hadamard.HadamardOracles
    parts: int | None = 1

    def __post_init__(self) -> None:
        if self.parts is not None:
            check_whole("parts", self.parts, 1, K_MAX)

    def choice(self) -> Callable[..., Ints] | None:
        """See `FamilySpec.choice`."""
        if self.parts is None:
            return hadamard.published_parts
        parts = self.parts
        return None if parts == 1 else lambda sizes, _: np.full(sizes.size, parts)


@dataclass(frozen=True)
class RandomizedResponse(FamilySpec):
    """Randomized response."""

    name = "randomized-response"
    oracles = RandomizedResponseOracles


def _check_share(share: float | None, name: str, value: int | None) -> None:
    """`CaldpError` unless the share is in [0, 1], and alone where it chooses the value `value`."""
    if share is not None:
        check_number("share", share, 0.0, 1.0)
        require(
            value is None,
            f"share chooses {name}, so only one of them can be given, got {share:g} and {value}; "
            "leave one out.",
        )


@dataclass(frozen=True)
class Rappor(FamilySpec):
    """RAPPOR. `theta`: chance of a yes to one's own value; None is e^{ε/2}/(e^{ε/2}+1)."""

    name = "rappor"
    theta: float | None = None

    def __post_init__(self) -> None:
        if self.theta is not None:
            check_number("theta", self.theta, THETA_MIN, THETA_MAX)

    def family(self) -> published_urap.UnaryFamily:
        """Factory of the oracles."""
        return RapporOracles if self.theta is None else unary_family(self.theta)


@dataclass(frozen=True)
class Oue(FamilySpec):
    """Optimized unary encoding."""

    name = "oue"
    oracles = OueOracles


@dataclass(frozen=True)
class SubsetSelection(FamilySpec):
    """Subset selection. `omega`: values in a report; None is the best whole number by a block.

    `share`: what ω is the best for: the share of a block's people who are thought, from public
    knowledge, to have a sensitive value. None is all of them, the worst that can be.
    """

    name = "subset-selection"
    oracles = subset_selection.SubsetSelectionOracles
    omega: int | None = None
    share: float | None = None

    def __post_init__(self) -> None:
        if self.omega is not None:
            check_whole("omega", self.omega, 1, K_MAX)
        _check_share(self.share, "omega", self.omega)

    def choice(self) -> Callable[..., Ints] | None:
        """See `FamilySpec.choice`."""
        if self.share is not None:
            return partial(subset_selection.best_omega, hidden=self.share)
        if self.omega is None:
            return None
        return partial(subset_selection.same_omega, omega=self.omega)

    def for_share(self, share: float) -> MechanismSpec:
        """See `TakesShare.for_share`."""
        return SubsetSelection(share=share)


@dataclass(frozen=True)
class LocalHashing(FamilySpec):
    """Local hashing. `g`: bins; None is the best whole number, about e^ε + 1."""

    name = "local-hashing"
    oracles = local_hashing.LocalHashingOracles
    g: int | None = None

    def __post_init__(self) -> None:
        if self.g is not None:
            check_whole("g", self.g, 2, K_MAX)

    def choice(self) -> Callable[..., Ints] | None:
        """See `FamilySpec.choice`."""
        return None if self.g is None else partial(local_hashing.same_range, g=self.g)


@dataclass(frozen=True)
class Galois(FamilySpec):
    """Galois response. `q`: values that a report tells apart, a power of two; None is the best.

    `share`: what q is the best for, as in `SubsetSelection`.
    """

    name = "galois"
    oracles = galois.GaloisOracles
    q: int | None = None
    share: float | None = None

    def __post_init__(self) -> None:
        if self.q is not None:
            q = check_whole("q", self.q, 2, 1 << DEGREE_MAX)
            rule = f"q must be a power of two, got {q:,}; take 2, 4, 8 and so on."
            require(q & (q - 1) == 0, rule)
        _check_share(self.share, "q", self.q)

    def choice(self) -> Callable[..., Ints] | None:
        """See `FamilySpec.choice`."""
        if self.share is not None:
            return partial(galois.best_degrees, hidden=self.share)
        return None if self.q is None else partial(galois.same_degrees, q=self.q)

    def for_share(self, share: float) -> MechanismSpec:
        """See `TakesShare.for_share`."""
        return Galois(share=share)


@dataclass(frozen=True)
class PublishedUrap:
    """ULDP's utility-optimized RAPPOR as published; `theta` as in `Rappor`."""

    theta: float | None = None

    def __post_init__(self) -> None:
        Rappor(self.theta)  # which refuses what is no chance

    def make(self, policy: Any) -> Mechanism:
        """See `MechanismSpec.make`."""
        return published_urap.PublishedUrapMechanism(policy, Rappor(self.theta).family())


@dataclass(frozen=True)
class SquareWave:
    """The square wave, on values in their order."""

    make = staticmethod(square_wave.SquareWaveMechanism)


@dataclass(frozen=True)
class Binary:
    """The best mechanism for one yes-or-no question."""

    make = staticmethod(BinaryMechanism)


@dataclass(frozen=True)
class GridGeometric:
    """Geometric noise along streets, or along a scale of answers."""

    make = staticmethod(geometric_axis.GridGeometricMechanism)


@dataclass(frozen=True)
class PlanarGeometric:
    """Planar geometric noise."""

    make = staticmethod(planar.PlanarGeometricMechanism)


@dataclass(frozen=True)
class BestKernel:
    """The noise that lies least far off, designed for the map's steps or read from its file."""

    make = staticmethod(best_kernel)


@dataclass(frozen=True)
class SteppedGeometric:
    """Noise along streets with steps so small that it keeps the distance as the crow flies."""

    def make(self, policy: Any) -> Mechanism:
        """See `MechanismSpec.make`."""
        return geometric_axis.GridGeometricMechanism(policy.stricter_grid_metric())


@dataclass(frozen=True)
class Exponential:
    """The exponential mechanism, on the table of all levels of a small domain."""

    def make(self, policy: Any) -> Mechanism:
        """See `MechanismSpec.make`."""
        table = policy if isinstance(policy, DistanceMetric) else DistanceMetric.from_policy(policy)
        return ExponentialMechanism(table)


@dataclass(frozen=True)
class Designed:
    """What the designer finds for the policy, values and errors all alike."""

    make = staticmethod(DesignedMechanism.for_policy)
