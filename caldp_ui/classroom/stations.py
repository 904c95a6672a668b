"""The stations by name, in the order of the lecture."""

from typing import Final

from caldp_ui.classroom import counting, means, rappor, selection, shuffling, sums, trust
from caldp_ui.classroom.station import Station

STATIONS: Final[dict[str, Station]] = {
    "trust": trust.STATION,
    "sum": sums.STATION,
    "selection": selection.STATION,
    "rappor": rappor.STATION,
    "bits": counting.STATION,
    "means": means.STATION,
    "shuffling": shuffling.STATION,
}
