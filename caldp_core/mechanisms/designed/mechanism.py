"""A designed channel as a mechanism of the catalogue: reports are the numbers of its columns."""

from functools import cached_property

from caldp_core.mechanisms.base import digest
from caldp_core.mechanisms.designed.design import Design, design
from caldp_core.mechanisms.written_out import WrittenOut
from caldp_core.privacy.context import PrivacyMatrix


class DesignedMechanism(WrittenOut):
    """The channel of the design `made`, with the estimate that is best at the design's prior."""

    def __init__(self, design: Design) -> None:
        super().__init__(
            design.policy, design.channel.numerators, 1 << design.channel.bits, design.prior
        )
        self.design = design

    @classmethod
    def for_policy(cls, policy: PrivacyMatrix) -> "DesignedMechanism":
        """The design for even people and weights; see `design`."""
        return cls(design(policy))

    @cached_property
    def fingerprint(self) -> str:
        """Digest that two mechanisms share only if their reports mean the same."""
        channel = self.design.channel
        return digest("designed", str(channel.bits), *(f"{row}" for row in channel.numerators))
