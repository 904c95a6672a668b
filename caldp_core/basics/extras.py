"""Packages that a light install does not have, and the extra that installs each."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from caldp_core.basics.errors import CaldpError

EXTRAS: Final = {
    "h3": "dashboard",
    "pandas": "dashboard",
    "pyarrow": "collect",
    "shapely": "dashboard",
}
"""Package: its extra in pyproject.toml. The core imports no others but those it depends on."""


@contextmanager
def explain_missing(work: str) -> Iterator[None]:
    """Around an import of one of `EXTRAS`: raises `CaldpError` if it is not installed.

    `work`: what needs it, the subject of the sentence.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        raise CaldpError(
            f"{work} needs {package}; run pip install '.[{EXTRAS[package]}]' in caldp's folder."
        ) from None
