"""The views of the page by name.

Room: adversary.
"""

from typing import Final

from caldp_ui.adversary import fakes_view, onlooker_view
from caldp_ui.adversary.slot import FAKES, ONLOOKER

VIEWS: Final = {ONLOOKER: onlooker_view.show, FAKES: fakes_view.show}
