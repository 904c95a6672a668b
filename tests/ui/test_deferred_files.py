"""A button that was drawn anew still gives its file to who clicks on the old drawing of it."""

from functools import partial

import pytest
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from caldp_ui.app import delivery
from caldp_ui.app.delivery import DeferredFiles


class Page:
    """Buttons of one visit, and what Streamlit does once they are drawn."""

    def __init__(self) -> None:
        self._storage = MemoryMediaFileStorage("/media")
        self.files = MediaFileManager(self._storage)

    def draw(self, **made: str) -> dict[str, str]:
        """Draws the buttons, and nothing else, as a run of the page does."""
        self.files.clear_session_refs()
        drawn = {
            name: self.files.add_deferred(partial(str, text), "text/csv", name, element_id=name)
            for name, text in made.items()
        }
        self.files.remove_orphaned_files()
        return drawn

    def has(self, address: str) -> bool:
        """Whether a browser that asks for the file still gets it."""
        try:
            self._storage.get_file(address.rpartition("/")[2])
        except MediaFileStorageError:
            return False
        return True

    def saved(self, drawing: str) -> str:
        """What a click on a drawing of a button saves."""
        name = self.files.execute_deferred(drawing).rpartition("/")[2]
        return self._storage.get_file(name).content.decode()


def test_the_old_drawing_of_a_button_saves_what_the_new_one_does() -> None:
    page = Page()
    DeferredFiles(page.files)
    first = page.draw(estimate="a", scenario="b")
    page.draw(estimate="c", scenario="d")
    last = page.draw(scenario="f", estimate="e")
    for drawn in (first, last):
        assert {name: page.saved(each) for name, each in drawn.items()} == {
            "estimate": "e",
            "scenario": "f",
        }


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_file_stays_until_the_browser_has_had_time_to_fetch_it() -> None:
    page, clock = Page(), Clock()
    DeferredFiles(page.files, clock)
    address = page.files.execute_deferred(page.draw(estimate="a")["estimate"])
    for clock.now in (1.0, 10.0, 29.0):
        page.draw(estimate="b")
        assert page.has(address)
    clock.now = 31.0
    page.draw(estimate="b")
    page.draw(estimate="b")
    assert not page.has(address)


def test_streamlit_itself_removes_a_file_after_two_runs() -> None:
    page = Page()
    address = page.files.execute_deferred(page.draw(estimate="a")["estimate"])
    page.draw(estimate="b")
    assert page.has(address)
    page.draw(estimate="b")
    assert not page.has(address)


def test_streamlit_itself_forgets_it() -> None:
    page = Page()
    first = page.draw(estimate="a")
    page.draw(estimate="b")
    with pytest.raises(MediaFileStorageError, match="not found"):
        page.saved(first["estimate"])


def test_a_button_that_is_gone_saves_nothing() -> None:
    page = Page()
    DeferredFiles(page.files)
    gone = page.draw(estimate="a")["estimate"]
    page.draw()
    with pytest.raises(MediaFileStorageError, match="not found"):
        page.saved(gone)


def test_old_drawings_are_forgotten_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivery, "_DRAWN_MAX", 3)
    page = Page()
    DeferredFiles(page.files)
    drawn = [page.draw(estimate=str(number))["estimate"] for number in range(5)]
    assert [page.saved(each) for each in drawn[2:]] == ["4"] * 3
    with pytest.raises(MediaFileStorageError, match="not found"):
        page.saved(drawn[1])
