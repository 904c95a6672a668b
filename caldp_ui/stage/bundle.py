"""The browser's side as one ES module, put together from the files in `web/`.

Room: stage. The files import each other by name like any modules; as one text, without a build
step and without a request, they need no imports.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

_WEB: Final = Path(__file__).with_name("web")
_ORDER: Final = (
    "codec",
    "dom",
    "grid",
    "view",
    "ink",
    "names",
    "panes",
    "looks",
    "swipe",
    "scale",
    "readout",
    "tools",
    "pointer",
    "touch",
    "keys",
    "toolbar",
    "film",
    "image",
    "stage",
    "main",
)
_IMPORT: Final = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?!default)", re.MULTILINE)


@cache
def script() -> str:
    """All files of the stage; `main.js` has the only export that is left."""
    return joined(_WEB, _ORDER)


def joined(folder: Path, order: Iterable[str]) -> str:
    """The modules of a folder as one, each after what it needs; only the default export stays."""
    texts = [(folder / f"{name}.js").read_text("utf-8") for name in order]
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", text)) for text in texts)


@cache
def style() -> str:
    """The style sheet of a stage."""
    return (_WEB / "stage.css").read_text("utf-8")


LOADER: Final = """
const key = Symbol.for("caldp.stage");
const hub = globalThis[key] ??= {};
hub.code ??= new Promise(done => { hub.arrived = done; });
export default component => hub.code.then(code => code.%s(component));
"""
"""What each small component runs: it waits until the code has come, which is sent but once."""

ROOM: Final = """<style>
.st-key-%(key)s-stage { container-type: inline-size; }
.st-key-%(key)s-feeds { position: absolute; height: 0; overflow: hidden; }
.st-key-%(key)s { min-height: calc(100cqw / 5.7 + 11.5rem); }
@container (max-width: 1120px) { .st-key-%(key)s { min-height: calc(
    2 * min(50cqw / 1.9, max(10rem, (100svh - var(--stage-above, 20rem)) / 2)) + 12rem); } }
@container (max-width: 560px) { .st-key-%(key)s { min-height: calc(25.2rem + 19rem); } }
</style>"""
"""Room for three pictures before they are there, and none for what is not seen: nothing jumps.
Streamlit shows a bar for each component until its own code has come."""
