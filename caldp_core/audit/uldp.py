"""Whether a channel provides utility-optimized LDP (Murakami and Kawamoto 2019)."""

from dataclasses import dataclass

from caldp_core.audit.channels import Channel
from caldp_core.basics.errors import require
from caldp_core.basics.powers import exp_below
from caldp_core.basics.types import Bools


@dataclass(frozen=True)
class UldpVerdict:
    """ULDP Definition 2, property by property.

    `reveals`: each output that is not protected comes from one input only, not a sensitive one
    (4). `protects`: on protected outputs all inputs, whichever x and x′, stay within e^ε (5).
    """

    reveals: bool
    protects: bool

    @property
    def holds(self) -> bool:
        """Whether both properties hold."""
        return self.reveals and self.protects


def uldp(channel: Channel, sensitive: Bools, protected: Bools, epsilon: float) -> UldpVerdict:
    """Whether a channel provides (X_S, Y_P, ε)-ULDP (Murakami, Kawamoto 2019, Definition 2).

    `sensitive`: (k,) X_S. `protected`: (outputs,) Y_P. Stricter than high-low LDP in two
    points: (5) also binds inputs that are not sensitive, and high-low LDP has no (4).
    Raises `CaldpError` if shapes don't fit.
    """
    columns = list(zip(*channel, strict=True))
    require(
        len(sensitive) == len(channel) and len(protected) == len(columns),
        f"This channel needs {len(channel)} sensitive flags and {len(columns)} protected ones.",
    )
    power = exp_below(epsilon)
    clear = [column for column, hides in zip(columns, protected, strict=True) if not hides]
    hidden = [column for column, hides in zip(columns, protected, strict=True) if hides]
    senders = [[x for x, q in enumerate(column) if q > 0] for column in clear]
    return UldpVerdict(
        reveals=all(len(xs) == 1 and not sensitive[xs[0]] for xs in senders),
        protects=all(max(column) <= power * min(column) for column in hidden),
    )
