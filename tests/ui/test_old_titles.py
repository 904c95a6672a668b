"""A menu's old title, which the page has changed since, is not taken for a choice."""

import pytest

from tests.ui.driver import checked, open_record, page_record
from tests.ui.pages import PAGES

GONE = "A title of the page before"
MENUS = [
    ("matrix", "channel", ()),
    ("matrix", "template", ()),
    ("room", "right", ()),
    ("places", "family", ("more",)),
    ("places", "estimator", ("more",)),
    ("personal", "share-0", ("who",)),
    ("adversary", "place", ()),
]
"""Pages, menus whose values or titles follow the record, and the forms that hold them."""


@pytest.mark.parametrize(("name", "menu", "forms"), MENUS)
def test_title_that_is_gone_changes_nothing_and_says_nothing(
    name: str, menu: str, forms: tuple[str, ...]
) -> None:
    state = PAGES[name].state
    at = open_record(state, opens=forms)
    before = page_record(at, state)
    box = at.selectbox(key=state.key(menu))
    shown = box.value
    box.options.append(GONE)  # as the browser, which has not got the page's new titles yet
    at = checked(box.set_value(GONE).run())
    assert page_record(at, state) == before
    assert [each.value for each in at.warning] == []
    assert at.selectbox(key=state.key(menu)).value == shown
