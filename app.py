"""The dashboard's entry: as a module its server, as a script what every visit runs."""

if __name__ == "__main__":
    from caldp_ui.app.navigation import run_navigation
    from caldp_ui.app.run_limiter import limit_run
    from caldp_ui.classroom.plan import TRACKS

    with limit_run():
        run_navigation(plans=TRACKS).run()
else:
    from streamlit.starlette import App

    from caldp_ui.app.errors import show_failure
    from caldp_ui.app.server import address, middleware, trust_named_proxies
    from caldp_ui.app.stale_messages import run_page_for_missing_parts
    from caldp_ui.app.upkeep import upkeep
    from caldp_ui.charts.show import ADDRESS, library
    from caldp_ui.handout.route import NAME, route
    from caldp_ui.room import phone

    trust_named_proxies()
    run_page_for_missing_parts()
    app = App(
        __file__,
        routes=[library(address(ADDRESS)), route(address(NAME)), *phone.routes(address)],
        middleware=middleware(),
        lifespan=upkeep,
        on_script_error=show_failure,
    )
