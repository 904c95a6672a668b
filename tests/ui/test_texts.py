"""Texts that stand in TOML files: each that is asked for is there, each that is there is used."""

import re
import tomllib

from tests import ROOT

_USED = re.compile(r'(?<![\w.])TEXTS\["(\w+)"\]')


def test_each_text_of_a_folder_is_used_by_a_module_of_it() -> None:
    files = sorted((ROOT / "caldp_ui").glob("*/texts.toml"))
    assert files
    for path in files:
        sources = [module.read_text("utf-8") for module in path.parent.glob("*.py")]
        used = {
            key for text in sources if "read_texts(__file__)" in text for key in _USED.findall(text)
        }
        assert used == set(tomllib.loads(path.read_text("utf-8"))), path.parent.name
