"""Files that are made once somebody asks for them, also while the page is drawn anew.

Streamlit forgets what a button makes as soon as the button has been drawn anew. The browser shows
the old one a moment longer, and a click in that moment saved nothing: now it saves what the new one
makes.
"""

from collections.abc import Callable
from threading import Lock
from typing import Final

from streamlit import runtime
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

_DRAWN_MAX: Final = 20_000
"""Buttons of all visits that are remembered, each drawing of one by itself."""


class DeferredFiles:
    """Names a button's newest drawing for each earlier one, and has it make the file.

    `keeper`: Streamlit's, whose two functions of files that are asked for it takes over.
    """

    def __init__(self, manager: MediaFileManager) -> None:
        self._draw, self._make = manager.add_deferred, manager.execute_deferred
        self._buttons: dict[str, tuple[str, str]] = {}
        self._newest: dict[tuple[str, str], str] = {}
        self._lock = Lock()  # visits draw at the same time
        manager.add_deferred = self.draw  # type: ignore[method-assign, assignment]
        manager.execute_deferred = self.make  # type: ignore[method-assign, assignment]

    def draw(
        self,
        make: Callable[[], bytes | str],
        mimetype: str | None,
        coordinates: str,
        file_name: str | None = None,
        *,
        element_id: str = "",
    ) -> str:
        """The name of this drawing of a button of this visit, which `make`s a file."""
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
        return self._make(drawing if button is None else self._newest.get(button, drawing))

    def _forget_oldest(self) -> None:
        drawing = next(iter(self._buttons))
        button = self._buttons.pop(drawing)
        if self._newest[button] == drawing:
            del self._newest[button]


def keep_deferred_files() -> None:
    """From now on a click on a button that has just been drawn anew saves its file, too."""
    if runtime.exists():
        DeferredFiles(runtime.get_instance().media_file_mgr)
