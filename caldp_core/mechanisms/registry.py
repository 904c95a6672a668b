"""Every family by name. What is listed here is tested by the contract suite and shown on pages.

Room: mechanisms. To add a family: one file with its bank, one entry here.
"""

from dataclasses import dataclass
from typing import Final

from caldp_core.errors import CaldpError
from caldp_core.mechanisms.base import Family
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.hadamard import HadamardBank
from caldp_core.mechanisms.randomized_response import RandomizedResponseBank
from caldp_core.privacy import Context


@dataclass(frozen=True)
class FamilyEntry:
    """A family for readers: `title` and one `sentence` on what a user does."""

    name: str
    title: str
    sentence: str
    family: Family


_ENTRIES: Final = (
    FamilyEntry(
        "hadamard",
        "Hadamard response",
        "Each person sends one number that agrees with a pattern of their own a little more "
        "often than not; short reports, accurate for many values.",
        HadamardBank,
    ),
    FamilyEntry(
        "randomized-response",
        "Randomized response",
        "Each person tells the truth with some probability and otherwise names a random value; "
        "best for few values or large ε.",
        RandomizedResponseBank,
    ),
)
FAMILIES: Final = {entry.name: entry for entry in _ENTRIES}


def mechanism(context: Context, family: str) -> ContextMechanism:
    """The named family in this context; raises `CaldpError` for an unknown name."""
    if family not in FAMILIES:
        known = ", ".join(FAMILIES)
        raise CaldpError(f"family must be one of {known}, got {family!r}.")
    return ContextMechanism(context, family, FAMILIES[family].family)
