"""A light install, in a process of its own: only the core's dependencies, and theirs, are there.

    python -m tests.light_install FOLDER EXTRA...

prints JSON: of each work the sentence by which it refuses, or "" where it is done.
"""

import json
import re
import sys
from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module, metadata
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, Final

from tests import DEPENDENCIES, EXTRAS

_NAME: Final = re.compile(r"[\w.-]+")


def in_light_install(wanted: Iterable[str]) -> set[str]:
    """Distributions, in lower case with hyphens: those wanted and all that they depend on."""
    found: set[str] = set()
    coming = list(wanted)
    while coming:
        name = re.sub(r"[-_.]+", "-", coming.pop()).lower()
        if name in found:
            continue
        found.add(name)
        try:
            requires = metadata.requires(name) or []
        except metadata.PackageNotFoundError:  # on other systems only
            continue
        coming += [_NAME.match(each)[0] for each in requires if "extra ==" not in each]  # type: ignore[index]
    return found


def block_others(extras: Iterable[str]) -> None:
    """Let no package be imported that a light install with these extras hasn't."""
    there = in_light_install(DEPENDENCIES.union(*(EXTRAS[each] for each in extras)))
    for package, owners in metadata.packages_distributions().items():
        names = {re.sub(r"[-_.]+", "-", owner).lower() for owner in owners}
        if names.isdisjoint({*there, "caldp"}):
            sys.modules[package] = None  # type: ignore[assignment]


class Frame:
    """What `tally_frame` asks of Spark's DataFrame, worked off by one worker without a batch."""

    columns = ("report",)

    def select(self, *_: str) -> "Frame":
        """The frame."""
        return self

    def mapInArrow(self, function: Callable[..., Iterable[Any]], _: str) -> None:  # noqa: N802
        """Run the worker's function."""
        list(function([]))


def works(folder: Path) -> dict[str, Callable[[], object]]:
    """What a light install is asked for; `folder` holds the files."""
    import caldp_core

    modules = [each.name for each in walk_packages(caldp_core.__path__, "caldp_core.")]
    return {
        "all modules": lambda: [import_module(e) for e in modules if not e.endswith("__main__")],
        "all names": lambda: [getattr(caldp_core, name) for name in caldp_core.__all__],
        **_data(folder),
        **_results(),
        **_collections(folder),
    }


def _data(folder: Path) -> dict[str, Callable[[], object]]:
    from caldp_core import datasets
    from caldp_core.datasets.files.counts_export import write_counts
    from caldp_core.domain.domains import US_GRID, GridDomain
    from caldp_core.scenarios.blocks import HexagonBlocks

    fiji, paris = GridDomain(-22.0, 176.0, 0.5, 20, 12), GridDomain(48.7, 2.1, 0.01, 30, 50)
    counts = datasets.OwnTable(("a", "b"), (1, 2))
    return {
        "map of the United States": lambda: datasets.base_map(US_GRID),
        "map of Paris": lambda: datasets.base_map(paris),
        "map of Fiji": lambda: datasets.base_map(fiji),
        "countries": lambda: datasets.country_labels(fiji),
        "regions": lambda: datasets.region_labels(fiji),
        "counties": datasets.county_outlines,
        "resolutions of hexagons": lambda: datasets.hexagon_resolutions(fiji),
        "blocks of hexagons": lambda: HexagonBlocks(3).build(fiji),
        "workbook": lambda: datasets.read_places(folder / "paris.xlsx"),
        "Parquet": lambda: datasets.read_places(folder / "paris.parquet"),
        "GeoJSON": lambda: datasets.read_places(folder / "paris.geojson"),
        "text": lambda: datasets.read_places(folder / "paris.csv"),
        "SNAP": lambda: datasets.Snap(str(folder / "snap.txt"), "48,49,2,3", cell=0.1).load(),
        "counts as Parquet": lambda: write_counts(counts, folder / "rows.parquet"),
    }


def _results() -> dict[str, Callable[[], object]]:
    from caldp_core import Result, Scenario, compare, mechanism, prepare, run
    from caldp_core.experiments.table import as_geojson, as_geoparquet
    from caldp_core.privacy.matrix import DenseMatrix

    @cache
    def result() -> Result:
        return run(prepare(Scenario.from_file("examples/planar-geometric.json")))

    return {
        "run": result,
        "notebook": lambda: result()._repr_html_(),
        "as GeoJSON": lambda: as_geojson(result()),
        "as GeoParquet": lambda: as_geoparquet(result()),
        "to pandas": lambda: result().to_pandas(),
        "compare": lambda: compare(["rappor"], [1.0], [3, 4], trials=1),
        "design": lambda: mechanism(DenseMatrix.of([[0.0, 1], [2.0, 0]]), "designed"),
    }


def _collections(folder: Path) -> dict[str, Callable[[], object]]:
    from caldp_core import Client, Protocol, audit_mechanism
    from caldp_core.collect.collector import Collector
    from caldp_core.collect.estimate import collected_from_histogram
    from caldp_core.collect.servers import partial_tallies, sum_tallies, tally_frame

    numbers, in_bytes = (
        Protocol.from_json((folder / name).read_text("utf-8")) for name in ("numbers", "bytes")
    )
    return {
        "report of a number": lambda: Client(numbers).report(0),
        "report in bytes": lambda: Client(in_bytes, folder / "memory").message(0, "Ann"),
        "audit": lambda: audit_mechanism(numbers.mechanism),
        "histogram": lambda: collected_from_histogram(numbers, folder / "histogram.csv"),
        "tally of numbers": lambda: Collector(numbers).tally(folder / "numbers.parquet"),
        "tally of bytes": lambda: Collector(in_bytes).tally(folder / "bytes.parquet"),
        "worker": lambda: list(partial_tallies(numbers.to_json())([])),
        "sum of no workers": lambda: list(sum_tallies([])),
        "Spark": lambda: tally_frame(numbers, Frame(), "day"),
    }


def main() -> None:
    """Do each work once."""
    block_others(sys.argv[2:])
    from caldp_core import CaldpError

    refusals: dict[str, str] = {}
    for name, work in works(Path(sys.argv[1])).items():
        try:
            work()
            refusals[name] = ""
        except CaldpError as error:
            refusals[name] = str(error)
        except Exception as error:  # noqa: BLE001  # the test names it
            refusals[name] = repr(error)
    json.dump(refusals, sys.stdout)


if __name__ == "__main__":
    main()
