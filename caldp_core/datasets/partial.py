"""A download that is not finished yet: its bytes, and which version of the file they are of.

Room: datasets. Only `download.py` uses this.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from caldp_core.basics.errors import CaldpError


@dataclass(frozen=True)
class Version:
    """A version of the file at `url`; `total` is its size in bytes. None means untold."""

    url: str
    etag: str | None = None
    modified: str | None = None
    total: int | None = None

    def precondition(self) -> dict[str, str]:
        """The If-Range header; a weak ETag promises too little to be used there."""
        if self.etag and not self.etag.startswith("W/"):
            return {"If-Range": self.etag}
        return {"If-Range": self.modified} if self.modified else {}

    def confirmed_by(self, other: "Version") -> bool:
        """Whether all that `other` tells agrees; a partial answer may leave things out."""
        mine = (self.url, self.etag, self.modified, self.total)
        theirs = (other.url, other.etag, other.modified, other.total)
        return all(b is None or a == b for a, b in zip(mine, theirs, strict=True))


@dataclass(frozen=True)
class Part:
    """`<target>.part` with the bytes so far and `<target>.part.json` with their version."""

    target: Path

    @property
    def path(self) -> Path:
        """The bytes so far."""
        return self.target.with_name(self.target.name + ".part")

    @property
    def label(self) -> Path:
        """Their version."""
        return self.target.with_name(self.target.name + ".part.json")

    def size(self) -> int:
        """Bytes so far."""
        return self.path.stat().st_size if self.path.is_file() else 0

    def version(self, url: str) -> Version | None:
        """The version the bytes belong to; None if there are no bytes of use for `url`."""
        try:
            version = Version(**json.loads(self.label.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None
        return version if version.url == url and self.size() else None

    def remember(self, version: Version) -> None:
        """Note the version, making the folder if need be; raises `CaldpError`."""
        with disk(self.label):
            self.label.parent.mkdir(parents=True, exist_ok=True)
            self.label.write_text(json.dumps(asdict(version)), encoding="utf-8")

    def drop(self) -> None:
        """Delete both files; raises `CaldpError`."""
        with disk(self.path):
            self.path.unlink(missing_ok=True)
            self.label.unlink(missing_ok=True)


@contextmanager
def disk(path: Path) -> Iterator[None]:
    """Turn a disk error (full, read-only, not allowed) into `CaldpError`."""
    try:
        yield
    except OSError as error:
        raise CaldpError(f"The file {path} can't be written: {error.strerror or error}.") from None
