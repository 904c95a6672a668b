"""A visit to all pages, one after the other and back: each keeps what was set on it."""

from streamlit.testing.v1 import AppTest

from caldp_ui.app.navigation import PAGES, START
from tests.ui.driver import checked, go, open_page, query_of


def moved(at: AppTest) -> bool:
    """Moves the page's slider of ε to another level; False if it has none."""
    for slider in at.select_slider:
        if slider.key and slider.key.endswith("-epsilon") and not slider.disabled:
            checked(slider.set_value(2.0 if slider.value != 2.0 else 0.5).run())
            return True
    return False


def test_every_page_keeps_what_was_set_on_it() -> None:
    pages = [entry.path for entry in PAGES if entry.path != START]
    at = open_page("")
    set_to, changed = {}, 0
    for page in pages:
        before = query_of(go(at, page))
        if moved(at):
            assert query_of(at) != before, page
            changed += 1
        set_to[page] = query_of(at)
    assert changed >= len(pages) // 2
    for page in pages:
        assert query_of(go(at, page)) == set_to[page], page
