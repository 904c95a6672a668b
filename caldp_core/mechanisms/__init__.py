"""Mechanisms: `base.py` says what they promise, `catalogue.py` lists them."""

from caldp_core.mechanisms.base import Family as Family
from caldp_core.mechanisms.base import FrequencyOracles as FrequencyOracles
from caldp_core.mechanisms.base import Mechanism as Mechanism
from caldp_core.mechanisms.base import Tally as Tally
from caldp_core.mechanisms.catalogue import FAMILIES as FAMILIES
from caldp_core.mechanisms.catalogue import FamilyEntry as FamilyEntry
from caldp_core.mechanisms.catalogue import in_context as in_context
from caldp_core.mechanisms.catalogue import mechanism as mechanism
from caldp_core.mechanisms.contextual import ContextMechanism as ContextMechanism
