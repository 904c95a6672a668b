"""The dashboard's entry: as a module its server, as a script what every visit runs."""

if __name__ == "__main__":
    from caldp_ui.app.navigation import through_app
    from caldp_ui.app.turns import turn
    from caldp_ui.classroom.plan import PARTS

    with turn():
        through_app(plan=PARTS).run()
else:
    from streamlit.starlette import App

    from caldp_ui.app.server import address, around
    from caldp_ui.app.upkeep import upkeep
    from caldp_ui.charts.library import ADDRESS, library

    app = App(__file__, routes=[library(address(ADDRESS))], middleware=around(), lifespan=upkeep)
