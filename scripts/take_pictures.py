"""Takes the pictures of the README anew: docs/*.png, the first screens of some pages.

    python -m scripts.take_pictures

Needs what the browser's tests need.
"""

import tomllib
from pathlib import Path
from typing import Any

from tests.servers import chromium, server_address, wait_until_settled

DOCS = Path(__file__).parents[1] / "docs"
SCREEN: Any = {"viewport": {"width": 1280, "height": 720}}
PICTURES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def main() -> None:
    """Take all of `PICTURES`."""
    with chromium() as browser, server_address() as address:
        for name, link in PICTURES.items():
            theme: Any = "dark" if name.endswith("dark") else "light"
            with browser.new_context(**SCREEN, color_scheme=theme) as context:
                page = context.new_page()
                page.goto(f"{address}/{link}")
                page.locator("h1").first.wait_for()
                wait_until_settled(page)
                page.wait_for_timeout(4_000)  # until pictures are still
                page.screenshot(path=DOCS / f"{name}.png")


if __name__ == "__main__":
    main()
