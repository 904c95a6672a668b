"""How far is far: secrecy that fades with distance, beside blocks in which reports lie as far."""

from functools import partial

from caldp_ui.app.errors import plain_errors
from caldp_ui.distances import below, designing, films, scene, side, words
from caldp_ui.distances.shown import shown
from caldp_ui.distances.slot import SLOT
from caldp_ui.parts import mathematics
from caldp_ui.parts.layout import Contents, maps_first, stacked
from caldp_ui.session.opening import opened

record = opened(SLOT)
contents = Contents(
    scene.maps,
    words.headline,
    partial(side.show, record),
    below.show,
    films.show,
)

with plain_errors():
    maps_first(stacked(SLOT), lambda: shown(designing.made(record)), contents)
    mathematics.drawer("distances")
