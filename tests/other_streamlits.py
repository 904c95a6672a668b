"""What of the dashboard does not fit other minor versions of Streamlit.

The two minor versions before the installed one are tried, and the next where the registry has it: a
server is started with each, and three pages are opened (`python -m tests.other_streamlits`). Only
the installed version must pass; what is printed of the others is read before one is taken.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import click
import streamlit

from tests import ROOT
from tests.servers import chromium, running_server

PAGES: Final = ("yesno", "places", "curves")
"""A page of drawings, one of maps and one of charts."""
_WAIT_MS: Final = 60_000
_ABOUT_CHANGES: Final = "of the dashboard's changes fit"


def minors() -> Iterator[str]:
    """The installed minor version, the two before and the next."""
    major, minor = map(int, streamlit.__version__.split(".")[:2])
    yield f"{major}.{minor}"
    for other in (minor - 1, minor - 2, minor + 1):
        yield f"{major}.{other}"


def install(version: str, folder: Path) -> bool:
    """Put the latest patch of a minor version into a folder, and nothing that it depends on."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
    done = subprocess.run(
        [*command, str(folder), f"streamlit=={version}.*"], capture_output=True, check=False
    )
    return done.returncode == 0


def open_page(browser: Any, address: str) -> str:
    """What is wrong with a page, in a few words; empty if its headline came without an error."""
    page, errors = browser.new_page(), list[str]()
    page.on("pageerror", lambda error: errors.append(str(error)))
    try:
        page.goto(address)
        page.locator(".st-key-headline h1").first.wait_for(timeout=_WAIT_MS)
    except Exception as error:  # noqa: BLE001 — whatever it is, it is what the version does
        return str(error).splitlines()[0]
    finally:
        page.close()
    return errors[0].splitlines()[0] if errors else ""


def try_version(folder: Path, library: Path | None) -> list[str]:
    """What does not fit a version, in lines; `library`: its folder, None for the installed one."""
    variables = {} if library is None else {"PYTHONPATH": f"{library}:{ROOT}"}
    lines = []
    try:
        with running_server(folder, variables=variables) as server, chromium() as browser:
            for name in PAGES:
                fault = open_page(browser, f"{server.address}/{name}")
                if fault:
                    lines.append(f"{name}: {fault}")
    except RuntimeError as error:
        lines.append(f"does not start: {str(error).strip().splitlines()[-1]}")
    for log in folder.glob("server-*.log"):
        for line in log.read_text("utf-8", "replace").splitlines():
            if _ABOUT_CHANGES in line:
                lines.insert(0, line)
    return lines


@click.command(help=__doc__)
def main() -> None:
    installed, *others = minors()
    passed = True
    for version in (installed, *others):
        with TemporaryDirectory() as name:
            folder, library = Path(name, "log"), None
            folder.mkdir()
            if version != installed:
                # Elsewhere Streamlit takes itself for being developed, and refuses a port.
                library = Path(name, "site-packages")
                if not install(version, library):
                    click.echo(f"Streamlit {version}: the registry does not have it.")
                    continue
            lines = try_version(folder, library)
        click.echo(f"Streamlit {version}: {'; '.join(lines) or 'three pages open, all fits'}")
        passed = passed and (version != installed or not lines)
    if not passed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
