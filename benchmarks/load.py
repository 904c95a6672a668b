"""What one, two and three workers behind nginx carry, and what each of them holds of the memory."""

import asyncio
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.crowd import crowd
from benchmarks.figures import Figure
from benchmarks.fleet import fleet, missing_software
from benchmarks.sizes import Sizes

READERS_PAUSE_S = 5.0
"""People who read what they see before they move on."""


def figures(sizes: Sizes) -> Iterator[Figure]:
    """For each number of workers: a class that plays, and many who read."""
    lack = missing_software()
    if lack:
        yield Figure("what workers carry", "/s", None, note=lack)
        return
    for number in sizes.workers:
        for visits, pause in ((sizes.visits, 1.0), (sizes.readers, READERS_PAUSE_S)):
            with tempfile.TemporaryDirectory() as name, fleet(Path(name), number) as workers:
                prefix = f"{number} workers: " if number > 1 else "1 worker: "
                empty = workers.megabytes()
                yield Figure.of(f"{prefix}memory before anybody comes", "MB", [empty])
                for each in asyncio.run(crowd(workers, visits, None, pause)):
                    yield replace(each, work=prefix + each.work)
