"""Settings that all tests share: property tests are repeatable and leave no files behind."""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

THOROUGH = os.environ.get("CALDP_THOROUGH") == "1"
"""Every night, and before a release: more examples of each property."""
settings.register_profile(
    "caldp",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=200 if THOROUGH else 30,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("caldp")


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores, as tests wait for browsers, processes and threads."""
    return (os.cpu_count() or 1) + 1


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Where no browser test is wanted their folder, a tenth of all tests' code, is not read."""
    is_browser = collection_path == Path(__file__).with_name("browser")
    return True if is_browser and "not browser" in config.option.markexpr else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests go first: at the end only short ones are left for a worker without work."""
    items.sort(key=lambda item: item.get_closest_marker("browser") is None)


def pytest_collection_finish() -> None:
    """What all tests import lives to the end: looking through it again and again took a tenth."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 100)


@pytest.fixture(scope="session", autouse=True)
def files_take_as_long_as_they_take() -> Iterator[None]:
    """A page gives up on a file after 20 s, which a busy machine may take for a small one."""
    from caldp_core.datasets.files.source import PAGE_BOUNDS

    seconds = PAGE_BOUNDS.seconds
    object.__setattr__(PAGE_BOUNDS, "seconds", 50 * (seconds or 0))
    yield
    object.__setattr__(PAGE_BOUNDS, "seconds", seconds)


@pytest.fixture(scope="session", autouse=True)
def readers_are_not_put_behind_other_tests() -> Iterator[None]:
    """Threads that read files let pages go first; here other workers would take all their time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("caldp_core.basics.files._PRIORITY", 0)
        yield


@pytest.fixture(scope="session", autouse=True)
def own_cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Nothing is read from the user's cache folder, and nothing is left there."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        yield folder


@pytest.fixture(scope="module")
def one_connection() -> Iterator[None]:
    """To connect to DuckDB anew for each of hundreds of files would take most of the time."""
    from caldp_core.basics import files as duck
    from caldp_core.datasets.files import table
    from caldp_core.datasets.files.source import file_system, source_from_bytes

    with (
        file_system(source_from_bytes(b"", "")) as none,
        duck.connect(200, files=none) as kept,
        pytest.MonkeyPatch.context() as patch,
    ):

        @contextmanager
        def connect(memory_mb: int, files: Any) -> Iterator[Any]:
            kept.unregister_filesystem(files.protocol)
            kept.register_filesystem(files)
            yield kept
            kept.execute("drop table if exists reject_errors")
            kept.execute("drop table if exists reject_scans")

        patch.setattr(table, "connect", connect)
        yield
