"""What an office keeps: a key, a ledger of releases, and their packs. None of it is published.

The key seals records (HMAC): a seal shows that this office's desk made a record, and that nothing
was changed since. No plain hash of a list is kept or published: with it, somebody who knows all
rows but one could try out the last. The ledger's marks need the key.

An entry stands in the ledger before the first coin of its release is thrown, so that a draw that
is cut off stays counted. Each entry seals the one before. If somebody deletes the last ones, or
brings an older copy, the sum starts from there, which nothing here can see.
"""

import hashlib
import hmac
import io
import json
import os
import re
import secrets
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np

from caldp_core.basics.errors import CaldpError, quoted, require
from caldp_core.basics.files import hold_file
from caldp_core.basics.types import Ints
from caldp_core.release.frozen import Line

KEY: Final = "key"
RELEASE: Final = "release.json"
_NAME: Final = re.compile(r"key|entry-[0-9]{6}\.json|pack-[0-9a-f]{12}/[a-z-]{1,30}\.[a-z]{1,5}")
_ZIP_MAX_BYTES: Final = 256 * 2**20
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""The one time in the zip of an office, so that the same office is the same file."""


class Store(Protocol):
    """Where an office keeps its files: a folder, or memory."""

    def names(self) -> list[str]:
        """The names of all files, in order."""

    def read(self, name: str) -> bytes:
        """The bytes of a file."""

    def create(self, files: Mapping[str, bytes]) -> None:
        """Write new files, which appear together; raises `CaldpError` if one is there."""

    def hold(self) -> AbstractContextManager[None]:
        """Wait until nobody else works with this office."""


class FolderStore:
    """A folder of the office."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CaldpError(
                f"The folder {quoted(folder)} of the office can't be made: {error.strerror}."
            ) from None

    def names(self) -> list[str]:
        """As `Store`."""
        inside = (path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*"))
        return sorted(name for name in inside if _NAME.fullmatch(name))

    def read(self, name: str) -> bytes:
        """As `Store`."""
        return (self.folder / name).read_bytes()

    def create(self, files: Mapping[str, bytes]) -> None:
        """As `Store`: a single file, or all files of a new folder."""
        try:
            folders = {Path(name).parent for name in files}
            for folder in folders - {Path()}:
                self._create_folder(folder, files)
            for name, data in files.items():
                if Path(name).parent == Path():
                    _write_new(self.folder / name, data)
        except FileExistsError as error:
            raise CaldpError(
                f"The office has {quoted(error.filename)} already; another release is at work."
            ) from None
        except OSError as error:
            raise CaldpError(
                f"The folder {quoted(self.folder)} of the office can't be written: "
                f"{error.strerror}."
            ) from None

    def _create_folder(self, folder: Path, files: Mapping[str, bytes]) -> None:
        part = self.folder / f"{folder}.part"
        part.mkdir()
        for name, data in files.items():
            if Path(name).parent == folder:
                _write_new(part / Path(name).name, data)
        part.rename(self.folder / folder)

    def hold(self) -> AbstractContextManager[None]:
        """As `Store`, by a lock on a file."""
        return hold_file(self.folder / "ledger")


def _write_new(path: Path, data: bytes) -> None:
    """Write a file that must not be there, to disk; others of the machine can't read it."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


class MemoryStore:
    """An office that its officer keeps as one file and brings to each visit."""

    def __init__(self, files: Mapping[str, bytes] | None = None) -> None:
        self.files = dict(files or {})

    @classmethod
    def from_zip(cls, data: bytes) -> "MemoryStore":
        """The office of such a file; raises `CaldpError` for another file, or a damaged one."""
        no_office = (
            "This is no file of an office; bring the one that you got with the last release."
        )
        files = {}
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as packed:
                members = packed.infolist()
                require(
                    sum(each.file_size for each in members) <= _ZIP_MAX_BYTES
                    and all(_NAME.fullmatch(each.filename) for each in members),
                    no_office,
                )
                for each in members:
                    files[each.filename] = packed.read(each)
        except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError):
            raise CaldpError(no_office) from None
        require(KEY in files, no_office)
        return cls(files)

    def to_zip(self) -> bytes:
        """The office as one file; the same bytes for the same files."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
            for name in self.names():
                packed.writestr(zipfile.ZipInfo(name, _EPOCH), self.files[name])
        return out.getvalue()

    def names(self) -> list[str]:
        """As `Store`."""
        return sorted(self.files)

    def read(self, name: str) -> bytes:
        """As `Store`."""
        return self.files[name]

    def create(self, files: Mapping[str, bytes]) -> None:
        """As `Store`."""
        for name in files:
            require(name not in self.files, f"The office has {quoted(name)} already.")
        self.files |= files

    def hold(self) -> AbstractContextManager[None]:
        """As `Store`; one visit has it alone."""
        return nullcontext()


@dataclass(frozen=True)
class Entry:
    """A release in the ledger.

    `mark`: of its settings and the bytes of its list; `list_mark`: of the list alone. Both are made
    with the key.
    """

    number: int
    list: str
    mark: str
    list_mark: str
    line: Line


@dataclass(frozen=True)
class Office:
    """An office by where it keeps its files."""

    store: Store

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep others from this office while something is released; makes the key at first."""
        with self.store.hold():
            names = self.store.names()
            require(
                KEY in names or not names,
                "The office has a ledger without its key; put the file “key” back beside it.",
            )
            if not names:
                self.store.create({KEY: secrets.token_bytes(32)})
            yield

    def seal(self, value: object) -> str:
        """An HMAC of plain data with the office's key; "" before the key is made."""
        if KEY not in self.store.names():
            return ""
        text = json.dumps(value, sort_keys=True, ensure_ascii=False)
        return hmac.new(self.store.read(KEY), text.encode(), hashlib.sha256).hexdigest()

    def is_sealed(self, record: Mapping[str, Any]) -> bool:
        """Whether this office sealed the record, and nothing in it was changed."""
        plain = {key: value for key, value in record.items() if key != "seal"}
        seal, own = record.get("seal"), self.seal(plain)
        return (
            bool(own) and isinstance(seal, str) and hmac.compare_digest(seal.encode(), own.encode())
        )

    def secret_order(self, name: str, size: int) -> Ints:
        """(size,) an order of numbers by the key: the same for a name, and unknown without it."""
        key = self.store.read(KEY)
        marks = [
            hmac.digest(key, f"order {name} {number}".encode(), "sha256") for number in range(size)
        ]
        return np.argsort(np.array(marks, dtype="S32"), kind="stable")

    def entries(self) -> list[Entry]:
        """The ledger, in order; raises `CaldpError` if it was changed or has a gap."""
        found: list[Entry] = []
        before = ""
        for name in self.store.names():
            if not name.startswith("entry-"):
                continue
            try:
                record = json.loads(self.store.read(name))
                entry = Entry(**(record["entry"] | {"line": Line(**record["entry"]["line"])}))
            except (ValueError, KeyError, TypeError):
                raise CaldpError(f"{quoted(name)} of the ledger is damaged; restore it.") from None
            is_next = entry.number == len(found) + 1 and record["before"] == before
            require(
                is_next and self.is_sealed(record),
                f"The ledger was changed at {quoted(name)}; restore the office's files, as the sum "
                "of ε would be wrong.",
            )
            found.append(entry)
            before = record["seal"]
        return found

    def enter(self, list_name: str, mark: str, list_mark: str, line: Line) -> Entry:
        """Write a release into the ledger, before its first coin."""
        entries = self.entries()
        number = len(entries) + 1
        before = ""
        if entries:
            last = json.loads(self.store.read(f"entry-{number - 1:06d}.json"))
            before = last["seal"]
        entry = Entry(number, list_name, mark, list_mark, line)
        record = {"entry": asdict(entry), "before": before}
        sealed = record | {"seal": self.seal(record)}
        text = json.dumps(sealed, ensure_ascii=False, indent=1)
        self.store.create({f"entry-{number:06d}.json": text.encode()})
        return entry

    def pack(self, identifier: str) -> dict[str, bytes] | None:
        """The files of a pack by name; None if its draw was cut off."""
        folder = f"pack-{identifier}/"
        names = [name for name in self.store.names() if name.startswith(folder)]
        if folder + RELEASE not in names:
            return None
        return {name.removeprefix(folder): self.store.read(name) for name in names}

    def keep_pack(self, identifier: str, files: Mapping[str, bytes]) -> None:
        """Keep the files of a pack, which appear together."""
        self.store.create({f"pack-{identifier}/{name}": data for name, data in files.items()})


def normalize_list_name(name: str) -> str:
    """A list's name as it is compared: without differences of case and spaces."""
    return " ".join(name.split()).casefold()
