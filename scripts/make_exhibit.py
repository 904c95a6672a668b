"""Make data/exhibit.json: what the start page's exhibit draws, computed by caldp_core.

For each ε and each size of the block in which people hide: the map of one collection, the error to
expect, and the error of that map. Run it as `python -m scripts.make_exhibit`: some minutes, nearly
all of them for the expected errors.
"""

import base64
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from caldp_core.basics.types import Floats, Ints
from caldp_core.domain.domains import US_GRID
from caldp_core.domain.partitions import grid_blocks
from caldp_core.experiments.forecast import forecast
from caldp_core.experiments.run import Setup, prepare, run
from caldp_core.scenarios.blocks import BlocksSpec, GridBlocks, OneBlock
from caldp_core.scenarios.scenario import Scenario
from scripts import DATA

EPSILONS: Final = (0.5, 1.0, 2.0, 4.0)
BLOCKS: Final = ((1, 1), (2, 4), (5, 7), (10, 14), (17, 24), (25, 35), (50, 70), (83, 117))
"""Rows and columns of equal blocks on `US_GRID`; of one block the protection is plain LDP."""
COLUMNS: Final = slice(24, 317)
"""Columns of the grid that are drawn, from 125.2° W to 66.6° W: east and west of them is sea."""
COMMAND: Final = "python -m scripts.make_exhibit"
LEVELS: Final = 40
LOW: Final = 10**-6.5
HIGH: Final = 1e-2
NOBODY: Final = 1e-8
"""Share of all people up to which a cell is drawn as empty: 1 person of 27 times as many."""
_KILOMETRES_PER_DEGREE: Final = 111.2
_PALETTE: Final = [value for code in range(LEVELS + 1) for value in (code, code, code)]


@dataclass(frozen=True)
class Point:
    """One collection at one ε and size: the `codes` of its map, (rows, columns), and its errors."""

    codes: NDArray[np.uint8]
    figures: dict[str, Any]


def scenario(epsilon: float, rows: int, columns: int) -> Scenario:
    """The shipped check-ins, protected in blocks."""
    blocks: BlocksSpec = OneBlock() if rows * columns == 1 else GridBlocks(rows, columns)
    return Scenario().with_context(blocks=blocks).with_epsilon(epsilon)


def picture(values: Floats | Ints) -> NDArray[Any]:
    """Values of all cells as the (rows, columns) that are drawn, north on top."""
    return values.reshape(US_GRID.rows, US_GRID.columns)[::-1, COLUMNS]


def codes(shares: Floats) -> NDArray[np.uint8]:
    """(rows, columns) of levels: 0 for nobody, else 1 to `LEVELS`, logarithmic in the share."""
    drawn = picture(shares)
    position = np.log(np.maximum(drawn, LOW) / LOW) / np.log(HIGH / LOW)
    level = 1 + np.rint(np.clip(position, 0.0, 1.0) * (LEVELS - 1))
    return np.where(drawn > NOBODY, level, 0).astype(np.uint8)


def sheet(frames: Sequence[NDArray[np.uint8]]) -> str:
    """Frames below each other as a PNG of the palette's numbers, in base64."""
    image = Image.fromarray(np.concatenate(frames), "P")
    image.putpalette(_PALETTE)
    return _png(image)


def counts_sheet(counts: Ints) -> str:
    """Whole numbers below 2²⁴ as the red, green and blue of a PNG, in base64."""
    drawn = picture(counts)
    parts = [drawn >> 16, drawn >> 8 & 255, drawn & 255]
    return _png(Image.fromarray(np.stack(parts, axis=-1).astype(np.uint8), "RGB"))


def _png(image: Image.Image) -> str:
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True, bits=8)
    return base64.b64encode(file.getvalue()).decode()


def point(setup: Setup) -> Point:
    """One run of a setup, with its error and the one to expect."""
    result = run(setup)
    expected = forecast(setup)
    figures = {
        "expected": round(expected.error, 5),
        "deviation": round(expected.deviation, 5),
        "standard_error": round(expected.standard_error, 6),
        "trials": expected.trials,
        "drawn": round(float(result.errors[0].tv), 5),
    }
    return Point(codes(result.first.estimate), figures)


def size(rows: int, columns: int, people: Ints) -> dict[str, Any]:
    """A size of block: its edges in rows and columns of the grid, and its sides in kilometres.

    Both sides are a mean over people, as degrees of longitude are shorter in the north.
    """
    labels = grid_blocks(US_GRID, rows, columns).labels.reshape(US_GRID.rows, US_GRID.columns)
    row_edges = _edges(labels[:, 0])
    column_edges = _edges(labels[0])
    degree = US_GRID.cell * _KILOMETRES_PER_DEGREE
    narrowing = float(np.average(np.cos(np.radians(US_GRID.latitudes())), weights=_by_row(people)))
    high = degree * US_GRID.rows / rows
    wide = degree * narrowing * US_GRID.columns / columns
    sides = [] if rows * columns == 1 else [_two_digits(high), _two_digits(wide)]
    return {"kilometres": sides, "rows": row_edges, "columns": column_edges}


def _by_row(people: Ints) -> Ints:
    """(rows,) people in each row of the grid."""
    by_row: Ints = people.reshape(US_GRID.rows, US_GRID.columns).sum(axis=1)
    return by_row


def _edges(labels: Ints) -> list[int]:
    """Where labels along a line change, with both ends."""
    changes = np.flatnonzero(np.diff(labels)) + 1
    return [0, *changes.tolist(), len(labels)]


def _two_digits(value: float) -> int:
    return int(float(f"{value:.2g}"))


def main() -> None:
    """Write the file, and print the errors."""
    sheets, errors = [], []
    for epsilon in EPSILONS:
        points = []
        for rows, columns in BLOCKS:
            setup = prepare(scenario(epsilon, rows, columns))
            points.append(point(setup))
            print(f"ε = {epsilon}, {rows} × {columns}:", points[-1].figures, flush=True)
        sheets.append(sheet([made.codes for made in points]))
        errors.append([made.figures for made in points])
    people = setup.dataset.counts
    assert people is not None  # check-ins are counted
    content = {
        "command": COMMAND,
        "people": int(people.sum()),
        "grid": {
            "rows": US_GRID.rows,
            "columns": COLUMNS.stop - COLUMNS.start,
            "first": COLUMNS.start,
            "north": US_GRID.area.north,
            "west": round(US_GRID.west + US_GRID.cell * COLUMNS.start, 6),
            "cell": US_GRID.cell,
        },
        "scale": {"levels": LEVELS, "low": LOW, "high": HIGH, "nobody": NOBODY},
        "epsilons": EPSILONS,
        "sizes": [size(rows, columns, people) for rows, columns in BLOCKS],
        "errors": errors,
        "sheets": sheets,
        "truth": sheet([codes(setup.dataset.distribution)]),
        "counts": counts_sheet(people),
    }
    path = DATA / "exhibit.json"
    path.write_text(json.dumps(content, separators=(",", ":")) + "\n", "utf-8")
    print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
