"""Which machine and which versions the figures are of."""

import os
import platform
import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from caldp_core import __version__

_LIBRARIES = ("numpy", "scipy", "pure-ldp", "multi-freq-ldpy", "xxhash")
"""Libraries that do the work, here and in the peers; pure-ldp hashes with xxhash."""


def machine() -> dict[str, str]:
    """The machine and versions that a figure depends on, as texts."""
    return {
        "cpu": _cpu(),
        "cores": str(os.cpu_count()),
        "load": _load(),
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
        "caldp": __version__,
        **{name: _version(name) for name in _LIBRARIES},
    }


def _cpu() -> str:
    try:
        match = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text("utf-8"))
    except OSError:
        match = None
    return match[1] if match else platform.processor() or platform.machine()


def _load() -> str:
    """How busy the machine was over the last minute, before the benchmarks: 0 is best."""
    try:
        return f"{os.getloadavg()[0]:.1f}"
    except (AttributeError, OSError):  # Windows has no such number
        return "unknown"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"
