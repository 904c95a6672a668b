"""The composite likelihood of inclusions, written down once more: from the exact channel alone."""

from dataclasses import dataclass

import numpy as np

from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.mechanisms import ContextMechanism
from tests.contract.checks import channel_of, design_of


@dataclass(frozen=True, eq=False)
class Components:
    """The composite's parts, one a column: what may be seen of a report.

    `laws`: (k, columns) probability of each from each symbol. `incidence`: (outputs, columns)
    whether a report shows it. `weights`: (columns,) 1/s for a block's source with or without one
    of its s hidden symbols, 1 for a symbol in the clear. `channel`: (k, outputs).
    """

    laws: Floats
    incidence: Bools
    weights: Floats
    channel: Floats

    @classmethod
    def of(cls, mechanism: ContextMechanism) -> "Components":
        """From the channel and what each report adds to the tally; knows no closed form."""
        channel, design = channel_of(mechanism), design_of(mechanism)
        s, cells = mechanism.hidden_symbols.size, mechanism.oracles.tally_size
        block = mechanism.policy.blocks[mechanism.hidden_symbols]
        includes = design[:, :s]
        sources = design[:, s:cells][:, block]
        incidence = np.hstack([includes, sources - includes, design[:, cells:]])
        weights = np.ones(incidence.shape[1])
        weights[: 2 * s] = np.tile(1.0 / mechanism.sizes[block], 2)
        return cls(channel @ incidence, incidence > 0, weights, channel)

    def counts(self, mechanism: ContextMechanism, tally: Ints) -> Floats:
        """(columns,) how often each was seen, out of a tally's counts."""
        s, cells = mechanism.hidden_symbols.size, mechanism.oracles.tally_size
        block = mechanism.policy.blocks[mechanism.hidden_symbols]
        parts = [tally[:s], tally[s:cells][block] - tally[:s], tally[cells:]]
        return np.concatenate(parts).astype(np.float64)

    def value(self, p: Floats, counts: Floats) -> float:
        """Log-likelihood; `counts`: (columns,)."""
        some = counts > 0
        law = np.maximum(p @ self.laws[:, some], 1e-300)
        return float((self.weights[some] * counts[some]) @ np.log(law))

    def slopes(self, p: Floats, counts: Floats) -> Floats:
        """(k,) derivatives of `value`."""
        some = counts > 0
        law = np.maximum(p @ self.laws[:, some], 1e-300)
        return np.asarray(self.laws[:, some] @ (self.weights[some] * counts[some] / law))

    def covariances(self, p: Floats) -> tuple[Floats, Floats]:
        """(k, k) of √n·p̂ for large n: of the full likelihood's maximum, and of the composite's.

        The inverse of Fisher's information, and Godambe's sandwich, both on Σ p = 1; p > 0.
        """
        k = p.size
        basis = np.linalg.svd(np.ones((1, k)))[2][1:].T

        def confined(matrix: Floats) -> Floats:
            return np.asarray(basis @ np.linalg.inv(basis.T @ matrix @ basis) @ basis.T)

        law, parts = p @ self.channel, p @ self.laws
        some, columns = law > 0, parts > 0
        full = confined((self.channel[:, some] / law[some]) @ self.channel[:, some].T)
        rates = (self.laws[:, columns] / parts[columns]) * self.weights[columns]
        bread = confined(rates @ self.laws[:, columns].T)
        scores = self.incidence[:, columns] @ rates.T
        return full, bread @ ((scores.T * law) @ scores) @ bread
