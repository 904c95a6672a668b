"""Fetch the real Gowalla check-ins from SNAP into a cache folder.

Room: datasets. The transfer itself is `download.py`; the command line is `command.py`; reading
the file is `snap.py`. Nothing else in the package reaches for the network.
"""

import gzip
import os
import sys
import zlib
from pathlib import Path
from typing import Final

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import SNAP_MAX_BYTES
from caldp_core.basics.types import Progress, no_progress
from caldp_core.datasets.download import download
from caldp_core.datasets.partial import Part, disk

GOWALLA_URL: Final = "https://snap.stanford.edu/data/loc-gowalla_totalCheckins.txt.gz"
GOWALLA_FILE: Final = "loc-gowalla_totalCheckins.txt.gz"
_BLOCK_BYTES: Final = 2**20


def cache_folder() -> Path:
    """Where fetched files are kept: `caldp` in the user's cache folder of this platform."""
    chosen = os.environ.get("XDG_CACHE_HOME")
    if chosen:
        return Path(chosen) / "caldp"
    if sys.platform == "win32" and "LOCALAPPDATA" in os.environ:
        return Path(os.environ["LOCALAPPDATA"]) / "caldp"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "caldp"
    return Path.home() / ".cache" / "caldp"


def fetch_gowalla(
    url: str = GOWALLA_URL,
    folder: str | Path | None = None,
    progress: Progress = no_progress,
) -> Path:
    """Download SNAP's check-in file (about 100 MB) and return its path.

    `folder`: where to keep it, by default `cache_folder()`. A file that is already there is
    returned as it is, whatever its URL was; an unfinished one is gone on with. The file gets its
    name only once its size and its gzip checksum are right. `progress` is told the share that is
    downloaded and may raise to stop. Raises `CaldpError` if the file can't be had.
    """
    target = (cache_folder() if folder is None else Path(folder).expanduser()) / GOWALLA_FILE
    if target.is_file():
        progress(1.0)
        return target
    try:
        whole = download(url, target, progress)
        _check_gzip(whole, Part(target), url)
        with disk(target):
            whole.replace(target)
    except CaldpError as error:
        raise CaldpError(
            f"{str(error).rstrip('.')}. Or download {url} by hand and give the path of the file."
        ) from None
    Part(target).drop()
    return target


def _check_gzip(path: Path, part: Part, url: str, max_bytes: int = SNAP_MAX_BYTES) -> None:
    """Unpack all of the file for its checksum; drop it and raise `CaldpError` if it is wrong."""
    unpacked = 0
    try:
        with gzip.open(path) as file:
            while fresh := file.read(_BLOCK_BYTES):
                unpacked += len(fresh)
                if unpacked > max_bytes:
                    raise gzip.BadGzipFile(f"it unpacks to more than {max_bytes:,} bytes")
        # The gzip module takes a file without any bytes for a sound one.
        if not unpacked:
            raise gzip.BadGzipFile("it is empty")
    except (OSError, EOFError, zlib.error) as error:
        part.drop()
        raise CaldpError(
            f"What {url} sent is not a sound gzip file ({error}) and was deleted."
        ) from None
