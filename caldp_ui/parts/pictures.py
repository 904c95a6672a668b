"""Maps as small PNG pictures: for cards, and for records that are read without a browser's stage.

Colours and dark land are those of the stage.
"""

import io
import math
from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from caldp_core.basics.types import Floats
from caldp_core.domain.grid import Area, GridDomain
from caldp_ui.app.theme import CIVIDIS, LEVELS, NIGHT_LAND
from caldp_ui.stage import SCALE, Scale, nobody_below

WIDTH: Final = 700


def levels(shares: Floats, nobody: float = 0.0, scale: Scale = SCALE) -> NDArray[np.uint8]:
    """Colour numbers of shares, in their shape: 1 … 255 on a log scale, 0 below `nobody`."""
    top = LEVELS - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        place = np.log(shares / scale.low) / np.log(scale.high / scale.low)
    colour = 1 + np.clip(np.nan_to_num(place, nan=0.0, neginf=0.0), 0, 1) * (top - 1)
    visible = (shares > 0) & (shares >= nobody)
    return np.where(visible, np.rint(colour), 0).astype(np.uint8)


def png(
    shares: Floats, domain: GridDomain, part: Area, nobody: float = 0.0, scale: Scale = SCALE
) -> bytes:
    """The `part` of a map of (k,) shares, `WIDTH` pixels wide, north up, as long as it is high."""
    rows, columns = window(domain, part)
    cells = levels(shares, nobody, scale).reshape(domain.rows, domain.columns)[rows, columns][::-1]
    picture = Image.fromarray(np.ascontiguousarray(cells))
    palette = CIVIDIS.copy()
    palette[0] = NIGHT_LAND
    picture.putpalette(palette.tobytes())
    buffer = io.BytesIO()
    size = (WIDTH, height(domain, part))
    picture.resize(size, Image.Resampling.NEAREST).save(buffer, format="PNG", optimize=True)
    return buffer.getvalue()


def maps(shares: Mapping[str, Floats], domain: GridDomain, part: Area, n: int) -> dict[str, bytes]:
    """A `png` for each of (k,) shares by title; what is less than one of `n` people is nobody."""
    nobody = nobody_below(n)
    return {title: png(each, domain, part, nobody) for title, each in shares.items()}


def window(domain: GridDomain, part: Area) -> tuple[slice, slice]:
    """Rows and columns of the cells in a part of the map."""
    inside = domain.area_mask(part).reshape(domain.rows, domain.columns)
    rows, columns = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
    return slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)


def height(domain: GridDomain, part: Area) -> int:
    """Height in pixels: a degree of latitude is longer on the ground than one of longitude."""
    rows, columns = window(domain, part)
    narrow = math.cos(math.radians((part.south + part.north) / 2))
    wide, high = int(columns.stop - columns.start), int(rows.stop - rows.start)
    return round(WIDTH * high / wide / narrow)
