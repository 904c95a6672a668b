"""Pictures that are told in colours of one theme, told in those of both."""

import re
from typing import Final

from caldp_core.basics.errors import require

_COLOUR: Final = re.compile(r"#[0-9A-Fa-f]{6}\b|rgba?\([^()]*\)")


def combine_themes(light: str, dark: str) -> str:
    """A text in which each colour is that of the light or of the dark theme, as CSS chooses.

    Raises `CaldpError` where the texts differ in more than their colours.
    """
    ours, theirs = _COLOUR.findall(light), _COLOUR.findall(dark)
    between = _COLOUR.split(light)
    require(between == _COLOUR.split(dark), "Both themes must show the same but for their colours.")
    pairs = zip(ours, theirs, strict=True)
    colours = [a if a == b else f"light-dark({a},{b})" for a, b in pairs]
    return "".join(part + colour for part, colour in zip(between, [*colours, ""], strict=True))
