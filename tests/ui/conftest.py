"""What the tests of pages share: what a server does once, and forecasts of few trials."""

from collections.abc import Iterator
from typing import Any

import pytest
from PIL import Image
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import local_script_runner

from caldp_core.theory.expected_error import Budget
from caldp_ui.compute import coins
from caldp_ui.plan import page_state
from tests.ui.driver import OPENED, leave


@pytest.fixture(scope="session", autouse=True)
def packages_looked_through_once() -> Iterator[None]:
    """A server reads all packages' metadata as it starts, AppTest at each visit: 0.1 s each."""
    found = manifest_scanner.scan_component_manifests()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", lambda: found)
        yield


@pytest.fixture(scope="session", autouse=True)
def visits_wait_for_the_end_of_their_script() -> Iterator[None]:
    """AppTest looks every millisecond whether the script has ended, and slows it by that."""

    def wait_for_end(runner: local_script_runner.LocalScriptRunner, timeout: float) -> None:
        assert runner._script_thread is not None
        runner._script_thread.join(timeout)
        if runner._script_thread.is_alive():
            runner.request_stop()
            runner.join()
            raise RuntimeError(f"the script took over {timeout} s")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_script_runner, "require_widgets_deltas", wait_for_end)
        yield


@pytest.fixture(scope="module", autouse=True)
def pictures_are_packed_quickly() -> Iterator[None]:
    """Packing a picture as small as possible takes most of the time of a page with files."""
    save = Image.Image.save

    def save_quickly(image: Image.Image, *args: Any, **options: Any) -> None:
        save(image, *args, **{**options, "optimize": False})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Image.Image, "save", save_quickly)
        yield


@pytest.fixture(scope="module", autouse=True)
def forecasts_of_few_trials() -> Iterator[None]:
    """Pages show what the core forecasts; how near that is to the truth tests/theory holds.

    It ends with each module: one for the package would hold to the end of the process, and so for
    what other folders test there next.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name in ("single", "quick"):
            patch.setattr(Budget, name, lambda k: Budget(4, 4, 0.01))
        patch.setattr(page_state, "BUDGET", Budget(4, 4, 0.01))
        yield


@pytest.fixture(scope="module", autouse=True)
def noise_that_follows_from_seeds() -> Iterator[None]:
    """Noise on a visitor's own data is that of the core, with which pages are compared.

    `test_coins.py` has the secrets back.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coins, "secret_number", lambda *_: 0)
        patch.setattr(coins, "visit_name", lambda: "")
        yield


@pytest.fixture(autouse=True)
def nothing_goes_on_beside() -> Iterator[None]:
    """What a test's pages compute beside ends with it, as processors and threads are shared.

    Pages that a module's tests share were opened before, and go on.
    """
    OPENED.clear()
    yield
    for at in OPENED:
        leave(at)
