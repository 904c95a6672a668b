"""What every visit runs: the page that is asked for, with settings and navigation."""

from caldp_ui.app.navigation import through_app
from caldp_ui.app.turns import turn

with turn():
    through_app().run()
