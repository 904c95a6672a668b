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


AGAIN = {
    *("test_reels", "test_room_reels", "test_matrix_reels", "test_films", "test_adversary_films"),
    *("test_agreement", "test_agreement_plans", "test_taken_along", "test_readers"),
    *("test_odds_hold", "test_large_inputs", "test_mutants", "test_examples"),
    *("test_composite_likelihood", "test_maximum_likelihood", "test_intervals", "test_regions"),
}
"""Files whose tests go by a second route where others have been: tracing them would add nothing."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Measure coverage by the default tests alone: tracing would double the time of the others."""
    for item in items:
        marked = any(map(item.get_closest_marker, ("browser", "thorough")))
        if marked or item.path.stem in AGAIN:
            item.add_marker("no_cover")


@pytest.fixture(scope="session", autouse=True)
def own_cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Nothing is read from the user's cache folder, and nothing is left there."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        yield folder
