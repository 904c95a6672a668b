"""Files that are made when somebody asks for them, also while the page is drawn again.

Streamlit forgets what a button makes as soon as the button has been drawn again. The browser shows
the old button a moment longer, and a click in that moment saved nothing: now it saves what the new
button makes. And Streamlit removes a file after the second run that does not show it, even if the
browser is only about to fetch it: now a file that was made stays for a while.
"""

from collections.abc import Callable
from pathlib import PurePosixPath
from threading import Lock
from time import monotonic
from typing import Final

from streamlit import runtime
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

_DRAWN_MAX: Final = 20_000
"""Buttons of all visits that are remembered, each drawing of one by itself."""
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
                self._forget_oldest()
        return drawing

    def make(self, drawing: str) -> str:
        """The address of what the button makes now; `MediaFileStorageError` if it is gone."""
        button = self._buttons.get(drawing)
        address = self._make(drawing if button is None else self._newest.get(button, drawing))
        with self._lock:
            self._made_at[PurePosixPath(address).stem] = self._clock()
        return address

    def _inactive_files(self) -> set[str]:
        """Files that may go: no page shows them, and none was made a moment ago."""
        with self._lock:
            oldest = self._clock() - _STAYS_S
            self._made_at = {file: at for file, at in self._made_at.items() if at > oldest}
            return self._find_inactive() - self._made_at.keys()

    def _forget_oldest(self) -> None:
        drawing = next(iter(self._buttons))
        button = self._buttons.pop(drawing)
        if self._newest[button] == drawing:
            del self._newest[button]


def keep_deferred_files() -> None:
    """Install `DeferredFiles`: a click on a button just drawn again saves its file, too."""
    if runtime.exists():
        DeferredFiles(runtime.get_instance().media_file_mgr)
