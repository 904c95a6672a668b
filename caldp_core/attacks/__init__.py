"""Attacks on published tables: what an attacker makes of them with subtraction and algebra."""

from caldp_core.attacks.census_block import Person, Tables, worlds
from caldp_core.attacks.differencing import (
    Sums,
    bounds,
    direction_guess_accuracy,
    exposed_newcomers,
    move_guess_accuracy,
    noisy_move_guess_accuracy,
    place_guess_accuracy,
    published_sums,
    published_sums_with_marks,
    published_sums_with_rule,
    rounding_recovery_chance,
    solve_by_subtraction,
)
from caldp_core.attacks.reconstruction import Reconstruction, reconstruct

__all__ = [
    "Person",
    "Reconstruction",
    "Sums",
    "Tables",
    "bounds",
    "direction_guess_accuracy",
    "exposed_newcomers",
    "move_guess_accuracy",
    "noisy_move_guess_accuracy",
    "place_guess_accuracy",
    "published_sums",
    "published_sums_with_marks",
    "published_sums_with_rule",
    "reconstruct",
    "rounding_recovery_chance",
    "solve_by_subtraction",
    "worlds",
]
