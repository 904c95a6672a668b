"""The dashboard with one page more: a line of navigation."""

from caldp_ui.app.navigation import PAGES, PageEntry, run_navigation

run_navigation((*PAGES, PageEntry("pages/survey.py", "Survey", "poll", "Survey"))).run()
