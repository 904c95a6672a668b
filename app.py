"""The dashboard's entry: as a module its server, as a script what every visit runs."""

if __name__ == "__main__":
    from caldp_ui.app.navigation import run_navigation
    from caldp_ui.app.operation import timed_run
    from caldp_ui.app.texts import plain_errors
    from caldp_ui.classroom.page import TRACKS
    from caldp_ui.server.turns import limit_run

    with timed_run(), limit_run(), plain_errors():
        run_navigation(plans=TRACKS).run()
else:
    from streamlit.starlette import App

    from caldp_ui.app.delivery import address, middleware, upkeep
    from caldp_ui.app.texts import show_failure
    from caldp_ui.charts.show import ADDRESS, library
    from caldp_ui.handout.route import NAME, route
    from caldp_ui.room import phone
    from caldp_ui.server.guard import install
    from caldp_ui.server.patches import PATCHES
    from caldp_ui.server.vault import keep_results_apart
    from caldp_ui.start import exhibit

    keep_results_apart()
    install(PATCHES)
    app = App(
        __file__,
        routes=[
            library(address(ADDRESS)),
            exhibit.route(address),
            route(address(NAME)),
            *phone.routes(address),
        ],
        middleware=middleware(),
        lifespan=upkeep,
        on_script_error=show_failure,
    )
