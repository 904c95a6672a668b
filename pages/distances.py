"""How far is far: secrecy that fades with distance, beside blocks in which reports lie as far."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.distances import below, films, scene, side, words
from caldp_ui.distances.shown import shown
from caldp_ui.distances.slot import SLOT
from caldp_ui.parts.layout import Contents, laid_out, maps_first
from caldp_ui.session.opening import opened

CONTENTS = Contents(scene.maps, words.headline, side.show, below.show, films.show)

record = opened(SLOT)

with plain_errors():
    maps_first(laid_out(SLOT, "How far is far"), lambda: shown(record), CONTENTS)
