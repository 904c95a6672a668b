"""Pictures in the colours of both themes, from one picture in each."""

import re
from typing import Final

from caldp_core.basics.errors import require

_COLOUR: Final = re.compile(r"#[0-9A-Fa-f]{6}\b|rgba?\([^()]*\)")


def combine_themes(light: str, dark: str) -> str:
    """One text from both: CSS chooses each colour by the theme.

    Raises `CaldpError` where the texts differ in more than their colours.
    """
    light_colours, dark_colours = _COLOUR.findall(light), _COLOUR.findall(dark)
    texts = _COLOUR.split(light)
    require(texts == _COLOUR.split(dark), "Both themes must show the same but for their colours.")
    pairs = zip(light_colours, dark_colours, strict=True)
    colours = [a if a == b else f"light-dark({a},{b})" for a, b in pairs]
    return "".join(part + colour for part, colour in zip(texts, [*colours, ""], strict=True))
