"""JavaScript that a file needs for its parts, as ES modules without imports."""

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
    """Scripts of the parts, in order: a page's own code before the code that finds its pictures."""
    codes = (
        [_script("bytes") + bundle.script() + _script("maps")] if _has_picture(parts, Scene) else []
    )
    for part in parts:
        if isinstance(part.picture, Component):
            codes.append(
                _script("bytes") + part.picture.script + _answers_script(part.id, part.picture)
            )
        elif isinstance(part.picture, Board):
            codes += [_own_script(part.id, key, each) for key, each in part.picture.own.items()]
    if _has_picture(parts, Board):
        chart_code = join_modules(_WEB, ("bytes", "axis", "plot", "boards"))
        codes.append(
            bundle.partial_script("dom", "replacements")
            + scripts.hub_script()
            + scripts.narrow_script()
            + chart_code
        )
    return codes


def questions() -> str:
    """Script that marks answers; the last of a file."""
    return _script("questions")


def _has_picture(parts: Sequence[Part], kind: type[Scene] | type[Board]) -> bool:
    return any(isinstance(part.picture, kind) for part in parts)


def _script(name: str) -> str:
    return join_modules(_WEB, (name,))


def _answers_script(part: str, picture: Component) -> str:
    constants = {"PART": part, "KIND": picture.kind, "STYLE": picture.style}
    return _script_block(constants, "answers")


def _own_script(part: str, key: str, picture: Component) -> str:
    constants = {"PART": part, "KEY": key, "KIND": picture.kind, "STYLE": picture.style}
    return picture.script + _script_block({**constants, "MESSAGE": dict(picture.message)}, "own")


def _script_block(names: Mapping[str, object], script: str) -> str:
    """A script in a block of its own below its constants; no text in it ends the element."""
    declarations = ", ".join(f"{name} = {json.dumps(value)}" for name, value in names.items())
    return f"\n{{\nconst {declarations};\n".replace("</", "<\\/") + _script(script) + "}\n"
