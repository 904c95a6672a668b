"""The dashboard's entry: as a module its server, as a script what every visit runs."""

if __name__ == "__main__":
    from caldp_ui.app.navigation import through_app
    from caldp_ui.app.turns import turn

    with turn():
        through_app().run()
else:
    from streamlit.starlette import App

    from caldp_ui.app.server import around, routes
    from caldp_ui.app.upkeep import upkeep

    app = App(__file__, routes=routes(), middleware=around(), lifespan=upkeep)
