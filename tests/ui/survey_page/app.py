"""The dashboard with one page more: a line of navigation."""

from caldp_ui.app.navigation import PAGES, Entry, through_app

through_app((*PAGES, Entry("pages/survey.py", "Survey", "poll", "Survey"))).run()
