"""The proof of how good a design is: a lower bound on the loss of every channel that keeps E.

For any symmetric G ⪰ 0 and any λ, δ with vᵀGv ≤ λᵀv + δ for all allowed columns v with π·v = 1,
every channel has tr(GM) = Σ w vᵀGv ≤ λᵀ1 + δ, while tr(ΩM⁻¹) + tr(GM) ≥ 2·tr(Ω^½GΩ^½)^½. With G =
t·M₀⁻¹ΩM₀⁻¹ of any M₀ the root is √t·tr(ΩM₀⁻¹), and the best t gives

    tr(ΩM⁻¹) ≥ f(M₀)²/(λᵀ1 + δ),  f(M₀) = tr(ΩM₀⁻¹).

The largest vᵀGv − λᵀv is reached at an extreme ray, G being positive.
"""

from dataclasses import dataclass
from typing import Final

from caldp_core.mechanisms.designed.master import WeightedColumns

ROUNDING: Final = 1e-9
"""Relative: taken off every bound for the floating point in it."""


def relative_gap(loss: float, bound: float) -> float:
    """How far, at most, a loss is above any mechanism's, relative: 0.008 stands for 0.8 %."""
    if loss <= bound:
        return 0.0
    return loss / bound - 1.0 if bound > 0 else float("inf")


@dataclass(frozen=True)
class Proof:
    """`loss` tr(ΩM⁻¹) of a design (averaged over twins), and `bound`: no channel has less.

    `exact`: every extreme ray was looked at; else the bound rests on a relaxation.
    """

    loss: float
    bound: float
    exact: bool


def make_proof(weighted: WeightedColumns, excess: float) -> Proof:
    """Loss and bound of weighted columns, by the module's formula.

    `excess`: the largest vᵀGv − λᵀv of all extreme rays with π·v = 1.
    """
    loss = weighted.information.loss
    most = float(weighted.dual @ weighted.information.classes.rows_sum) + max(excess, 0.0)
    bound = loss * min(loss / most, 1.0) * (1 - ROUNDING)
    return Proof(loss, bound, True)
