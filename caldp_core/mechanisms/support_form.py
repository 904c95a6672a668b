"""The form of channels whose reports are sets of symbols, which is enough to audit them."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, runtime_checkable

from caldp_core.basics.types import Floats


@dataclass(frozen=True)
class SupportForm:
    """The form of a channel whose reports are sets of hidden symbols (`oracles/supports.py`).

    Q(y|x) = base(y)·`included` where the report y includes x, else base(y)·`excluded`. `share`:
    probability that a report from the base distribution includes x, the same for every x.
    """

    included: Fraction
    excluded: Fraction
    share: Fraction


@runtime_checkable
class HasSupportForm(Protocol):
    """Oracles that give the form of a channel that has too many entries to read."""

    def support_form(self, block: int) -> SupportForm:
        """The form of a block's channel, exact for the coins as rounded; it has hidden symbols."""
        ...


@runtime_checkable
class HasExchangeableSupports(HasSupportForm, Protocol):
    """Oracles of such a form whose base reports treat all sets of symbols of a size alike."""

    def none_included(self, block: int) -> Floats:
        """(s_j + 1,) chance that a base report includes none of 0, 1, … s_j given symbols."""
        ...
