"""The views of the page by name."""

from typing import Final

from caldp_ui.adversary import fakes_view, person_view
from caldp_ui.adversary.page_state import FAKES, PERSON

VIEWS: Final = {PERSON: person_view.show, FAKES: fakes_view.show}
