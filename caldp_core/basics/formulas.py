"""Texts that a spreadsheet would run as formulas: guarded in what is written, and read back."""

from typing import Final

FORMULA_PREFIXES: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_GUARD: Final = "'"


def escape_formula(text: str) -> str:
    """A text that begins like a formula behind an apostrophe; another as it is.

    Source: OWASP, CSV injection.
    """
    return f"{_GUARD}{text}" if text.startswith(FORMULA_PREFIXES) else text


def unescape_formula(text: str) -> str:
    """The text of which `escape_formula` made this one."""
    return text[1:] if text.startswith(_GUARD) and text[1:].startswith(FORMULA_PREFIXES) else text
