"""The rehearsal as one file: made-up phones answer, along ε and their number."""

from caldp_ui.offline import boards as offline
from caldp_ui.offline.records import Part
from caldp_ui.room import boards, films, rehearsal
from caldp_ui.room.page_state import Draft


def part(draft: Draft) -> Part:
    """The rehearsal of the draft's question; nobody's report is in it."""
    return offline.part(
        "rehearsal",
        "Live poll: a rehearsal",
        "Made-up phones answer the question. Move ε, or let more phones answer.",
        films.PAGE,
        draft,
        sliders={"Privacy level ε": films.EPSILON, "Phones that you expect": films.PHONES},
        own={films.KEY: boards.as_component(rehearsal.rehearsal_json(draft), films.KEY)},
    )
