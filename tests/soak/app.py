"""The dashboard with one page more, which counts; `soak.py` puts it into a folder with all pages.

`CALDP_SOAK_WITHOUT=whole` leaves out that a change is made to its end, so that a test can see what
is lost then.
"""

if __name__ == "__main__":
    from caldp_ui.app.navigation import PAGES, PageEntry, run_navigation
    from caldp_ui.app.operation import timed_run
    from caldp_ui.classroom.page import TRACKS
    from caldp_ui.server.turns import limit_run

    with timed_run(), limit_run():
        counting = PageEntry("pages/counting.py", "Counting", "flag", "Explore")
        run_navigation((*PAGES, counting), TRACKS).run()
else:
    import os
    from contextlib import nullcontext

    from streamlit.starlette import App

    from caldp_ui.app.delivery import address, middleware, upkeep
    from caldp_ui.app.texts import show_failure
    from caldp_ui.charts.show import ADDRESS, library
    from caldp_ui.server import messages
    from caldp_ui.server.guard import install
    from caldp_ui.server.patches import PATCHES
    from caldp_ui.session import page_state

    install(PATCHES)
    if os.environ.get("CALDP_SOAK_WITHOUT") == "whole":
        for module in (messages, page_state):
            vars(module)["whole"] = nullcontext
    app = App(
        __file__,
        routes=[library(address(ADDRESS))],
        middleware=middleware(),
        lifespan=upkeep,
        on_script_error=show_failure,
    )
