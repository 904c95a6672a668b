"""Draws docs/estimators.png: the truth, two estimates from the same reports, and what was pooled.

.venv/bin/python scripts/draw_estimators.py
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from caldp_core.basics.types import Floats  # noqa: E402 — from the repository itself
from caldp_core.datasets import Gowalla  # noqa: E402
from caldp_core.domain.grid import US_GRID  # noqa: E402
from caldp_core.estimation.cascade_estimator import cascade_estimate, resolution  # noqa: E402
from caldp_core.estimation.estimators import simplex  # noqa: E402
from caldp_core.estimation.evidence import Evidence  # noqa: E402
from caldp_core.mechanisms import catalogue  # noqa: E402
from caldp_core.privacy.context import Context  # noqa: E402

SCALE, CAPTION = 2, 22
SHARES = (1e-6, 1e-2)
"""Dark to bright, on a logarithmic scale."""


def main() -> None:
    """Draw the four panels and write the file."""
    counts = Gowalla().load().counts
    assert counts is not None
    mechanism = catalogue.in_context(Context.plain(US_GRID.k, 1.0), "galois")
    tally = mechanism.sample_tally(counts, np.random.default_rng(1))
    evidence, truth = Evidence.of(mechanism, tally, domain=US_GRID), counts / counts.sum()
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
    sheet.save(ROOT / "docs" / "estimators.png", optimize=True)


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
    main()
