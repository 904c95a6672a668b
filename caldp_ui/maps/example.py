"""A made-up list of places, as a reader would bring one."""

from typing import Final

import numpy as np

_CENTRES: Final = np.array([[48.137, 11.575], [48.25, 11.43], [48.06, 11.72]])
_SPREAD: Final = np.array([[0.035, 0.05], [0.012, 0.018], [0.012, 0.018]])
_SHARES: Final = (0.7, 0.15, 0.15)
"""Of a town and two beside it: latitude and longitude, their spread, both in degrees, and size."""


def _made_up() -> str:
    """People in and around a large town, always the same."""
    rng = np.random.default_rng(1)
    near = rng.choice(len(_SHARES), 400, p=_SHARES)
    places = _CENTRES[near] + _SPREAD[near] * rng.standard_normal((400, 2))
    people = rng.geometric(1 / 30, 400)
    rows = (f"{lat:.3f},{lon:.3f},{n}" for (lat, lon), n in zip(places, people, strict=True))
    return "\n".join(("latitude,longitude,people", *rows))


EXAMPLE: Final = _made_up()
"""Lines of latitude, longitude and people below a line that names them."""
