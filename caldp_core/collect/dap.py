"""A collection by the Distributed Aggregation Protocol: two servers, and neither sees a report.

A report that is a number is a bucket of a Prio3Histogram (draft-irtf-cfrg-vdaf, algorithm 4), so
servers that hold one share each add up how often each number came. Devices have added the noise, so
the servers add none; their result is debiased by a matrix that the collector needs to have.
"""

import math
from fractions import Fraction
from typing import Any, Final

import numpy as np

from caldp_core.basics.errors import require
from caldp_core.collect.device import NUMBER
from caldp_core.collect.protocol import Protocol

PRIO3_HISTOGRAM: Final = 0x00000004
"""Its algorithm identifier."""
MATRIX_MAX: Final = 1 << 16
"""Most entries of a matrix that is written out; beyond, `caldp estimate` debiases."""


def dap_configuration(protocol: Protocol) -> dict[str, Any]:
    """The configuration of a task for its servers and collector, JSON-ready; it holds no data.

    `vdaf` as Janus writes a task's; `debiasing.matrix`: rows a value, columns a bucket, so that the
    estimated shares are the matrix times the aggregate result over its sum. Raises `CaldpError` for
    families whose reports are bytes.
    """
    require(
        protocol.format.kind == NUMBER,
        f"Reports of {protocol.plan.name} are no numbers, which a histogram could count; choose "
        "hadamard, galois, randomized-response or another mechanism on few values.",
    )
    length = protocol.format.values
    return {
        "caldp_dap": 1,
        "protocol": protocol.fingerprint,
        "vdaf": {
            "Prio3Histogram": {
                "length": length,
                "chunk_length": max(1, math.isqrt(length)),
                "dp_strategy": {"dp_strategy": "NoDifferentialPrivacy"},
            }
        },
        "algorithm_id": PRIO3_HISTOGRAM,
        "measurement": "the report, a number from 0 to length - 1",
        "local_differential_privacy": {
            "mechanism": protocol.plan.summary(),
            **protocol.promise(),
        },
        "debiasing": _debiasing(protocol),
    }


def _debiasing(protocol: Protocol) -> dict[str, Any]:
    command = {"by": "caldp estimate PROTOCOL.json --histogram RESULT.csv"}
    if protocol.domain.k * protocol.format.values > MATRIX_MAX:
        return command
    rows = [[float(Fraction(each)) for each in row] for row in debiasing_matrix(protocol).tolist()]
    return {"matrix": rows, **command}


def debiasing_matrix(protocol: Protocol) -> "np.ndarray[tuple[int, int], np.dtype[np.float64]]":
    """(k, length): what one report of each number adds to n times the unbiased estimated shares."""
    mechanism, length = protocol.mechanism, protocol.format.values
    one = np.eye(length, dtype=np.int64)
    columns = [mechanism.estimate(mechanism.tally_of_histogram(each)) for each in one]
    return np.stack(columns, axis=1)
