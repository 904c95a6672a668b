"""What an attacker learns from one person's reports, and what fake phones do to everybody's."""

from caldp_ui.adversary import side
from caldp_ui.adversary.page_state import STATE
from caldp_ui.adversary.views import VIEWS
from caldp_ui.app.errors import plain_errors
from caldp_ui.compute import runs
from caldp_ui.parts import mathematics
from caldp_ui.parts.layout import stacked_layout
from caldp_ui.session.opening import begin_page

record = begin_page(STATE)

with plain_errors():
    domain = runs.map_of(runs.dataset(record.scenario))
    page = stacked_layout(STATE)
    with page.title:
        side.views(record)
    VIEWS[record.show](record, domain, page)
    mathematics.drawer("adversary")
