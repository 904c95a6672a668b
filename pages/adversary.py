"""What an attacker learns from one person's reports, and what fake phones do to everybody's."""

from caldp_ui.adversary import side
from caldp_ui.adversary.slot import SLOT
from caldp_ui.adversary.views import VIEWS
from caldp_ui.app.errors import plain_errors
from caldp_ui.compute import runs
from caldp_ui.parts import mathematics
from caldp_ui.parts.layout import stacked
from caldp_ui.session.opening import opened

record = opened(SLOT)

with plain_errors():
    domain = runs.map_of(runs.dataset(record.scenario))
    page = stacked(SLOT)
    with page.title:
        side.views(record)
    VIEWS[record.show](record, domain, page)
    mathematics.drawer("adversary")
