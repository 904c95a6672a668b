"""One server and one Chromium a worker; every visit is watched for requests and errors."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from time import perf_counter
from typing import Any

import pytest

from benchmarks.browser import chromium, missing, ready, serving
from tests.browser.watch import Watch

Visit = Callable[..., Any]
DESKTOP = {"width": 1280, "height": 900}


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    lack = missing()
    if lack and os.environ.get("CALDP_BROWSER_REQUIRED") == "1":
        pytest.fail(lack)
    if lack:
        pytest.skip(lack)
    with chromium() as started:
        yield started


@pytest.fixture(scope="session")
def address(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("server")) as found:
        yield found


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture(scope="session")
def shared(browser: Any) -> Iterator[Any]:
    """A browser profile that keeps the server's files, so that later visits are quicker."""
    with browser.new_context(viewport=DESKTOP) as context:
        yield context


@pytest.fixture
def visit(browser: Any, shared: Any, address: str, watch: Watch) -> Iterator[Visit]:
    """Opens the map page in a profile of its own if there are settings or if it is `fresh`.

    Whatever a test does, nothing may go outside and nothing may be an error.
    """
    with ExitStack() as visits:

        def open_page(query: str = "", fresh: bool = False, **settings: Any) -> Any:
            context = shared
            if fresh or settings:
                context = browser.new_context(**{"viewport": DESKTOP, **settings})
                visits.callback(context.close)
            page = context.new_page()
            visits.callback(page.close)
            watch.follow(page)
            started = perf_counter()
            page.goto(f"{address}/{query}")
            ready(page)
            watch.seconds = perf_counter() - started
            return page

        yield open_page
        watch.check()
