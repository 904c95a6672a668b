"""What the dashboard's pages share: state, controls, cached compute, charts, maps and words.

Between `pages/` (thin files that read like a table of contents) and `caldp_core`. What notebooks
need of it is exported here: `from caldp_ui import deck`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from caldp_core.experiments.run import Result
    from caldp_ui.relief.deck import CompactDeck


def deck(result: "Result") -> "CompactDeck":
    """A `pydeck.Deck` of a result's truth and estimate as columns on their map, for notebooks.

    Raises `CaldpError` where pydeck is not installed, for values without a map, and where the
    variance of shares is not known.
    """
    from caldp_core.basics.errors import CaldpError  # all imported here: pages start without it

    try:
        from caldp_ui.relief.deck import deck_of
    except ImportError:
        raise CaldpError(
            "deck needs the dashboard's packages; run pip install '.[dashboard]' in caldp's folder."
        ) from None
    return deck_of(result)
