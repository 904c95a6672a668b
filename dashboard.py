"""What every visit runs: the page that is asked for, with settings and navigation."""

from caldp_ui.app.navigation import through_app

through_app().run()
