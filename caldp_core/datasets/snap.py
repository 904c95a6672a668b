"""The real Gowalla check-ins from SNAP, fetched into a cache folder and read on any map.

Source of the format: https://snap.stanford.edu/data/loc-Gowalla.html. Nothing else in the package
reaches for the network.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
import platformdirs

from caldp_core.basics.errors import CaldpError, count_text, quoted, require
from caldp_core.basics.extras import explain_missing
from caldp_core.basics.types import Progress, no_progress
from caldp_core.datasets.base import Dataset, from_counts
from caldp_core.datasets.files.answers import UNIT
from caldp_core.datasets.files.dialect import TableDialect
from caldp_core.datasets.files.layout_detection import DetectedFile, Layout
from caldp_core.datasets.files.maps import MapRequest
from caldp_core.datasets.files.places import count_parts_by_cell
from caldp_core.datasets.files.source import COMMAND_BOUNDS, source_from_path
from caldp_core.datasets.files.table import open_table
from caldp_core.datasets.shipped import NOTES
from caldp_core.domain.domains import Area, GridDomain

NAME: Final = "Gowalla (SNAP)"
_FIELDS: Final = ("user", "time", "latitude", "longitude", "location")
_LATITUDE: Final = 2
_DIALECT: Final = TableDialect("\t", len(_FIELDS), 0, 0)
_SOURCE: Final = NOTES["snap"]


@dataclass(frozen=True)
class Snap:
    """A check-in file in SNAP's format, counted on a map.

    `path`: the .txt or .txt.gz file. `area`: the map, "south,north,west,east" in degrees.
    `cell`: side of a cell in degrees, from 0.01; the cells must fill the map exactly. Raises
    `CaldpError` on a map that can't be.
    """

    path: str
    area: str = "25,50,-130,-60"
    cell: float = 0.2

    def __post_init__(self) -> None:
        require(bool(self.path), "path must name a check-in file, got an empty text.")
        self.grid()

    def grid(self) -> GridDomain:
        """The map's cells."""
        return GridDomain.from_area(Area.parse(self.area), self.cell)

    def file(self) -> Path:
        """The file's path; raises `CaldpError` on the home of somebody who is not there."""
        try:
            return Path(self.path).expanduser()
        except RuntimeError:
            raise CaldpError(
                f"The home folder in {quoted(self.path)} can't be found; write the whole path."
            ) from None

    def load(self, progress: Progress = no_progress) -> Dataset:
        """Count the check-ins of each cell; rows that are not counted are in the note.

        Raises `CaldpError` if the file is missing, damaged or too large, if no row of it can be
        read, or if no check-in lies on the map.
        """
        opened = open_table(source_from_path(self.file()), COMMAND_BOUNDS)
        table = replace(opened, dialect=_DIALECT)
        wanted = MapRequest(self.cell, Area.parse(self.area))
        layout = Layout(False, ".", _LATITUDE, _LATITUDE + 1, wanted=wanted)
        file = DetectedFile(table, layout, layout, _FIELDS, ())
        parts, _, refused, _ = count_parts_by_cell(file, layout, None, progress)
        counts = np.zeros(self.grid().k, dtype=np.int64)
        counts[list(parts)] = [part // UNIT for part in parts.values()]
        on_map = count_text(int(counts.sum()), "check-in is", "check-ins are")
        note = f"{_SOURCE} {on_map} on the map. {refused.describe()}".strip()
        progress(1.0)
        return from_counts(NAME, note, self.grid(), counts)


GOWALLA_URL: Final = "https://snap.stanford.edu/data/loc-gowalla_totalCheckins.txt.gz"
GOWALLA_FILE: Final = "loc-gowalla_totalCheckins.txt.gz"
TRIES: Final = 3
_TIMEOUT: Final = 30.0
"""Seconds without a byte before a try is given up."""
_BLOCK_BYTES: Final = 2**18
_WORLD: Final = "-90,90,-180,180"


def cache_folder() -> Path:
    """Where fetched files are kept: `caldp` in the user's cache folder of this platform."""
    return platformdirs.user_cache_path("caldp", appauthor=False)


def fetch_gowalla(
    url: str = GOWALLA_URL, folder: str | Path | None = None, progress: Progress = no_progress
) -> Path:
    """Download SNAP's check-in file (about 100 MB) and return its path.

    `folder`: where to keep it, by default `cache_folder()`. A file that is already there is
    returned as it is, whatever its URL was. Nobody publishes a checksum of this file, so a download
    is read to its end, by gzip's own checksum and as check-ins; only then the file gets its name.
    A transfer that fails is tried anew, three times in all. `progress` gets the share that is
    downloaded and may raise to stop. Proxies are those of the environment (HTTPS_PROXY). Raises
    `CaldpError` if the download fails; nothing is left of it then.
    """
    require(
        url.startswith(("https://", "http://")),
        f"url must start with https:// or http://, got {url!r}.",
    )
    target = (cache_folder() if folder is None else Path(folder).expanduser()) / GOWALLA_FILE
    if not target.is_file():
        with explain_missing("Fetching SNAP's file"):
            _fetch(url, target, progress)
    progress(1.0)
    return target


def _fetch(url: str, target: Path, progress: Progress) -> None:
    """Download the file, or raise `CaldpError` that says what else can be done."""
    try:
        _download(url, target, progress)
    except (CaldpError, OSError) as error:
        raise CaldpError(
            f"{_reason(error, url, target.parent)}. "
            f"Or download {url} yourself and give the path of the file."
        ) from None


def _download(url: str, target: Path, progress: Progress) -> None:
    """Download the file and name it once it is checked; raises `CaldpError` or `OSError`."""
    import pooch

    pooch.get_logger().setLevel("ERROR")  # its messages would break the progress bar
    target.parent.mkdir(parents=True, exist_ok=True)
    pooch.create(
        target.parent,
        base_url="",
        registry={target.name: None},
        urls={target.name: url},
        retry_if_failed=TRIES - 1,
    ).fetch(target.name, downloader=lambda _, file, __: _transfer(url, Path(file), progress))


def _transfer(url: str, file: Path, progress: Progress) -> None:
    """Write what `url` sends to `file`, and check that it is check-ins; raises as `_download`."""
    import requests

    with requests.get(url, stream=True, timeout=_TIMEOUT) as answer, file.open("wb") as here:
        answer.raise_for_status()
        total = int(answer.headers.get("Content-Length", 0))
        for block in answer.iter_content(_BLOCK_BYTES):
            here.write(block)
            if total:
                progress(min(here.tell() / total, 1.0))
    Snap(str(file), _WORLD, cell=1.0).load()
    file.chmod(0o644)  # pooch's temporary files are for their owner alone


def _reason(error: CaldpError | OSError, url: str, folder: Path) -> str:
    """Why the file can't be had, without the full stop."""
    from requests import HTTPError, RequestException, Response

    match error:
        case CaldpError():
            return f"What {url} sent is not kept: {str(error).removesuffix('.')}"
        case HTTPError(response=Response() as answer):
            return f"{url} answered with HTTP error {answer.status_code} {answer.reason}"
        case RequestException():
            return (
                f"The download of {url} failed {TRIES} times ({type(error).__name__}); "
                "check the connection, and HTTPS_PROXY behind a proxy"
            )
    return f"The file can't be kept in {folder}: {error.strerror or error}"
