"""Download one large file over HTTP so that a cut connection costs nothing.

Room: datasets. What is downloaded and where it goes is said in `fetch.py`. Bytes of two versions
of a file are never joined (RFC 9110, sections 13.1.5 and 14: If-Range and Range).
"""

import http.client
import re
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import Final, Protocol

from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.limits import SNAP_MAX_BYTES
from caldp_core.basics.types import Progress
from caldp_core.datasets.partial import Part, Version, disk

PAUSES: Final = (0.0, 1.0, 3.0)
"""Seconds to wait before each new try after a cut connection; then it is given up."""
_TIMEOUT: Final = 30.0
_BLOCK_BYTES: Final = 2**18
_NETWORK_ERRORS: Final = (OSError, http.client.HTTPException)
_PARTIAL, _NOTHING_LEFT = 206, 416


class _Response(Protocol):
    """What this module uses of urllib's answers."""

    @property
    def status(self) -> int | None: ...
    @property
    def headers(self) -> Message: ...
    def read(self, amount: int, /) -> bytes: ...
    def close(self) -> None: ...


def download(url: str, target: Path, progress: Progress, max_bytes: int = SNAP_MAX_BYTES) -> Path:
    """Bring all bytes of `url` into `<target>.part` and return that path.

    Goes on where an earlier try stopped if the server's file is still the same one, and starts
    anew if not. `progress` is told the share of bytes that are here; if it raises, the bytes stay
    for the next time. Raises `CaldpError`: no network, an HTTP error, a connection that is cut
    again and again, a full disk, a file of more than `max_bytes`.
    """
    require(
        url.startswith(("https://", "http://")),
        f"url must start with https:// or http://, got {url!r}.",
    )
    work = _Work(url, Part(target), progress, max_bytes)
    for pause in (0.0, *PAUSES):
        time.sleep(pause)
        if work.transfer():
            progress(1.0)
            return work.part.path
    raise CaldpError(
        f"The connection to {url} was cut {len(PAUSES) + 1} times; what has arrived is kept, "
        "so try again later."
    )


@dataclass(frozen=True)
class _Work:
    """One download under way."""

    url: str
    part: Part
    progress: Progress
    max_bytes: int

    def transfer(self) -> bool:
        """Use one connection; True once all bytes are here, False if another try is needed."""
        known = self.part.version(self.url)
        response = _open(self.url, _range_headers(self.part, known))
        try:
            if response.status == _NOTHING_LEFT:
                return _all_here(response, self.part, known)
            found = _version_of(self.url, response)
            if response.status == _PARTIAL:
                if known is None or not _continues(response, self.part, known, found):
                    self.part.drop()
                    return False
                return self._append(response, self.part.size(), known)
            self.part.remember(found)
            return self._append(response, 0, found)
        finally:
            response.close()

    def _append(self, response: _Response, start: int, version: Version) -> bool:
        """Write the answer's bytes from `start` on; True if the file is whole then."""
        size, total = start, version.total
        with disk(self.part.path):
            file = self.part.path.open("r+b" if start else "wb")
        with file:
            file.seek(start)
            while fresh := _read(response):
                size += len(fresh)
                require(max(size, total or 0) <= self.max_bytes, self._too_large())
                with disk(self.part.path):
                    file.write(fresh)
                    file.flush()
                if total:
                    self.progress(min(size / total, 1.0))
        return fresh is not None and total in (None, size)

    def _too_large(self) -> str:
        return f"The file at {self.url} must have at most {self.max_bytes:,} bytes, it has more."


def _range_headers(part: Part, known: Version | None) -> dict[str, str]:
    if known is None:
        return {}
    return {"Range": f"bytes={part.size()}-"} | known.precondition()


def _open(url: str, headers: dict[str, str]) -> _Response:
    try:
        request = urllib.request.Request(url, headers={"User-Agent": "caldp"} | headers)
        response: _Response = urllib.request.urlopen(request, timeout=_TIMEOUT)
    except urllib.error.HTTPError as error:
        if error.code == _NOTHING_LEFT and headers:
            return error
        error.close()
        raise CaldpError(f"{url} answered with HTTP error {error.code} {error.reason}.") from None
    except (*_NETWORK_ERRORS, ValueError) as error:
        raise CaldpError(f"{url} can't be reached ({getattr(error, 'reason', error)}).") from None
    return response


def _version_of(url: str, response: _Response) -> Version:
    headers = response.headers
    if response.status == _PARTIAL:
        total = _whole_size(response)
    else:
        length = headers.get("Content-Length", "")
        total = int(length) if length.isdecimal() else None
    return Version(url, headers.get("ETag"), headers.get("Last-Modified"), total)


def _whole_size(response: _Response) -> int | None:
    """The size after the slash of Content-Range ("bytes 5-9/10" or "bytes */10")."""
    found = re.search(r"/(\d+)$", response.headers.get("Content-Range", "").strip())
    return int(found[1]) if found else None


def _continues(response: _Response, part: Part, known: Version, found: Version) -> bool:
    """Whether a partial answer starts where our bytes end and is of the same version."""
    sent_from = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
    starts_there = sent_from is not None and int(sent_from[1]) == part.size()
    return starts_there and known.confirmed_by(found)


def _all_here(response: _Response, part: Part, known: Version | None) -> bool:
    """Whether "nothing left to send" means that all is here; else start anew."""
    size = part.size()
    if known is not None and size and size == _whole_size(response) == known.total:
        return True
    part.drop()
    return False


def _read(response: _Response) -> bytes | None:
    """The next bytes, b"" at the end, None if the connection was cut."""
    try:
        return response.read(_BLOCK_BYTES)
    except _NETWORK_ERRORS:
        return None
