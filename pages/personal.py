"""Personal secrets: everybody hides their own places behind tags; four ways on the same people."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.parts import mathematics
from caldp_ui.parts.layout import Contents, maps_first, stacked
from caldp_ui.personal import below, films, scene, side, words
from caldp_ui.personal.shown import shown
from caldp_ui.personal.slot import SLOT
from caldp_ui.session.opening import opened

CONTENTS = Contents(
    scene.maps,
    words.headline,
    side.show,
    below.show,
    films.show,
)

record = opened(SLOT)

with plain_errors():
    maps_first(stacked(SLOT), lambda: shown(record), CONTENTS)
    mathematics.drawer("personal")
