"""Texts that a spreadsheet would run as formulas: guarded in what is written, and read back."""

from typing import Final

SIGNS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_GUARD: Final = "'"


def guarded(text: str) -> str:
    """A text that begins like a formula behind an apostrophe; another as it is.

    Source: OWASP, CSV injection.
    """
    return f"{_GUARD}{text}" if text.startswith(SIGNS) else text


def unguarded(text: str) -> str:
    """The text of which `guarded` made this one."""
    return text[1:] if text.startswith(_GUARD) and text[1:].startswith(SIGNS) else text
