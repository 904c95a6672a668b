"""The code that a file needs for its parts, as ES modules without imports."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from caldp_ui.charts import scripts
from caldp_ui.offline.records import Board, Component, Part
from caldp_ui.stage import Scene, bundle
from caldp_ui.stage.bundle import join_modules

_WEB: Final = Path(__file__).with_name("web")


def part_modules(parts: Sequence[Part]) -> list[str]:
    """A page's own code before what finds its pictures; questions last."""
    made = [_text("bytes") + bundle.script() + _text("maps")] if _any(parts, Scene) else []
    for part in parts:
        if isinstance(part.picture, Component):
            made.append(_text("bytes") + part.picture.script + _of_answers(part.id, part.picture))
        elif isinstance(part.picture, Board):
            made += [_own(part.id, key, each) for key, each in part.picture.own.items()]
    if _any(parts, Board):
        drawn = join_modules(_WEB, ("bytes", "axis", "plot", "boards"))
        made.append(
            bundle.partial_script("dom", "elsewhere")
            + scripts.hub_script()
            + scripts.narrow_script()
            + drawn
        )
    return made


def questions() -> str:
    """What marks answers; it comes last."""
    return _text("questions")


def _any(parts: Sequence[Part], kind: type[Scene] | type[Board]) -> bool:
    return any(isinstance(part.picture, kind) for part in parts)


def _text(name: str) -> str:
    return join_modules(_WEB, (name,))


def _of_answers(part: str, picture: Component) -> str:
    given = {"PART": part, "KIND": picture.kind, "STYLE": picture.style}
    return _block(given, "answers")


def _own(part: str, key: str, picture: Component) -> str:
    given = {"PART": part, "KEY": key, "KIND": picture.kind, "STYLE": picture.style}
    return picture.script + _block({**given, "MESSAGE": dict(picture.message)}, "own")


def _block(names: Mapping[str, object], script: str) -> str:
    """A script below its constants, apart from all other names; no text may end its element."""
    told = ", ".join(f"{name} = {json.dumps(value)}" for name, value in names.items())
    return f"\n{{\nconst {told};\n".replace("</", "<\\/") + _text(script) + "}\n"
