"""Home and work: everybody hides their own places behind tags; four protections side by side."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.parts import mathematics
from caldp_ui.parts.layout import Contents, fill_page, stacked_layout
from caldp_ui.personal import below, films, side, words
from caldp_ui.personal.page_state import STATE, load_data
from caldp_ui.session.opening import begin_page

CONTENTS = Contents(
    films.maps,
    words.headline,
    side.show,
    below.show,
    films.show,
)

record = begin_page(STATE)

with plain_errors():
    fill_page(stacked_layout(STATE), lambda: load_data(record), CONTENTS)
    mathematics.drawer("personal")
