"""Tables of benchmarks/estimators.md, the picture of docs/estimators.md, and stored forecasts.

    python -m scripts.estimator_figures ranges [--estimator NAME]
    python -m scripts.estimator_figures errors
    python -m scripts.estimator_figures spread
    python -m scripts.estimator_figures picture
    python -m scripts.estimator_figures forecasts

`ranges` writes how often ranges hold, by the true size of cells; of another estimator than the
cascade it prints that. Galois response, plain LDP. Size is in standard deviations σ of a cell's
noise; the brightest 50 cells are those with the highest shown shares. `errors` writes the people in
the wrong cell. Both take the maps of `benchmarks/suites/accuracy.py`, the world only with
`CALDP_WORLD`. `picture` draws the truth, two estimates from the same reports, and what was pooled.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

import click
import numpy as np
from PIL import Image, ImageDraw

from benchmarks.suites.accuracy import BLOCKS, EPSILONS, collections, map_figures, maps, us_people
from caldp_core.basics.types import Floats, Ints
from caldp_core.domain.domains import US_GRID, GridDomain
from caldp_core.estimation.cascade_estimator import cascade_estimate, resolution
from caldp_core.estimation.estimators import ESTIMATORS, PostProcess, simplex
from caldp_core.estimation.intervals import intervals, ranges
from caldp_core.experiments.forecast import forecast
from caldp_core.experiments.run import prepare
from caldp_ui.curves.page_state import FORECASTS, SHIPPED_BUDGET, Curves, point_key, record_lines

PICTURE: Final = Path(__file__).parents[1] / "docs" / "estimators.png"
SCALE, CAPTION = 2, 22
SHARES: Final = (1e-6, 1e-2)
"""Dark to bright, on a logarithmic scale."""
DOCUMENT: Final = Path(__file__).parents[1] / "benchmarks" / "estimators.md"
"""Tables as measured; docs/estimators.md says what follows from them."""
RANGED: Final = ("the world", "US", "lone cells", "a lattice of 8", "a checkerboard", "lognormal")
BRIGHTEST: Final = 50
_DRAWS: Final = 12
_SEED: Final = 7
_EDGES: Final = (1.0, 2.0, 4.0)
GROUPS: Final = ("0", "below 1 σ", "1 to 2 σ", "2 to 4 σ", "above 4 σ", "brightest 50", "plain")
"""The last: the brightest 50 by `intervals`, which know of no selection."""


def coverage(grid: GridDomain, people: Ints, epsilon: float, estimate: PostProcess) -> Floats:
    """(7,) shares of ranges that hold in each of `GROUPS`; NaN where there are fewer than 200.

    `people`: (k,) of the map; each draw draws only the reports.
    """
    truth = people / people.sum()
    hits, cells = np.zeros(len(GROUPS)), np.zeros(len(GROUPS))
    for evidence in collections(grid, people, epsilon, draws=_DRAWS, seed=_SEED):
        shares = estimate(evidence)
        held = [
            (ends.low <= truth) & (truth <= ends.high)
            for ends in (ranges(evidence, shares), intervals(evidence).around(shares))
        ]
        group = np.where(truth > 0, 1 + np.digitize(truth / evidence.deviation, _EDGES), 0)
        bright = np.argsort(-shares)[:BRIGHTEST]
        hits += [*np.bincount(group, held[0], 5), *(each[bright].sum() for each in held)]
        cells += [*np.bincount(group, minlength=5), bright.size, bright.size]
    return np.asarray(np.divide(hits, cells, out=np.full(hits.size, np.nan), where=cells >= 200))


@click.group()
def main() -> None:
    """Make the table, the picture or the forecasts."""


@main.command("ranges")
@click.option("--estimator", type=click.Choice([*ESTIMATORS]), default="cascade")
def write_ranges(estimator: str) -> None:
    """Write the table of ranges."""
    lines = [f"| map | ε | {' | '.join(GROUPS)} |", "|---|---|" + "---|" * len(GROUPS)]
    shown = [each for each in maps() if each[0] in RANGED]
    lines += [ranges_row(*each, epsilon, estimator) for each in shown for epsilon in EPSILONS]
    write_table(lines) if estimator == "cascade" else click.echo("\n".join(lines))


def ranges_row(name: str, grid: GridDomain, people: Ints, epsilon: float, estimator: str) -> str:
    """One line of the table of ranges."""
    held = coverage(grid, people, epsilon, ESTIMATORS[estimator].apply)
    cells = ["" if np.isnan(each) else f"{100 * each:.1f}" for each in held]
    return " | ".join([f"| {name}", f"{epsilon:g}", *cells]) + " |"


@main.command("errors")
def write_errors() -> None:
    """Write both tables of errors by estimator."""
    for side, title in zip(BLOCKS, ("In one block:", "In 64 blocks:"), strict=True):
        lines = [title, "", "| map | ε = 0.5 | 1 | 2 | 4 |", "|---|---|---|---|---|"]
        write_table(lines + [errors_row(*each, side) for each in maps()])


def errors_row(name: str, grid: GridDomain, people: Ints, side: int) -> str:
    """One line of a table of errors in `side` × `side` blocks."""
    cells = []
    for epsilon in EPSILONS:
        found = [figure.median for figure in map_figures(name, grid, people, side, epsilon)]
        errors = [f"{each:.0f}" if each >= 9.95 else f"{each:.1f}" for each in found[:-1]]
        cells.append(f"{', '.join(errors)}; {found[-1]:.2f}")
    return " | ".join([f"| {name}", *cells]) + " |"


SPREAD_MAPS: Final = ("US", "around Paris", "around Lagos", "a checkerboard", "lognormal", "towns")
_NAMES: Final = ("simplex-per-block", "cascade", "mixture", "chosen")


@main.command("spread")
def write_spread() -> None:
    """Write how far the errors of single draws lie apart, which says what three draws tell."""
    lines = ["| per cent of the error | median | most |", "|---|---|---|"]
    shown = [each for each in maps() if each[0] in SPREAD_MAPS]
    found: dict[str, list[float]] = {name: [] for name in _NAMES}
    for _, grid, people in shown:
        truth = people / people.sum()
        for side in BLOCKS:
            for epsilon in EPSILONS:
                drawn = collections(grid, people, epsilon, (side, side), draws=_DRAWS, seed=_SEED)
                for name in _NAMES:
                    estimate = ESTIMATORS[name].apply
                    errors = np.array([np.abs(estimate(each) - truth).sum() for each in drawn])
                    found[name].append(float(100 * errors.std(ddof=1) / errors.mean()))
    for name, spreads in found.items():
        lines.append(f"| {name} | {np.median(spreads):.1f} | {max(spreads):.1f} |")
    write_table(lines)


def write_table(lines: Sequence[str]) -> None:
    """Write lines that end with a table in place of the same lines of the document."""
    text = DOCUMENT.read_text("utf-8")
    start = text.index(lines[0] + "\n")
    end = text.index("\n\n", text.index("\n|---", start))
    DOCUMENT.write_text(text[:start] + "\n".join(lines) + text[end:], "utf-8")


@main.command("forecasts")
def write_forecasts() -> None:
    """Compute all points of the first curves of "Compare methods", in minutes, and write them."""
    points = {}
    for line in record_lines(Curves()):
        for scenario in line.scenarios:
            found = forecast(prepare(scenario), budget=SHIPPED_BUDGET)
            points[point_key(scenario, line.error)] = asdict(found)
    command = "python -m scripts.estimator_figures forecasts"
    written = {"command": command, "budget": asdict(SHIPPED_BUDGET), "points": points}
    FORECASTS.write_text(json.dumps(written, indent=1) + "\n", "utf-8")


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
        cells = np.rint(255 * values).astype(np.uint8).reshape(US_GRID.rows, US_GRID.columns)[::-1]
        sheet.paste(Image.fromarray(cells.repeat(SCALE, 0).repeat(SCALE, 1)), (x, y + CAPTION))
    sheet.save(PICTURE, optimize=True)


def brightness(values: Floats, low: float, high: float) -> Floats:
    """(k,) 0 at `low` and below, 1 at `high` and above, on a logarithmic scale."""
    logs = np.log(np.maximum(values, low) / low) / np.log(high / low)
    return np.asarray(np.clip(logs, 0.0, 1.0))


if __name__ == "__main__":
    main(prog_name="python -m scripts.estimator_figures")
