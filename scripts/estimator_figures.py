"""The table and the picture of docs/estimators.md, and the forecasts that "Compare methods" ships.

    python -m scripts.estimator_figures ranges [--world MAP.npz] [--estimator NAME]
    python -m scripts.estimator_figures picture
    python -m scripts.estimator_figures forecasts

`ranges` prints how often ranges hold, by the true size of cells. `MAP.npz`: `counts` of rows ×
columns. Galois response, plain LDP, by default the cascade. Size is in standard deviations σ of a
cell's noise; the brightest 50 cells are those with the highest shown shares. `picture` draws
docs/estimators.png: the truth, two estimates from the same reports, and what was pooled.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Final

import click
import numpy as np
from PIL import Image, ImageDraw

from benchmarks.estimates import collections, us_people, world_map
from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.domain.domains import US_GRID, GridDomain
from caldp_core.estimation.cascade_estimator import cascade_estimate, resolution
from caldp_core.estimation.estimators import ESTIMATORS, PostProcess, simplex
from caldp_core.estimation.intervals import intervals, ranges
from caldp_core.experiments.forecast import forecast
from caldp_core.experiments.run import prepare
from caldp_ui.curves.page_state import BUDGET, FORECASTS, Curves, point_key, record_lines

PICTURE: Final = Path(__file__).parents[1] / "docs" / "estimators.png"
SCALE, CAPTION = 2, 22
SHARES: Final = (1e-6, 1e-2)
"""Dark to bright, on a logarithmic scale."""
EPSILONS: Final = (0.5, 1.0, 2.0, 4.0)
BRIGHTEST: Final = 50
_DRAWS: Final = 12
_SEED: Final = 7
_EDGES: Final = (0.0, 1.0, 2.0, 4.0, np.inf)
GROUPS: Final = ("0", "below 1 σ", "1 to 2 σ", "2 to 4 σ", "above 4 σ", "brightest 50", "plain")
"""The last: the brightest 50 by `intervals`, which know of no selection."""


def made_up_maps() -> Iterator[tuple[str, GridDomain, Floats]]:
    """Name, grid and (k,) shares of maps on which neighbours say little about each other."""
    rng, grid = np.random.default_rng(_SEED), GridDomain(0, 0, 0.01, 96, 96)
    row, column = np.divmod(np.arange(grid.k), grid.columns)
    lone = np.zeros(grid.k)
    lone[rng.choice(grid.k, 300, replace=False)] = 1.0
    yield "300 lone cells", grid, lone / lone.sum()
    yield "a lattice of 8", grid, _shares((row % 8 == 0) & (column % 8 == 0))
    yield "a checkerboard", grid, _shares((row + column) % 2 == 0)
    yield "lognormal", grid, _shares(np.exp(rng.normal(0.0, 2.0, grid.k)))


def _shares(weights: Floats | Bools) -> Floats:
    return np.asarray(weights / weights.sum(), np.float64)


def coverage(grid: GridDomain, people: Ints, epsilon: float, estimate: PostProcess) -> Floats:
    """(7,) shares of ranges that hold in each of `GROUPS`; NaN where there are fewer than 200.

    `people`: (k,) of the map; each draw draws only the reports.
    """
    truth = people / people.sum()
    hits, cells = np.zeros(len(GROUPS)), np.zeros(len(GROUPS))
    for evidence in collections(grid, people, epsilon, draws=_DRAWS, seed=_SEED):
        shares = estimate(evidence)
        ours, plain = ranges(evidence, shares), intervals(evidence).around(shares)
        sizes = truth / evidence.deviation
        groups = [truth == 0]
        groups += [(truth > 0) & (low <= sizes) & (sizes < high) for low, high in pairwise(_EDGES)]
        bright = np.zeros(grid.k, np.bool_)
        bright[np.argsort(-shares)[:BRIGHTEST]] = True
        for place, group in enumerate([*groups, bright, bright]):
            ends = plain if place == len(GROUPS) - 1 else ours
            hits[place] += ((ends.low <= truth) & (truth <= ends.high))[group].sum()
            cells[place] += group.sum()
    return np.asarray(np.divide(hits, cells, out=np.full(hits.size, np.nan), where=cells >= 200))


def _maps(world: Path | None) -> Iterator[tuple[str, GridDomain, Ints]]:
    if world is not None:
        yield "the world", *world_map(world)
    us = us_people()
    rng = np.random.default_rng(_SEED)
    for name, grid, shares in (("US", US_GRID, us / us.sum()), *made_up_maps()):
        for n in (1_000, 1_000_000) if name != "US" else (1_000, 30_000):
            yield f"{name}, {n:,} people", grid, rng.multinomial(n, shares)
    yield "US", US_GRID, us


@click.group()
def main() -> None:
    """Make the table, the picture or the forecasts."""


@main.command("ranges")
@click.option("--world", type=click.Path(path_type=Path))
@click.option("--estimator", type=click.Choice([*ESTIMATORS]), default="cascade")
def print_ranges(world: Path | None, estimator: str) -> None:
    """Print the table."""
    print("| map | ε |", " | ".join(GROUPS), "|")
    print("|---|---|" + "---|" * len(GROUPS))
    for name, grid, people in _maps(world):
        for epsilon in EPSILONS:
            held = coverage(grid, people, epsilon, ESTIMATORS[estimator].apply)
            cells = ["" if np.isnan(each) else f"{100 * each:.1f}" for each in held]
            print(f"| {name} | {epsilon:g} |", " | ".join(cells), "|", flush=True)


@main.command("forecasts")
def write_forecasts() -> None:
    """Compute all points of the first curves of "Compare methods", in seconds, and write them."""
    rows = {
        point_key(scenario, line.error): asdict(forecast(prepare(scenario), budget=BUDGET))
        for line in record_lines(Curves())
        for scenario in line.scenarios
    }
    FORECASTS.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")


@main.command("picture")
def draw_picture() -> None:
    """Draw the four panels and write the file."""
    counts = us_people()
    (evidence,) = collections(US_GRID, counts, 1.0, seed=1)
    truth = counts / counts.sum()
    panels = {"truth": brightness(truth, *SHARES)}
    for name, estimate in (("nearest distribution", simplex), ("cascade", cascade_estimate)):
        shares = estimate(evidence)
        wrong = 50 * np.abs(shares - truth).sum()
        panels[f"{name}: {wrong:.0f} of 100 in the wrong cell"] = brightness(shares, *SHARES)
    fine = 1.0 - brightness(resolution(evidence).pool_sizes, 1.0, 1024.0)
    panels["bright: a cell by itself; dark: pooled with up to 1,000"] = fine
    width, height = SCALE * US_GRID.columns, SCALE * US_GRID.rows + CAPTION
    sheet = Image.new("L", (2 * width + 8, 2 * height), 255)
    for number, (title, values) in enumerate(panels.items()):
        x, y = number % 2 * (width + 8), number // 2 * height
        ImageDraw.Draw(sheet).text((x + 4, y + 5), title, fill=0)
        sheet.paste(picture(values), (x, y + CAPTION))
    sheet.save(PICTURE, optimize=True)


def brightness(values: Floats, low: float, high: float) -> Floats:
    """(k,) 0 at `low` and below, 1 at `high` and above, on a logarithmic scale."""
    logs = np.log(np.maximum(values, low) / low) / np.log(high / low)
    return np.asarray(np.clip(logs, 0.0, 1.0))


def picture(values: Floats) -> Image.Image:
    """(k,) values in [0, 1] as a grey picture, north on top."""
    cells = np.rint(255 * values).astype(np.uint8).reshape(US_GRID.rows, US_GRID.columns)
    large = Image.fromarray(cells[::-1])
    return large.resize((SCALE * large.width, SCALE * large.height), Image.Resampling.NEAREST)


if __name__ == "__main__":
    main(prog_name="python -m scripts.estimator_figures")
