"""Packages that come with an extra in pyproject.toml: a device that reports needs none of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from caldp_core.basics.errors import CaldpError

_PACKAGES: Final = {
    "collect": "pyarrow",
    "dashboard": "h3 shapely",
    "fetch": "pooch requests",
    "files": "charset_normalizer duckdb fsspec python_calamine",
    "release": "opendp",
    "research": "pandas scipy threadpoolctl",
}
EXTRAS: Final = {name: extra for extra, names in _PACKAGES.items() for name in names.split()}
"""Package → the extra that brings it. The core imports no others but those it depends on."""


@contextmanager
def explain_missing(work: str, extra: str = "") -> Iterator[None]:
    """Around an import of one of `EXTRAS`: raises `CaldpError` if it is not installed.

    `work`: what needs it, the subject of the sentence. `extra`: the one to name in its place, where
    another brings all that the work needs.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        named = extra or EXTRAS[package]
        raise CaldpError(
            f"{work} needs {package}; run pip install '.[{named}]' in caldp's folder."
        ) from None


class _ImportedWhenUsed(ModuleType):
    """A package that is imported when one of its names is first looked up."""

    def __getattr__(self, name: str) -> Any:
        with explain_missing("This calculation"):
            value = getattr(import_module(self.__name__), name)
        setattr(self, name, value)
        return value


if TYPE_CHECKING:
    import scipy as scipy  # noqa: PLC0414 — so that it may be imported from here
else:
    scipy = _ImportedWhenUsed("scipy")
