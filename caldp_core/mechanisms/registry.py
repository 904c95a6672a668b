"""Every family by name; the contract suite tests what is listed here, and pages offer it.

To add a family: one file with its oracles, one record in `specs.py`, one entry here.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Final

from caldp_core.basics.errors import check_choice
from caldp_core.basics.limits import K_MAX
from caldp_core.mechanisms.base import Family, Mechanism
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.specs import (
    FamilySpec,
    Galois,
    Hadamard,
    LocalHashing,
    MechanismSpec,
    Oue,
    RandomizedResponse,
    Rappor,
    SubsetSelection,
)
from caldp_core.privacy.context import Context, PersonalPolicy, PrivacyMatrix


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

    name: str
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
    first. `collectable`: whether devices draw its reports; others are
    collected only where their channel can be written out.
    """

    spec: type[FamilySpec]
    _: KW_ONLY
    tally_rank: int
    collectable: bool = True

    @property
    def family(self) -> Family:
        """Factory of its oracles, with default settings."""
        return self.spec().family()


_ENTRIES: Final = (
    FamilyEntry(
        "hadamard",
        "Hadamard response",
        "Each person sends one number that agrees with a pattern of their own a little more "
        "often than not; short reports, accurate for many values.",
        "Acharya, Sun, Zhang 2019; in contexts Acharya et al. 2020, (13)–(19)",
        Hadamard,
        tally_rank=3,
    ),
    FamilyEntry(
        "randomized-response",
        "Randomized response",
        "Each person tells the truth with some probability and otherwise names a random value; "
        "best for few values or large ε.",
        "Kairouz, Bonawitz, Ramage 2016; with a sensitive set Murakami, Kawamoto 2019, Def. 3",
        RandomizedResponse,
        tally_rank=0,
    ),
    FamilyEntry(
        "rappor",
        "RAPPOR",
        "Each person answers yes or no for every value, and each answer is flipped with one "
        "probability; long reports, accurate for many values.",
        "Erlingsson, Pihur, Korolova 2014; "
        "with a sensitive set after Murakami, Kawamoto 2019, Def. 4",
        Rappor,
        tally_rank=2,
    ),
    FamilyEntry(
        "oue",
        "Optimized unary encoding",
        "Each person answers yes or no for every value: their own answer is a fair coin, a yes "
        "to any other value is rare; long reports, and where every value is sensitive more "
        "accurate than RAPPOR for rare values.",
        "Wang, Blocki, Li, Jha 2017",
        Oue,
        tally_rank=1,
    ),
    FamilyEntry(
        "subset-selection",
        "Subset selection",
        "Each person sends a set of values that is likelier to hold their own; the most accurate "
        "where every value is sensitive, but a report has one bit for every value.",
        "Ye, Barg 2018; Wang et al. 2016; with a sensitive set Yoon et al. 2025",
        SubsetSelection,
        tally_rank=5,
        slow_from=5_000,
    ),
    FamilyEntry(
        "local-hashing",
        "Optimal local hashing",
        "Each person throws the values into a few random bins and names a bin that is likelier "
        "to hold their own; short reports, as accurate as long ones.",
        "Wang, Blocki, Li, Jha 2017",
        LocalHashing,
        tally_rank=6,
        slow_from=100,
    ),
    FamilyEntry(
        "galois",
        "Galois response",
        "Each person names one of many sets of values that is likelier to hold their own, all of "
        "them alike in size and overlap; short reports, accurate for many values at every ε. With "
        "billions of people and ε above 4 a run can take a minute.",
        "New, see docs/galois.md; after Acharya, Sun, Zhang 2019 and Feldman et al. 2022",
        Galois,
        tally_rank=4,
    ),
)
FAMILIES: Final = {entry.name: entry for entry in _ENTRIES}
COLLECTABLE: Final = {name: entry for name, entry in FAMILIES.items() if entry.collectable}


def in_context(context: Context, family: str) -> ContextMechanism:
    """The named family in this context; raises `CaldpError` for an unknown name."""
    check_choice("family", family, FAMILIES)
    return ContextMechanism(context, family, FAMILIES[family].family)
