"""A vault for each visit: the one place of what is made from a visitor's data on this server.

A vault has a secret that no other visit knows, the files that the visit was promised, and the
results that were cached for it once it had brought data. Addresses of files follow from the secret:
who knows a file's content, type and name cannot compute where it is.

A vault's files and cached results are discarded a few seconds after its visit's socket has gone. A
visit that comes back gets them anew, at the same addresses. Once it can't come back any more its
vault ends, and Streamlit is asked to forget its state, with all that the visitor has brought: on
its own, it does so only when the next visit leaves, which on a quiet server is never. A browser
whose page is closed says so as it closes its socket, and its visit ends with its files. A socket
that breaks off says nothing: the same page may be back once the line is, so its visit waits longer.
"""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from hashlib import blake2b
from threading import Lock
from time import monotonic
from typing import Final, ParamSpec, TypeVar

from streamlit.runtime.media_file_storage import MediaFileKind
from streamlit.runtime.memory_media_file_storage import MemoryFile

from caldp_core.basics.cache import EVERYBODY, shared_cache
from caldp_ui.server.current_run import this_visit

P = ParamSpec("P")
T = TypeVar("T")
SECRET_BYTES: Final = 32
ADDRESS_BYTES: Final = 16
"""Of a file's address: 128 bits."""
EMPTIED_AFTER_S: Final = 5.0
"""Seconds from the end of a visit's socket until its files are gone; 10 are promised."""
ENDED_AFTER_S: Final = 120.0
"""Seconds in which a visit whose socket broke off may come back; `disconnectedSessionTTL` of
config.toml is longer."""
PAGE_CLOSED: Final = frozenset({1000, 1001})
"""Codes of a socket whose page was closed or left (RFC 6455, 7.4.1); other ends may be faults."""


class Vault:
    """What one visit owns: a `secret` of 32 random bytes, files by their addresses, and results.

    `visit`: the name that Streamlit gives it; "" for work outside of any visit. `holds_data`: set
    once the visit has brought data; what is computed for it from then on is in the shared cache as
    its own. `may_return`: false once the visitor has closed the page. Thread-safe.
    """

    def __init__(self, visit: str) -> None:
        self.visit = visit
        self.secret = secrets.token_bytes(SECRET_BYTES)
        self.holds_data = False
        self.may_return = True
        self._files: dict[str, MemoryFile] = {}

    def keep_file(
        self, content: bytes, mimetype: str, kind: MediaFileKind, filename: str | None
    ) -> str:
        """Keep a file and return its address: 32 hexadecimal digits, equal for equal files.

        A picture that is drawn again has the same address, so that browsers do not load it again.
        """
        file = MemoryFile(content, mimetype, kind, filename)
        address = self._address_of(file)
        self._files.setdefault(address, file)
        return address

    def file_at(self, address: str) -> MemoryFile | None:
        """The file of that address; None where there is none."""
        return self._files.get(address)

    def discard_file(self, address: str) -> None:
        """Discard the file of that address, if there is one."""
        self._files.pop(address, None)

    def empty(self) -> None:
        """Discard all files and results."""
        self._files.clear()
        if self.holds_data:
            shared_cache().discard(self.visit)

    def __len__(self) -> int:
        return len(self._files)

    def _address_of(self, file: MemoryFile) -> str:
        digest = blake2b(key=self.secret, digest_size=ADDRESS_BYTES)
        for part in (file.kind.value, file.mimetype, file.filename or ""):
            encoded = part.encode()
            # Lengths keep "a", "bc" apart from "ab", "c".
            digest.update(len(encoded).to_bytes(8, "big"))
            digest.update(encoded)
        digest.update(file.content)
        return digest.hexdigest()


class Vaults:
    """The vaults of all visits of this process; `clock`: seconds. Thread-safe."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._vaults: dict[str, Vault] = {}
        self._left_at: dict[str, float] = {}

    def of(self, visit: str) -> Vault:
        """The vault of that visit; a new one at its first call."""
        with self._lock:
            vault = self._vaults.get(visit)
            if vault is None:
                vault = self._vaults[visit] = Vault(visit)
            return vault

    def all(self) -> tuple[Vault, ...]:
        """The vaults of visits that are here or may come back."""
        with self._lock:
            return tuple(self._vaults.values())

    def file_at(self, address: str) -> MemoryFile | None:
        """The file of that address in any vault; None where there is none."""
        for vault in self.all():
            file = vault.file_at(address)
            if file is not None:
                return file
        return None

    def note_open_socket(self, visit: str) -> None:
        """Note that the visit has a socket: its page is open, also if it was closed before."""
        with self._lock:
            vault = self._vaults.get(visit)
        if vault is not None:
            vault.may_return = True

    def note_end_of_socket(self, visit: str, code: int) -> None:
        """Note with which code (RFC 6455, 7.4.1) the socket of a visit has ended."""
        with self._lock:
            vault = self._vaults.get(visit)
        if vault is not None:
            vault.may_return = code not in PAGE_CLOSED

    def close(self, is_here: Callable[[str], bool], end: Callable[[str], None]) -> bool:
        """Empty the vaults of visits that have left, and end those that can't come back.

        `is_here`: whether the socket of the visit of that name is open. `end`: called with the name
        of each visit whose vault has ended. Returns whether any of these had brought data.
        """
        has_ended_data = False
        now = self._clock()
        for vault in self.all():
            visit = vault.visit
            if not visit or is_here(visit):
                self._left_at.pop(visit, None)
                continue
            away_s = now - self._left_at.setdefault(visit, now)
            if away_s >= EMPTIED_AFTER_S:
                vault.empty()
            if away_s >= (ENDED_AFTER_S if vault.may_return else EMPTIED_AFTER_S):
                # `end` first: a run that is still at work must not begin another vault.
                end(visit)
                vault.empty()
                has_ended_data = has_ended_data or vault.holds_data
                del self._left_at[visit]
                with self._lock:
                    del self._vaults[visit]
        return has_ended_data


@cache
def vaults() -> Vaults:
    """The vaults of this process."""
    return Vaults()


_CURRENT: Final[ContextVar[Vault | None]] = ContextVar("current vault", default=None)


@contextmanager
def working_for(vault: Vault) -> Iterator[None]:
    """Let `vault` be the current one of this thread, which belongs to no run of a page."""
    token = _CURRENT.set(vault)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current_vault() -> Vault:
    """The vault of the visit that this thread works for; one without a visit outside of all."""
    vault = _CURRENT.get()
    if vault is not None:
        return vault
    return vaults().of(this_visit())


def bound_to_visit(make: Callable[P, T]) -> Callable[P, T]:
    """The function, to be called from any thread: it works for the visit that has bound it."""
    vault = current_vault()

    def made_for_visit(*args: P.args, **options: P.kwargs) -> T:
        with working_for(vault):
            return make(*args, **options)

    return made_for_visit


def keep_results_apart() -> None:
    """Have the shared cache keep what is computed for a visit that has brought data as its own."""
    shared_cache().find_owner = _owner


def _owner() -> str:
    vault = current_vault()
    return vault.visit if vault.holds_data else EVERYBODY
