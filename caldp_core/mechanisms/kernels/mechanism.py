"""The best noise for a distance, as a mechanism: planar noise with another distribution.

Reports beyond the map are moved to its nearest row and column. Statements about the error are for a
map without a border: on the real one, moving reports back brings them nearer.

Each design for some steps is stored once, with its proof. A file is read as text that anybody may
have written: the peaks make a kernel that keeps the distance whatever they are, and the bound is
proved anew from the flows.
"""

import json
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.files import write_whole
from caldp_core.basics.types import Floats, Ints, Progress, no_progress
from caldp_core.datasets.snap import cache_folder
from caldp_core.mechanisms.base import digest
from caldp_core.mechanisms.direct.planar import PlanarNoise
from caldp_core.mechanisms.kernels.design import (
    Flows,
    Kernel,
    Peaks,
    Program,
    StepLevels,
    check_steps,
    design,
    quadrant_of,
    terms_of,
)
from caldp_core.privacy.distance import EuclideanMetric

FORMAT: Final = "caldp kernel 1"
_KEYS: Final = ("steps", "peak_rows", "peak_columns", "peak_logs", "near", "payer", "amount")
_ENTRIES_MAX: Final = 1_000_000
_BYTES_MAX: Final = 2**26


def to_text(kernel: Kernel) -> str:
    """The kernel and its proof as JSON."""
    peaks, flows = kernel.peaks, kernel.flows
    lists = (peaks.rows, peaks.columns, peaks.logs, flows.near, flows.payer, flows.amount)
    values = [list(kernel.steps.both), *(each.tolist() for each in lists)]
    return json.dumps({"format": FORMAT} | dict(zip(_KEYS, values, strict=True)))


def from_text(text: str, steps: StepLevels) -> Kernel:
    """The kernel for these steps from such a text. Raises `CaldpError` for anything else."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise CaldpError("This is no kernel: it is not JSON.") from None
    require(
        isinstance(data, dict) and data.get("format") == FORMAT and {*data} == {"format", *_KEYS},
        f"This is no kernel: it must be an object of the format {FORMAT!r} with the keys "
        f"{', '.join(_KEYS)}.",
    )
    require(data["steps"] == list(steps.both), "This kernel was designed for other steps.")
    program = Program.of(steps)
    rows, columns = _wholes(data, "peak_rows", 10**6), _wholes(data, "peak_columns", 10**6)
    logs = _floats(data, "peak_logs")
    near, payer = _wholes(data, "near", program.near), _wholes(data, "payer", program.cells.size)
    amount = _floats(data, "amount")
    require(
        0 < rows.size == columns.size == logs.size and near.size == payer.size == amount.size,
        "The lists of a kernel's peaks, and those of its flows, must be as long as each other.",
    )
    return Kernel.of(steps, Peaks(rows, columns, logs), Flows(near, payer, amount), program)


def kernel_for(steps: StepLevels, progress: Progress = no_progress) -> Kernel:
    """The kernel on file, or else designed now and stored if the folder can be written."""
    kernel = read_kernel(steps)
    if kernel is None:
        kernel = design(steps, progress)
        with suppress(CaldpError, OSError):
            _file(steps).parent.mkdir(parents=True, exist_ok=True)
            write_whole(_file(steps), to_text(kernel))
    return kernel


def read_kernel(steps: StepLevels) -> Kernel | None:
    """The kernel on file; None if no readable file has it."""
    try:
        file = _file(steps)
        if file.stat().st_size > _BYTES_MAX:
            return None
        return from_text(file.read_text(encoding="utf-8"), steps)
    except (OSError, UnicodeDecodeError, CaldpError):
        return None


def _file(steps: StepLevels) -> Path:
    names = [str(step and float(step).hex()) for step in steps.both]
    return cache_folder() / "kernels" / f"{digest(FORMAT, *names)}.json"


def _wholes(data: dict[str, Any], name: str, below: int) -> Ints:
    values = _floats(data, name)
    require(
        all(type(value) is int and 0 <= value < below for value in data[name]),
        f"{name} of a kernel must be whole numbers in [0, {below:,}).",
    )
    return values.astype(np.int64)


def _floats(data: dict[str, Any], name: str) -> Floats:
    values = data[name]
    require(
        isinstance(values, list)
        and len(values) <= _ENTRIES_MAX
        and all(type(value) in (int, float) and abs(value) <= 1e9 for value in values),
        f"{name} of a kernel must be a list of at most {_ENTRIES_MAX:,} numbers.",
    )
    return np.array(values, dtype=np.float64)


class BestKernelMechanism(PlanarNoise):
    """Planar noise by a designed kernel; `CaldpError` unless it is for the map's steps."""

    def __init__(self, policy: EuclideanMetric, kernel: Kernel) -> None:
        require(
            kernel.steps == StepLevels.of(policy),
            f"This noise was designed for steps of {kernel.steps} nats, the map has "
            f"{StepLevels.of(policy)}; design it for this map.",
        )
        peaks = kernel.peaks
        cells = f"{peaks.rows.tolist()} {peaks.columns.tolist()}"
        name = f"best kernel {cells} {[log.hex() for log in peaks.logs.tolist()]}"
        super().__init__(policy, partial(quadrant_of, peaks), name)
        self.kernel = kernel


def check_map(policy: EuclideanMetric) -> None:
    """Raise `CaldpError` where the best noise would be refused; designs nothing."""
    check_steps(StepLevels.of(policy))
    terms_of(policy)


def best_kernel(policy: EuclideanMetric) -> BestKernelMechanism:
    """The mechanism with the kernel that is on file for the map's steps, or is designed now."""
    check_map(policy)
    return BestKernelMechanism(policy, kernel_for(StepLevels.of(policy)))
