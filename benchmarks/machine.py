"""Which machine and which versions the figures are of."""

import os
import platform
import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from caldp_core import __version__

_LIBRARIES = ("numpy", "scipy", "pure-ldp", "multi-freq-ldpy", "xxhash")
"""What the work is done with, here and by the peers; pure-ldp hashes with xxhash."""


def machine() -> dict[str, str]:
    """What a figure depends on, in texts."""
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
        told = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text("utf-8"))
    except OSError:
        told = None
    return told[1] if told else platform.processor() or platform.machine()


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
