"""Attacks on published tables: what an attacker makes of them with subtraction and algebra."""

from caldp_core.attacks.differencing import averaged_rounding, newcomers_found, two_places
from caldp_core.attacks.moving import moved, moved_under_noise, which_way
from caldp_core.attacks.reconstruction import Reconstruction, reconstruct
from caldp_core.attacks.seven import Person, Tables, worlds
from caldp_core.attacks.solving import Sums, bounds, subtracted, sums_of

__all__ = [
    "Person",
    "Reconstruction",
    "Sums",
    "Tables",
    "averaged_rounding",
    "bounds",
    "moved",
    "moved_under_noise",
    "newcomers_found",
    "reconstruct",
    "subtracted",
    "sums_of",
    "two_places",
    "which_way",
    "worlds",
]
