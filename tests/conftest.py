"""Settings that all tests share: property tests are repeatable and leave no files behind."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "caldp",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("caldp")


UNTRACED = frozenset((Path(__file__).parent / "untraced.txt").read_text("utf-8").split())
"""Tests, and whole files of them, that reach no line and no branch that no other test reaches: by a
second route, or with more cases. Found by `pytest --cov --cov-context=test`."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Measure coverage by the tests that add to it: tracing would double the time of the others."""
    for item in items:
        file = item.path.relative_to(Path(__file__).parent).as_posix()
        test = f"{file}::{getattr(item, 'originalname', item.name)}"
        marked = any(map(item.get_closest_marker, ("browser", "thorough")))
        if marked or UNTRACED & {file, test}:
            item.add_marker("no_cover")


@pytest.fixture(scope="session", autouse=True)
def own_cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Nothing is read from the user's cache folder, and nothing is left there."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        yield folder
