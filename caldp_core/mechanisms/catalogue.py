"""Every mechanism by name: its record in files and links, and the kinds of policy that it keeps.

Scenarios, the command line and pages ask `mechanisms_for(policy)` what can run and list what they
get; the contract suite tests what is listed. A new family is one file with its oracles, one record
and one entry here, and its texts in `catalogue.toml`; another mechanism is one file, one record and
one entry. Records know only their parameters: ε, blocks and sensitive set are the policy's.
"""

import tomllib
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, fields
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, Protocol, TypeAlias, cast

import numpy as np

from caldp_core.basics.errors import CaldpError, check_choice, check_number, check_whole, require
from caldp_core.basics.limits import K_MAX, THETA_MAX, THETA_MIN
from caldp_core.basics.types import Ints
from caldp_core.mechanisms.base import Family, Mechanism, check_mechanism
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.designed.design import DesignedMechanism
from caldp_core.mechanisms.direct import few_values, planar
from caldp_core.mechanisms.direct.few_values import BinaryMechanism, ExponentialMechanism
from caldp_core.mechanisms.kernels import best_kernel
from caldp_core.mechanisms.oracles import galois, hadamard, local_hashing, subset_selection, unary
from caldp_core.mechanisms.oracles.hyperplanes import DEGREE_MAX
from caldp_core.mechanisms.oracles.randomized_response import RandomizedResponseOracles
from caldp_core.mechanisms.oracles.unary import OueOracles, RapporOracles, unary_family
from caldp_core.mechanisms.personalised import PersonalisedMechanism
from caldp_core.privacy.context import Context, PersonalPolicy, PrivacyMatrix, check_policy
from caldp_core.privacy.distance import DistanceMetric, EuclideanMetric, GridMetric
from caldp_core.privacy.matrix import BinaryPolicy, DenseMatrix


class MechanismSpec(Protocol):
    """Says which mechanism is meant; frozen, its fields numbers or None."""

    def make(self, policy: Any, /) -> Mechanism:
        """The mechanism for a policy that it keeps; `CaldpError` where size or parameters fail."""


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
            return PersonalisedMechanism(policy, self.name, self.family())
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

    def family(self) -> unary.UnaryFamily:
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


@dataclass(frozen=True)
class PublishedUrap:
    """ULDP's utility-optimized RAPPOR as published; `theta` as in `Rappor`."""

    theta: float | None = None

    def __post_init__(self) -> None:
        Rappor(self.theta)  # refuses what is not a probability

    def make(self, policy: Any) -> Mechanism:
        """See `MechanismSpec.make`."""
        return unary.PublishedUrapMechanism(policy, Rappor(self.theta).family())


@dataclass(frozen=True)
class SquareWave:
    """The square wave, on values in their order."""

    make = staticmethod(few_values.SquareWaveMechanism)


@dataclass(frozen=True)
class Binary:
    """The best mechanism for one yes-or-no question."""

    make = staticmethod(BinaryMechanism)


@dataclass(frozen=True)
class GridGeometric:
    """Geometric noise along streets, or along a scale of answers."""

    make = staticmethod(planar.GridGeometricMechanism)


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
        return planar.GridGeometricMechanism(policy.stricter_grid_metric())


@dataclass(frozen=True)
class Exponential:
    """The exponential mechanism, on the table of all levels of a small domain."""

    def make(self, policy: Any) -> Mechanism:
        """See `MechanismSpec.make`."""
        table = policy if isinstance(policy, DistanceMetric) else DistanceMetric.from_policy(policy)
        return ExponentialMechanism(table)


@dataclass(frozen=True)
class Designed:
    """What the designer finds for the policy, with values and errors of equal weight."""

    make = staticmethod(DesignedMechanism.for_policy)


MechanismName: TypeAlias = Literal[
    "hadamard",
    "randomized-response",
    "rappor",
    "oue",
    "subset-selection",
    "local-hashing",
    "galois",
    "published-urap",
    "square-wave",
    "binary",
    "grid-geometric",
    "exponential",
    "planar-geometric",
    "best-kernel",
    "stepped-geometric",
    "designed",
]
"""Names of the catalogue, so that type checkers find a misspelt one."""


@dataclass(frozen=True)
class MechanismEntry:
    """A mechanism for readers: `title`, one `sentence` on what a user does, and its `source`.

    `spec`: the record that names it in scenarios, with its parameters. `policies`: kinds of privacy
    matrices; what is made for one of them keeps it. `slow_from`: hidden symbols in one block from
    which making it or drawing a tally takes more than a second; `slow_to_make_from`: those from
    which only making it the first time does. `in_order`: made for values in an order, such as
    numbers in steps; menus offer it for these alone, and `Best`, which sees no order, passes over
    it.
    """

    name: MechanismName
    title: str
    sentence: str
    source: str
    spec: type[MechanismSpec]
    policies: tuple[type[PrivacyMatrix], ...] = (Context, PersonalPolicy)
    _: KW_ONLY
    slow_from: int = K_MAX + 1
    slow_to_make_from: int = K_MAX + 1
    in_order: bool = False

    def make(self, policy: Any) -> Mechanism:
        """The mechanism with its own choice of parameters; `CaldpError` where sizes do not fit."""
        return self.spec().make(policy)


@dataclass(frozen=True)
class FamilyEntry(MechanismEntry):
    """A family of frequency oracles.

    `tally_rank`: its place by the time of a tally of tens of thousands of values, the quickest
    first. `collectable`: whether devices draw its reports; others are collected only where their
    channel can be written out.
    """

    spec: type[FamilySpec]
    _: KW_ONLY
    tally_rank: int
    collectable: bool = True

    @property
    def family(self) -> Family:
        """Factory of its oracles, with default settings."""
        return self.spec().family()


_TEXTS: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
"""By name of a mechanism its title, sentence and source."""


def _family(spec: type[FamilySpec], tally_rank: int, **limits: Any) -> FamilyEntry:
    name = cast(MechanismName, spec.name)
    return FamilyEntry(name=name, spec=spec, tally_rank=tally_rank, **_TEXTS[name], **limits)


_FAMILIES: Final = (
    _family(Hadamard, 3),
    _family(RandomizedResponse, 0),
    _family(Rappor, 2),
    _family(Oue, 1),
    _family(SubsetSelection, 5, slow_from=5_000),
    _family(LocalHashing, 6, slow_from=100),
    _family(Galois, 4),
)
FAMILIES: Final[dict[str, FamilyEntry]] = {entry.name: entry for entry in _FAMILIES}
COLLECTABLE: Final = {name: entry for name, entry in FAMILIES.items() if entry.collectable}


def in_context(context: Context, family: str) -> ContextMechanism:
    """The named family in this context; raises `CaldpError` for an unknown name."""
    check_choice("family", family, FAMILIES)
    return ContextMechanism(context, family, FAMILIES[family].family)


def _other(
    name: MechanismName, spec: type[MechanismSpec], *policies: type[PrivacyMatrix], **limits: Any
) -> MechanismEntry:
    return MechanismEntry(name=name, spec=spec, policies=policies, **_TEXTS[name], **limits)


_OTHERS: Final = (
    _other("published-urap", PublishedUrap, Context),
    _other("square-wave", SquareWave, Context, slow_from=200, in_order=True),
    _other("binary", Binary, BinaryPolicy),
    _other("grid-geometric", GridGeometric, GridMetric),
    _other("exponential", Exponential, DistanceMetric, GridMetric, EuclideanMetric, slow_from=300),
    _other("planar-geometric", PlanarGeometric, EuclideanMetric, slow_from=1_000),
    _other("best-kernel", BestKernel, EuclideanMetric, slow_from=1_000, slow_to_make_from=2),
    _other("stepped-geometric", SteppedGeometric, EuclideanMetric),
    _other("designed", Designed, DenseMatrix, slow_from=24),
)
MECHANISMS: Final[dict[str, MechanismEntry]] = {
    entry.name: entry for entry in (*FAMILIES.values(), *_OTHERS)
}


BEST: Final = "best"
"""How scenarios call the choice among these, which is `scenarios/scenario.py`'s."""
INSTALLED: Final = "installed"
"""How scenarios call a mechanism of another package."""
GROUP: Final = "caldp.mechanisms"
"""Group of entry points: name → what makes a mechanism for a policy, a class or a function."""


def installed_mechanisms() -> dict[str, EntryPoint]:
    """What other packages offer, by name; a name of the catalogue stays the catalogue's."""
    found = {each.name: each for each in entry_points(group=GROUP)}
    return {name: each for name, each in found.items() if name not in (BEST, *MECHANISMS)}


@dataclass(frozen=True)
class Installed:
    """A mechanism that another package offers, by its `name`; docs/api.md says how one does."""

    name: str

    def make(self, policy: Any, **parameters: Any) -> Mechanism:
        """See `MechanismSpec.make`; `parameters`: those of the other package."""
        found = installed_mechanisms()
        check_choice("mechanism", self.name, (*MECHANISMS, *found))
        entry = found[self.name]
        try:
            make = entry.load()
        except (ImportError, AttributeError) as error:
            raise CaldpError(
                f"The mechanism {self.name} can't be loaded from {entry.value}: {error}; "
                "repair or remove the package that offers it."
            ) from error
        made: Mechanism = make(policy, **parameters)
        check_mechanism(f"{entry.value} must make a mechanism", made)
        return made


def mechanisms_for(policy: PrivacyMatrix) -> list[MechanismEntry]:
    """The mechanisms that can keep this policy, in the catalogue's order; none for unknown kinds.

    One of them is made by `entry.make(policy)`, which may raise `CaldpError` for its size.
    """
    return [entry for entry in MECHANISMS.values() if isinstance(policy, entry.policies)]


def mechanism(policy: Any, name: MechanismName, **parameters: Any) -> Mechanism:
    """The named mechanism for a policy, such as `mechanism(context, "subset-selection", omega=4)`.

    `name`: as `list` on the command line prints it, but "best"; also of another package's that is
    installed. `parameters`: those of its record here, which docs/scenario.md lists with their
    ranges; it chooses the missing ones itself.
    Raises `CaldpError` for an unknown name or parameter, for a policy that it does not keep, and
    where sizes or values do not fit.
    """
    require(
        str(name) != BEST,
        f"{BEST!r} chooses a mechanism for a scenario, and reports need to know which; name one.",
    )
    if name not in MECHANISMS:
        check_policy("A mechanism is made for", policy)
        return Installed(name).make(policy, **parameters)
    entry = MECHANISMS[name]
    names = [field.name for field in fields(entry.spec)]  # type: ignore[arg-type]
    unknown = next((key for key in parameters if key not in names), None)
    accepts = f"takes {', '.join(names)}" if names else "takes no parameters"
    require(unknown is None, f"The mechanism {name} {accepts}; it has no {unknown}.")
    check_policy("A mechanism is made for", policy)
    suitable = ", ".join(each.name for each in mechanisms_for(policy)) or "none"
    require(
        isinstance(policy, entry.policies),
        f"The mechanism {name} does not keep a policy of kind {type(policy).__name__}; "
        f"those that do: {suitable}.",
    )
    return entry.spec(**parameters).make(policy)
