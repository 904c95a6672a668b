"""Mechanisms: `base.py` says what they promise, `registry.py` lists them."""

from caldp_core.mechanisms.base import Family, FrequencyOracles, Mechanism, Tally
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.registry import FAMILIES, FamilyEntry, mechanism

__all__ = [
    "FAMILIES",
    "ContextMechanism",
    "Family",
    "FamilyEntry",
    "FrequencyOracles",
    "Mechanism",
    "Tally",
    "mechanism",
]
