"""Files that visits are promised: pictures of pages, and what buttons make at a click.

Streamlit serves a file at a hash of its content, type and name, to anybody. Who knows all but a few
small counts of a table can try them all, and so both read them and get the file. Here a file lies
in its visit's vault, at an address that follows from the vault's secret.

A file that a button makes stays for a while, and a click on a button that was just drawn again
saves what the new one makes: Streamlit forgets an earlier drawing with the next run, when a browser
far away may still show it, and the file with the second run after it.
"""

from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath
from threading import Lock
from time import monotonic
from typing import Final

from streamlit.runtime import memory_media_file_storage
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileKind, MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryFile, MemoryMediaFileStorage
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.stats import CacheStat

from caldp_ui.server.guard import Patch
from caldp_ui.server.vault import current_vault, vaults, working_for


class VisitFiles(MemoryMediaFileStorage):
    """Streamlit's store of files, with each file in the vault of the visit that it is made for."""

    def load_and_get_id(
        self,
        path_or_data: str | bytes,
        mimetype: str,
        kind: MediaFileKind,
        filename: str | None = None,
    ) -> str:
        """Keep a file, or the one at that path, for the current visit; returns its address."""
        content = path_or_data
        if isinstance(content, str):
            content = Path(content).read_bytes()
        return current_vault().keep_file(content, mimetype, kind, filename)

    def get_file(self, filename: str) -> MemoryFile:
        """The file at "address.extension"; raises `MediaFileStorageError` where there is none."""
        file = vaults().file_at(PurePosixPath(filename).stem)
        if file is None:
            raise MediaFileStorageError("There is no such file.")
        return file

    def delete_file(self, file_id: str) -> None:
        """Discard the file of that address, whose visit shows it no longer."""
        for vault in vaults().all():
            vault.discard_file(file_id)

    def get_stats(self, family_names: Sequence[str] | None = None) -> dict[str, list[CacheStat]]:
        """Nothing: figures for the operator are in `caldp_ui/app/operation.py`."""
        del family_names
        return {}


def keep_files_in_vaults() -> None:
    """Have Streamlit keep files in visits' vaults; to be called before its `App` is made."""
    memory_media_file_storage.MemoryMediaFileStorage = VisitFiles  # type: ignore[misc]


def require_vaults(manager: MediaFileManager) -> None:
    """Raise `RuntimeError` if Streamlit keeps files elsewhere, where others could find them."""
    if not isinstance(manager._storage, VisitFiles):  # noqa: SLF001 — no public name
        raise RuntimeError(
            "This version of Streamlit would serve visitors' files at addresses that others can "
            "compute; install the one that requirements.txt names."
        )


_DRAWN_MAX: Final = 20_000
"""Buttons of all visits that are remembered; each drawing of a button counts as one."""
_STAYS_S: Final = 30.0
"""A browser far away, on a busy page, may take seconds to ask for a file that it was promised."""


class DeferredFiles:
    """Has a button's newest drawing make the file for each earlier one, and keeps it for a while.

    `manager`: Streamlit's, of which it replaces three methods. `clock`: seconds.
    """

    def __init__(self, manager: MediaFileManager, clock: Callable[[], float] = monotonic) -> None:
        self._draw, self._make = manager.add_deferred, manager.execute_deferred
        self._find_inactive = manager._get_inactive_file_ids  # noqa: SLF001 — no public name
        self._clock = clock
        self._buttons: dict[str, tuple[str, str]] = {}
        self._newest: dict[tuple[str, str], str] = {}
        self._made_at: dict[str, float] = {}
        self._lock = Lock()  # visits draw at the same time
        manager.add_deferred = self.draw  # type: ignore[method-assign, assignment]
        manager.execute_deferred = self.make  # type: ignore[method-assign, assignment]
        manager._get_inactive_file_ids = self._inactive_files  # type: ignore[method-assign]  # noqa: SLF001

    def draw(
        self,
        make: Callable[[], bytes | str],
        mimetype: str | None,
        coordinates: str,
        file_name: str | None = None,
        *,
        element_id: str = "",
    ) -> str:
        """Name this drawing of a button of this visit; `make` returns the content of its file."""
        drawing = self._draw(make, mimetype, coordinates, file_name, element_id=element_id)
        run = get_script_run_ctx(suppress_warning=True)
        button = (run.session_id if run else "", element_id)
        with self._lock:
            self._buttons[drawing], self._newest[button] = button, drawing
            while len(self._buttons) > _DRAWN_MAX:
                oldest = next(iter(self._buttons))
                forgotten = self._buttons.pop(oldest)
                if self._newest[forgotten] == oldest:
                    del self._newest[forgotten]
        return drawing

    def make(self, drawing: str) -> str:
        """The address of what the button makes now; `MediaFileStorageError` if it is gone.

        The file belongs to the visit that the button was drawn for, as it is made on no run of it.
        """
        with self._lock:
            button = self._buttons.get(drawing)
            newest = self._newest.get(button) if button is not None else None
        if button is None or newest is None:
            raise MediaFileStorageError("The button of this file was not found.")
        visit, _ = button
        with working_for(vaults().of(visit)):
            address = self._make(newest)
        with self._lock:
            self._made_at[PurePosixPath(address).stem] = self._clock()
        return address

    def _inactive_files(self) -> set[str]:
        """Files that may go: no page shows them, and none was made a moment ago."""
        with self._lock:
            oldest = self._clock() - _STAYS_S
            self._made_at = {file: at for file, at in self._made_at.items() if at > oldest}
            return self._find_inactive() - self._made_at.keys()


_MANAGER: Final = "streamlit.runtime.media_file_manager.MediaFileManager"
PATCHES: Final = (
    Patch(
        name="files in visits' vaults",
        reason="Streamlit serves a file at a hash of its content to anybody who can compute it.",
        without="others could find what a visit has made from its own data",
        rests_on={
            "streamlit.runtime.memory_media_file_storage.MemoryMediaFileStorage": "",
            f"{_MANAGER}.__init__:_storage": "",
        },
        apply=keep_files_in_vaults,
        is_needed=True,
    ),
    Patch(
        name="files made on a click",
        reason="Streamlit forgets a button's earlier drawing, which a browser may still show.",
        upstream="streamlit issue 5053, PR 12942",
        without="a slow browser may miss a file",
        rests_on={
            f"{_MANAGER}.add_deferred": (
                "self, data_callable, mimetype, coordinates, file_name, element_id"
            ),
            f"{_MANAGER}.execute_deferred": "self, file_id",
            f"{_MANAGER}._get_inactive_file_ids": "self",
        },
    ),
)
