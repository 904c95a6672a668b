"""Lists and settings of releases for tests: a city of cyclists and a table of diseases.

The city is made up: 8,000 people around a centre, drawn with a seed, on 20 × 28 cells.
"""

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from caldp_core.basics.types import Ints
from caldp_core.datasets.files.source import PAGE_BOUNDS
from caldp_core.release import desk
from caldp_core.release.cells import make_cells
from caldp_core.release.counting import count_people
from caldp_core.release.files import Files, files_from_bytes
from caldp_core.release.office import MemoryStore, Office
from caldp_core.release.settings import Settings

FOLDER: Final = Path(__file__).parent
PUBLICATION: Final = {
    "by": "City of Examplestadt",
    "date": "2026-11-28",
    "purpose": "where people cycle",
    "basis": "Art. 6 (1) e GDPR",
    "until": "2027-06-30, then deleted",
    "special": "none",
    "smaller": "Districts do not show single lanes.",
    "chosen_by": "Head of the survey",
}
CENTRAL: Final[dict[str, Any]] = {"kind": "central", "epsilon": 1.0}
ROUND: Final[dict[str, Any]] = {"kind": "round"}
HIDE: Final[dict[str, Any]] = {"kind": "hide"}
LARGER: Final[dict[str, Any]] = {"kind": "larger"}
MAP: Final[dict[str, Any]] = {
    "longitude": "lon",
    "latitude": "lat",
    "west": 7.53,
    "east": 7.81,
    "south": 51.86,
    "north": 52.06,
    "step": 0.01,
    "block": 5,
}
BIKES: Final = ("daily", "weekly", "seldom", "never")


def csv_bytes(rows: list[list[Any]]) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out).writerows(rows)
    return out.getvalue().encode()


def city_rows(people: int = 8_000, seed: int = 55) -> list[list[Any]]:
    """A row a person: number, place, and how often they bike; most live near the centre."""
    rng = np.random.default_rng(seed)
    spread = rng.choice([0.012, 0.03, 0.06], people, p=[0.7, 0.2, 0.1])
    east = np.clip(7.62 + spread * rng.normal(size=people), 7.531, 7.809)
    north = np.clip(51.95 + 0.7 * spread * rng.normal(size=people), 51.861, 52.059)
    bike = rng.choice(BIKES, people, p=[0.3, 0.25, 0.2, 0.25])
    places = zip(np.round(east, 6).tolist(), np.round(north, 6).tolist(), strict=True)
    rows = [
        [number, lon, lat, often]
        for number, ((lon, lat), often) in enumerate(zip(places, bike.tolist(), strict=True), 1)
    ]
    return [["resp_id", "lon", "lat", "bike"], *rows]


def city_settings(
    treatment: Mapping[str, Any] = CENTRAL, name: str = "City survey", **changes: Any
) -> Settings:
    """The settings of the city; `changes`: of the part `list`."""
    held = {"name": name, "file": "city.csv", "where": {"bike": ["daily", "weekly", "seldom"]}}
    return Settings.from_record(
        {
            "list": held | changes,
            "cells": {"source": "the edge of the city on the public map", "map": MAP},
            "treatment": treatment,
            "publication": PUBLICATION,
        }
    )


def city_files(rows: list[list[Any]], **others: bytes) -> Files:
    return files_from_bytes({"city.csv": csv_bytes(rows), **others}, PAGE_BOUNDS)


def disease_settings(treatment: Mapping[str, Any] = HIDE, **changes: Any) -> Settings:
    """The settings of the table of diseases; `changes`: of the part `list`."""
    held = {"name": "Diseases", "file": "diseases.csv", "unit": "table", "column": "people"}
    diseases = ["HIV", "Hepatitis C", "Syphilis", "Tuberculosis"]
    lists = [
        {"column": "county", "file": "counties.csv", "key": "county", "source": "the counties"},
        {"column": "disease", "values": diseases, "source": "the law on reporting"},
    ]
    return Settings.from_record(
        {
            "list": held | {"most": 4} | changes,
            "cells": {"source": "counties and diseases of the law", "lists": lists},
            "treatment": treatment,
            "publication": PUBLICATION,
        }
    )


def disease_files() -> Files:
    names = ("diseases.csv", "counties.csv", "diseases_hidden.csv")
    return files_from_bytes({name: (FOLDER / name).read_bytes() for name in names}, PAGE_BOUNDS)


def new_office() -> Office:
    return Office(MemoryStore())


def released(settings: Settings, files: Files, office: Office | None = None) -> desk.Released:
    """A release, a further one where the office has some."""
    return desk.release(settings, files, office or new_office(), second=True)


def true_counts(settings: Settings, files: Files) -> Ints:
    """(k,) true counts of the cells, the last of everybody else unless the list is a table."""
    return count_people(settings, make_cells(settings.cells, files), files).draw_counts()


def cell_numbers(made: desk.Released) -> Ints:
    """(k,) published numbers of the cells, −1 where hidden."""
    rows = [row for row in made.frozen.rows if row.level == "cell"]
    return np.array([-1 if row.people is None else row.people for row in rows], np.int64)
