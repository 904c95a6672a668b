"""The browser's side as one ES module, put together from the files in `web/`.

The files import each other by name like any modules; as one text, without a build step and without
a request, they need no imports. Their documentation stays behind: types are checked in the files
(`tests/js`), and browsers do not read them.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

WEB: Final = Path(__file__).with_name("web")
_ORDER: Final = (
    "codec",
    "dom",
    "grid",
    "view",
    "ink",
    "names",
    "squares",
    "panes",
    "styles",
    "play",
    "looks",
    "swipe",
    "scale",
    "readout",
    "tools",
    "outbox",
    "pointer",
    "touch",
    "keys",
    "toolbar",
    "dial",
    "replacements",
    "fitting",
    "follower",
    "film",
    "image",
    "stage",
    "main",
)
_IMPORT: Final = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_USED: Final = re.compile(r'^import [^;]* from "\./(\w+)\.js";$', re.MULTILINE)
_DOCS: Final = re.compile(r"^ */\*\*(?:(?!\*/).)*\*/\n", re.MULTILINE | re.DOTALL)
"""Whole lines of documentation with their types: for those who read and check the files."""
_EXPORT: Final = re.compile(r"^export (?!default)", re.MULTILINE)


@cache
def script() -> str:
    """All files of the stage; `main.js` has the only export that is left."""
    return join_modules(WEB, _ORDER)


def join_modules(folder: Path, order: Iterable[str]) -> str:
    """The modules of a folder as one, each after what it needs; only the default export stays."""
    texts = [(folder / f"{name}.js").read_text("utf-8") for name in order]
    return "\n".join(_bare(text) for text in texts)


def _bare(text: str) -> str:
    for pattern in (_DOCS, _IMPORT, _EXPORT):
        text = pattern.sub("", text)
    return text


def module_order(folder: Path, name: str) -> list[str]:
    """The names of all modules that a module needs, each after its own needs, itself last."""
    text = (folder / f"{name}.js").read_text("utf-8")
    below = [each for used in _USED.findall(text) for each in module_order(folder, used)]
    return list(dict.fromkeys([*below, name]))


@cache
def partial_script(*names: str) -> str:
    """Some modules of the stage and what they need, for other pictures than maps."""
    order = [each for name in names for each in module_order(WEB, name)]
    return join_modules(WEB, dict.fromkeys(order))


@cache
def style() -> str:
    """The style sheet of a stage."""
    return (WEB / "stage.css").read_text("utf-8")


LOADER: Final = """
const key = Symbol.for("caldp.stage");
const hub = globalThis[key] ??= {};
hub.code ??= new Promise(done => { hub.resolve = done; });
export default component => hub.code.then(code => code.%s(component));
"""
"""The script of each small component: it waits for the code, which is sent only once."""
