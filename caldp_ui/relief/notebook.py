"""The relief of one result, for notebooks: `caldp_ui.deck` returns it."""

from typing import Final

from caldp_core.basics.errors import CaldpError
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.run import Result
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_ui.relief.columns import borders, estimated, squares_of, truth
from caldp_ui.relief.deck import CompactDeck, deck, shared_look

_TEXT: Final = (27, 39, 51)
_SENTENCE: Final = "A relief needs a map whose shares' variance is known; "


def deck_of(result: Result) -> CompactDeck:
    """Truth and estimate as columns on squares, in one scale; colour shows their uncertainty.

    Raises `CaldpError` for values without a map, and where no variance is known.
    """
    domain = result.setup.dataset.domain
    if not isinstance(domain, GridDomain):
        raise CaldpError(f"{_SENTENCE}these values are on no map: show the result itself.")
    tiles = squares_of(domain)
    estimate = estimated(tiles, result)
    if estimate is None:
        raise CaldpError(f"{_SENTENCE}that of this method is not, on a map of this size.")
    title = MECHANISMS[result.setup.mechanism_name].title
    maps = {"Truth": truth(tiles, result.setup.dataset.distribution), title: estimate}
    return deck(maps, tiles, shared_look(maps, _TEXT), borders(domain), len(maps))
