"""The best noise for a distance, as a mechanism: planar noise with another distribution.

Reports are cells of the map; those beyond it are moved to its nearest row and column, which does
not see the true cell and so costs no privacy. Statements about the error are for a map without
a border: on the real one, moving reports back brings them nearer.
"""

from functools import partial

from caldp_core.basics.errors import require
from caldp_core.mechanisms.direct.planar import PlanarNoise
from caldp_core.mechanisms.kernels.design import Kernel
from caldp_core.mechanisms.kernels.files import kernel_for
from caldp_core.mechanisms.kernels.lattice import Steps
from caldp_core.mechanisms.kernels.law import quadrant_of, terms_of
from caldp_core.mechanisms.kernels.program import check_steps
from caldp_core.privacy.distance import EuclideanMetric


class BestKernel(PlanarNoise):
    """Planar noise by a designed kernel; `CaldpError` unless it is for the map's steps."""

    def __init__(self, policy: EuclideanMetric, kernel: Kernel) -> None:
        require(
            kernel.steps == Steps.of(policy),
            f"This noise was designed for steps of {kernel.steps} nats, the map has "
            f"{Steps.of(policy)}; design it for this map.",
        )
        peaks = kernel.peaks
        cells = f"{peaks.rows.tolist()} {peaks.columns.tolist()}"
        name = f"best kernel {cells} {[log.hex() for log in peaks.logs.tolist()]}"
        super().__init__(policy, partial(quadrant_of, peaks), name)
        self.kernel = kernel


def check_map(policy: EuclideanMetric) -> None:
    """Raise `CaldpError` where the best noise would be refused; designs nothing."""
    check_steps(Steps.of(policy))
    terms_of(policy)


def best_kernel(policy: EuclideanMetric) -> BestKernel:
    """The mechanism with the kernel that is on file for the map's steps, or is designed now."""
    check_map(policy)
    return BestKernel(policy, kernel_for(Steps.of(policy)))
