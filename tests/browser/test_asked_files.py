"""A click on a button whose file the server has drawn anew, before the browser has heard of it."""

from collections.abc import Callable
from itertools import dropwhile
from pathlib import Path
from typing import Any

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.browser import wait_until_settled
from tests.browser.conftest import Profiles
from tests.browser.hands import expect
from tests.browser.watch import Watch

pytestmark = pytest.mark.browser
SLIDER = ".st-key-values-epsilon input[type=range]"


class Socket:
    """What the server tells a page, which can be held back for a while."""

    def __init__(self, page: Any) -> None:
        self._page, self._held, self._holds = page, list[bytes](), False
        page.route_web_socket(lambda url: "_stcore/stream" in url, self._begin)

    def _begin(self, socket: Any) -> None:
        self._socket = socket
        socket.connect_to_server().on_message(self._tell)

    def _tell(self, message: bytes) -> None:
        if self._holds:
            self._held.append(message)
        else:
            self._socket.send(message)

    def hold(self) -> None:
        """From now on the page hears nothing."""
        self._holds = True

    def wait_for_run(self) -> None:
        """Until the run that writes another address has ended, of which the page knows nothing.

        A film that has come has the page run as well, and may be just before it.
        """
        while not any(map(_ends, dropwhile(lambda each: not _is_of_address(each), self._held))):
            self._page.wait_for_timeout(20)

    def let_go(self) -> None:
        """The page hears all that was held back, in its order."""
        self._holds = False
        for message in self._held:
            self._socket.send(message)


def _is_of_address(message: bytes) -> bool:
    return ForwardMsg.FromString(message).WhichOneof("type") == "page_info_changed"


def _ends(message: bytes) -> bool:
    """Whether a run of the page has ended; parts of it end runs of their own."""
    told = ForwardMsg.FromString(message)
    is_end = told.WhichOneof("type") == "script_finished"
    return is_end and told.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY


def download(page: Any, ask: Callable[[], None]) -> str:
    """The file that the browser saves once it is asked for."""
    with page.expect_download() as found:
        ask()
    return Path(found.value.path()).read_text("utf-8")


def test_it_saves_what_the_server_has(profiles: Profiles, address: str, watch: Watch) -> None:
    page = profiles().new_page()
    watch.follow(page)
    socket = Socket(page)
    page.goto(f"{address}/values")
    page.locator(".chart .row").first.wait_for()
    page.get_by_role("tab", name="Share and export").click()
    button = page.get_by_role("button", name="estimate.csv", exact=True)
    expect(button).to_be_visible()
    wait_until_settled(page)
    before = download(page, button.click)
    page.locator(SLIDER).focus()
    socket.hold()
    page.keyboard.press("ArrowRight")
    socket.wait_for_run()

    def click_on_the_old_one() -> None:
        button.click()
        page.wait_for_timeout(500)
        socket.let_go()

    during = download(page, click_on_the_old_one)
    wait_until_settled(page)
    assert download(page, button.click) == during != before
    page.close()
    watch.check()
