"""Readers' actions on a stage, as frozen records."""

from dataclasses import dataclass

import numpy as np

from caldp_core.basics.types import Bools
from caldp_core.domain.grid import Area, GridDomain
from caldp_ui.stage.codec import parse_runs


@dataclass(frozen=True)
class Act:
    """A reader's action with a tool: one of `area`, `cells` and `block` says where.

    `tool` and `action` are "undo" or "redo" for these two buttons. `area`: degrees, whole cells.
    `cells`: runs "first+count,…". `block`: the number of a block.
    """

    tool: str
    action: str
    area: Area | None = None
    cells: str = ""
    block: int | None = None

    def mask(self, k: int) -> Bools:
        """(k,) True for the brushed cells."""
        return parse_runs(self.cells, k)

    def middle(self, domain: GridDomain) -> int | None:
        """The cell in the middle of a box or of brushed cells; None off the map, or for none."""
        if self.area is not None:
            area = self.area
            middle = (area.south + area.north) / 2, (area.west + area.east) / 2
            (cell,) = domain.locate([middle[0]], [middle[1]]).tolist()
            return cell if cell >= 0 else None
        cells = np.flatnonzero(self.mask(domain.k))
        if not cells.size:
            return None
        row, column = domain.row_column(cells)
        return int(round(float(row.mean())) * domain.columns + round(float(column.mean())))


@dataclass(frozen=True)
class StepChoice:
    """The step of a film that a person chose."""

    film: str
    index: int
    value: float
