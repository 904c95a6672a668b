"""What pyproject.toml says that the package depends on."""

import re
import tomllib
from collections.abc import Iterable
from typing import Final

from tests import ROOT

_PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def _names(requirements: Iterable[str]) -> set[str]:
    return {re.split("[<>=~!]", each)[0].strip() for each in requirements}


DEPENDENCIES: Final = _names(_PROJECT["dependencies"])
EXTRAS: Final = {name: _names(e) for name, e in _PROJECT["optional-dependencies"].items()}
