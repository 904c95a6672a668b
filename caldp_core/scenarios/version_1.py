"""Scenarios as files and links of version 1 wrote them: a context, and a family by its name.

They open and mean what they meant: without a word on the family, Hadamard's.
"""

from dataclasses import dataclass

from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import DatasetSpec, Gowalla
from caldp_core.mechanisms.registry import FAMILIES
from caldp_core.mechanisms.specs import MechanismSpec
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.protection import (
    BlocksSpec,
    EverythingSensitive,
    GridBlocks,
    SensitiveSpec,
)


@dataclass(frozen=True)
class Version1:
    """The keys of version 1 with its defaults."""

    dataset: DatasetSpec = Gowalla()
    blocks: BlocksSpec = GridBlocks()
    sensitive: SensitiveSpec = EverythingSensitive()
    epsilon: float | tuple[float, ...] = 1.0
    family: str = "hadamard"
    estimator: str = "simplex"
    n: int | None = None
    trials: int = 1
    seed: int = 1

    @property
    def policy(self) -> ContextPolicy:
        """Blocks, sensitive set and ε as version 2 has them."""
        return ContextPolicy(self.blocks, self.sensitive, self.epsilon)

    @property
    def mechanism(self) -> MechanismSpec:
        """The family as version 2 has it; `CaldpError` for an unknown one."""
        if self.family not in FAMILIES:
            raise CaldpError(f"family must be one of {', '.join(FAMILIES)}, got {self.family!r}.")
        return FAMILIES[self.family].spec()
