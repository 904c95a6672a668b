"""Every limit of the package, in one place.

Room: validation, the dashboard's controls and the property tests all read these, so that a
control can never offer what the core refuses.
"""

from typing import Final

EPSILON_MIN: Final = 0.001
"""Below it the 48-bit coin would no longer tell truth from noise well enough to debias."""
EPSILON_MAX: Final = 20.0
N_MIN: Final = 1
N_MAX: Final = 10**12
K_MIN: Final = 1
K_MAX: Final = 2**20
TRIALS_MAX: Final = 10_000
SEED_MAX: Final = 2**32 - 1
DENSE_MAX_ENTRIES: Final = 4_000_000
"""Largest channel or privacy matrix that is ever written out in full."""
EXACT_MAX_ENTRIES: Final = 200_000
"""Largest channel written out in rational numbers."""
GRID_CELL_MIN: Final = 0.01
"""Degrees; about one kilometre."""
SNAP_MAX_BYTES: Final = 4 * 2**30
"""Most bytes that are read out of a check-in file once unpacked (SNAP's has 0.4 GB)."""
AREAS_MAX: Final = 200
"""Most rectangles in one drawing."""
REPORTS_MAX_BYTES: Final = 4 * 2**30
"""Most memory that reports of more than one number each may take."""
