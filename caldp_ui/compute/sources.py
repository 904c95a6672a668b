"""The data that a reader can choose, and how a scenario changes with the choice."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from caldp_core.datasets import (
    Cities,
    DatasetSpec,
    Gowalla,
    InfantDeaths,
    OwnPlaces,
    OwnSurvey,
    OwnTable,
    Snap,
    Survey,
)
from caldp_core.datasets.snap import GOWALLA_FILE, cache_folder
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.scenarios.scenario import Scenario

PEOPLE_OF_SYNTHETIC: Final = 1_000_000
_PLACES: Final[dict[str, DatasetSpec]] = {
    "Gowalla (reconstructed grid)": Gowalla(),
    "Synthetic cities": Cities(),
}
_TRUE_BACKGROUNDS: Final = ("truth", "mirrored")
_SNAP_TITLE: Final = "Gowalla (SNAP)"


def fetched_snap() -> Snap | None:
    """SNAP's own file, if it has been fetched to this machine."""
    path = cache_folder() / GOWALLA_FILE
    return Snap(str(path)) if path.is_file() else None


def places() -> dict[str, DatasetSpec]:
    """Datasets of places by the title that readers see."""
    snap = fetched_snap()
    return {**_PLACES, **({_SNAP_TITLE: snap} if snap else {})}


def title_of(spec: DatasetSpec, titles: Mapping[str, DatasetSpec]) -> str:
    """The title of a dataset; one with settings of its own goes by its kind."""
    alike = [title for title, known in titles.items() if type(known) is type(spec)]
    return next((t for t in alike if titles[t] == spec), alike[0] if alike else type(spec).__name__)


def has_people(spec: DatasetSpec) -> bool:
    """True where the data are people, not only a distribution to draw people from."""
    return is_own(spec) or isinstance(spec, Gowalla | Snap | Survey | InfantDeaths)


def is_own(spec: DatasetSpec) -> bool:
    """True of a visitor's own data: nothing that is shared unasked may hold their counts."""
    return isinstance(spec, OwnTable | OwnSurvey | OwnPlaces)


def estimate_is_public(scenario: Scenario) -> bool:
    """False of own data whose estimate has their truth mixed in, as a guess of homes."""
    return not is_own(scenario.dataset) or (
        getattr(scenario.policy, "background", "") not in _TRUE_BACKGROUNDS
    )


def file_state(spec: DatasetSpec) -> tuple[int, int] | None:
    """(time of last change in ns, bytes) of the file that is read, None where there is none."""
    if not isinstance(spec, Snap):
        return None
    try:
        status = spec.file().stat()
    except (OSError, ValueError):  # loading it says what is wrong
        return None
    return status.st_mtime_ns, status.st_size


def with_dataset(scenario: Scenario, spec: DatasetSpec) -> Scenario:
    """The scenario with that dataset, without a public map; a distribution needs people."""
    return with_population(without_prior(replace(scenario, dataset=spec)))


def without_prior(scenario: Scenario) -> Scenario:
    """The scenario without its public map, which does not cover other places."""
    default = Scenario()
    needs_map = ESTIMATORS[scenario.estimator].needs_map
    name = default.estimator if needs_map else scenario.estimator
    return replace(scenario, prior=default.prior, estimator=name)


def with_population(scenario: Scenario) -> Scenario:
    """The scenario with a number of people, where the data have none of their own."""
    if scenario.n is None and not has_people(scenario.dataset):
        return replace(scenario, n=PEOPLE_OF_SYNTHETIC)
    return scenario
