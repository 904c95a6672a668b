"""Start here: what this is, and scenarios that open with one click."""

from caldp_ui.app.shell import enter, heading
from caldp_ui.start import cards as start

enter()
heading(
    "See what privacy costs, and what context saves",
    "You want to know where people are, but not where *anyone* is. With **local differential "
    "privacy** everybody randomises their own answer before it leaves their device. Hiding every "
    "answer from every other is expensive. **Context-aware** privacy hides only what matters, and "
    "keeps the rest accurate.",
)
start.scenarios()
start.idea()
