"""The dashboard's entry: a server for `dashboard.py`, and what it does beside running that."""

from streamlit.starlette import App

from caldp_ui.app.delivery import DELIVERY
from caldp_ui.app.upkeep import upkeep

app = App("dashboard.py", middleware=[DELIVERY], lifespan=upkeep)
