"""Every limit of the package, in one place.

Validation, the dashboard's controls and the property tests all read these, so that a control can
never offer what the core refuses.
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
SCENARIO_MAX_BYTES: Final = 64 * 2**20
"""Largest scenario file: people in 2^20 cells, with a public map of as many, take some 30 MB."""
DENSE_MAX_ENTRIES: Final = 4_000_000
"""Largest channel or privacy matrix that is ever written out in full."""
EXACT_MAX_ENTRIES: Final = 200_000
"""Largest channel written out in rational numbers."""
GRID_CELL_MIN: Final = 0.001
"""Degrees; about a hundred metres."""
GEOMETRIC_RATE_MIN: Final = 1e-6
GEOMETRIC_RATE_MAX: Final = 1 - 1e-6
ZIPF_RATE_MIN: Final = 0.0
ZIPF_RATE_MAX: Final = 10.0
CITIES_MAX: Final = 1000
SPREAD_KM_MIN: Final = 1.0
SPREAD_KM_MAX: Final = 1000.0
AREAS_MAX: Final = 200
"""Most rectangles in one drawing."""
POINTS_MAX: Final = 500
TAGS_MAX: Final = 100
"""Most tags for people's own places: the collector expects each anywhere on the map."""
POLYGONS_MAX: Final = 500
"""Most polygons that are blocks."""
HEXAGONS_MAX: Final = 15
"""The finest resolution of H3: hexagons of a square metre."""
CORNERS_MAX: Final = 30_000
"""Most corners of all polygons together."""
POLYGON_BYTES_MAX: Final = 10 * 2**20
"""Most bytes of a file of polygons: as JSON it takes some ten times as many in memory."""
STREAM_MAX_ENTRIES: Final = 10**11
"""Most entries of a channel that an audit ever reads: about two minutes."""
STREAM_FREELY_ENTRIES: Final = 10**10
"""Most entries that an audit reads where the channel as a formula would do: about ten seconds."""
PAIRWISE_MAX: Final = 10**7
"""Most pairs times reports that an audit compares one by one: about ten seconds."""
SPACE_POINTS_MAX: Final = 2**22
"""Largest space over a finite field: its tables take some 0.2 GB, and a tally of any number of
people at most 2³⁰ draws a block: about a minute."""
HASHES_MAX: Final = 10**10
"""Most people times symbols of the largest block that are hashed one by one: about 10 s."""
DRAWS_MAX: Final = 2 * 10**9
"""Most draws for one tally of planar noise: a few minutes, and enough for any population on 44,000
cells."""
SPAN_NATS: Final = 1380.0
"""Farthest that two cells may be apart for planar noise, so that no weight leaves floats' range."""
EXPONENT_MAX: Final = 2000.0
"""Most nats between two symbols of the exponential mechanism."""
FALSE_SHARE_MIN: Final = 0.001
"""Least q of the cascade."""
FALSE_SHARE_MAX: Final = 0.5
"""Largest q of the cascade: beyond, estimates below 0 would stand out."""
THETA_MIN: Final = 0.001
"""Least probability θ that a unary report sets its own bit."""
THETA_MAX: Final = 0.999
"""Largest such probability θ."""
DISTANCE_EPSILON_MIN: Final = 1e-9
"""Nats per unit of a table of distances, whatever that unit is."""
DISTANCE_EPSILON_MAX: Final = 1e9
CONFIDENCE_MIN: Final = 0.5
CONFIDENCE_MAX: Final = 1.0 - 1e-12
REPORTS_MAX_BYTES: Final = 4 * 2**30
"""Most memory that reports of more than one number each may take."""
LEVEL_MAX: Final = 10_000.0
"""Entries of E beyond it bind an audit as it does: a ratio above e^10000 is refused in any case."""
OUTPUTS_MAX: Final = 10**18
"""Stands for all larger numbers of different reports: nobody enumerates those."""
LISTED_MAX: Final = 2**24
"""Most different reports that are ever listed."""
KM_MIN: Final = 0.01
KM_MAX: Final = 20_000.0
"""Kilometres within which a policy that falls off with distance promises its ε."""
TRANSPORT_CELLS_MAX: Final = 500
"""Most cells of a map whose earth mover's distance is computed: a linear program of 0.3 s."""
OWN_TEXT_MAX: Final = 2**20
"""Most characters of a table or of places that people paste or upload."""
OWN_ANSWERS_MAX: Final = 2_000
"""Most answers of a user's table: a chart of more can't be read."""
OWN_QUESTIONS_MAX: Final = 10
"""Most questions in a user's survey."""
OWN_NAME_MAX: Final = 120
"""Most characters of the name of an answer, a group or a user's table."""
OWN_CELLS_USUAL: Final = 43_750
"""Most cells of a map that is made for a file unless its reader wants more: the paper's number."""
TOGETHER_MAX: Final = 100
"""Most cells along the side of a larger one."""
