"""Mechanisms by name and parameters: records that a file, a link and a cache key can hold.

A spec says which mechanism is meant; `make` makes it for a policy. A parameter that is None is
chosen by the mechanism itself, as its source says. `catalogue.py` describes each and lists the
policies that it keeps.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

from caldp_core.basics.errors import check_number, check_whole, require
from caldp_core.basics.limits import K_MAX, THETA_MAX, THETA_MIN
from caldp_core.mechanisms.base import Family, Mechanism
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.designed.mechanism import DesignedMechanism
from caldp_core.mechanisms.direct import geometric_axis, planar, published_urap, square_wave
from caldp_core.mechanisms.direct.binary import BinaryMechanism
from caldp_core.mechanisms.direct.exponential import ExponentialMechanism
from caldp_core.mechanisms.kernels.mechanism import best_kernel
from caldp_core.mechanisms.oracles.galois import (
    GaloisOracles,
    check_field_size,
    galois_family,
    galois_family_for,
)
from caldp_core.mechanisms.oracles.hadamard import (
    HadamardOracles,
    hadamard_family,
    published_hadamard,
)
from caldp_core.mechanisms.oracles.local_hashing import LocalHashingOracles, hashing_family
from caldp_core.mechanisms.oracles.randomized_response import RandomizedResponseOracles
from caldp_core.mechanisms.oracles.subset_selection import (
    SubsetSelectionOracles,
    subset_family,
    subset_family_for,
)
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


class FamilySpec(ABC):
    """A family of frequency oracles, by its `name` in files."""

    name: ClassVar[str]

    @abstractmethod
    def family(self) -> Family:
        """Factory of the oracles."""

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
    parts: int | None = 1

    def __post_init__(self) -> None:
        if self.parts is not None:
            check_whole("parts", self.parts, 1, K_MAX)

    def family(self) -> Family:
        """Factory of the oracles."""
        if self.parts is None:
            return published_hadamard
        return HadamardOracles if self.parts == 1 else hadamard_family(self.parts)


@dataclass(frozen=True)
class RandomizedResponse(FamilySpec):
    """Randomized response."""

    name = "randomized-response"

    def family(self) -> Family:
        """Factory of the oracles."""
        return RandomizedResponseOracles


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

    def family(self) -> Family:
        """Factory of the oracles."""
        return OueOracles


@dataclass(frozen=True)
class SubsetSelection(FamilySpec):
    """Subset selection. `omega`: values in a report; None is the best whole number by a block.

    `share`: what ω is the best for: the share of a block's people who are thought, from public
    knowledge, to have a sensitive value. None is all of them, the worst that can be.
    """

    name = "subset-selection"
    omega: int | None = None
    share: float | None = None

    def __post_init__(self) -> None:
        if self.omega is not None:
            check_whole("omega", self.omega, 1, K_MAX)
        _check_share(self.share, "omega", self.omega)

    def family(self) -> Family:
        """Factory of the oracles."""
        if self.share is not None:
            return subset_family_for(self.share)
        return SubsetSelectionOracles if self.omega is None else subset_family(self.omega)

    def for_share(self, share: float) -> MechanismSpec:
        """See `TakesShare.for_share`."""
        return SubsetSelection(share=share)


@dataclass(frozen=True)
class LocalHashing(FamilySpec):
    """Local hashing. `g`: bins; None is the best whole number, about e^ε + 1."""

    name = "local-hashing"
    g: int | None = None

    def __post_init__(self) -> None:
        if self.g is not None:
            check_whole("g", self.g, 2, K_MAX)

    def family(self) -> Family:
        """Factory of the oracles."""
        return LocalHashingOracles if self.g is None else hashing_family(self.g)


@dataclass(frozen=True)
class Galois(FamilySpec):
    """Galois response. `q`: values that a report tells apart, a power of two; None is the best.

    `share`: what q is the best for, as in `SubsetSelection`.
    """

    name = "galois"
    q: int | None = None
    share: float | None = None

    def __post_init__(self) -> None:
        if self.q is not None:
            check_field_size(self.q)
        _check_share(self.share, "q", self.q)

    def family(self) -> Family:
        """Factory of the oracles."""
        if self.share is not None:
            return galois_family_for(self.share)
        return GaloisOracles if self.q is None else galois_family(self.q)

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

    def make(self, policy: Any) -> Mechanism:
        """See `MechanismSpec.make`."""
        return square_wave.SquareWaveMechanism(policy)


@dataclass(frozen=True)
class Binary:
    """The best mechanism for one yes-or-no question."""

    def make(self, policy: Any) -> Mechanism:
        """See `MechanismSpec.make`."""
        return BinaryMechanism(policy)


@dataclass(frozen=True)
class GridGeometric:
    """Geometric noise along streets, or along a scale of answers."""

    def make(self, policy: Any) -> Mechanism:
        """See `MechanismSpec.make`."""
        return geometric_axis.GridGeometricMechanism(policy)


@dataclass(frozen=True)
class PlanarGeometric:
    """Planar geometric noise."""

    def make(self, policy: Any) -> Mechanism:
        """See `MechanismSpec.make`."""
        return planar.PlanarGeometricMechanism(policy)


@dataclass(frozen=True)
class BestKernel:
    """The noise that lies least far off, designed for the map's steps or read from its file."""

    def make(self, policy: Any) -> Mechanism:
        """See `MechanismSpec.make`."""
        return best_kernel(policy)


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

    def make(self, policy: Any) -> Mechanism:
        """See `MechanismSpec.make`."""
        return DesignedMechanism.for_policy(policy)
