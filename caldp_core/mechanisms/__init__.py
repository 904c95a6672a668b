"""Mechanisms: `base.py` says what they promise, `catalogue.py` lists them."""

from caldp_core.mechanisms.base import Family, FrequencyOracles, Mechanism, Tally
from caldp_core.mechanisms.catalogue import mechanism
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.registry import FAMILIES, FamilyEntry, in_context

__all__ = [
    "FAMILIES",
    "ContextMechanism",
    "Family",
    "FamilyEntry",
    "FrequencyOracles",
    "Mechanism",
    "Tally",
    "in_context",
    "mechanism",
]
