"""What labels and titles say: totals by word, codes, bands of ages."""

import re
import tomllib
import unicodedata
from pathlib import Path
from typing import Any, Final

_WORDS: Final[dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("words.toml").read_text("utf-8")
)
_TOTALS: Final = frozenset(_WORDS["totals"].split())
_TOTALS_AT_ENDS: Final = frozenset(_WORDS["totals_at_ends"].split())
_TOTALS_BEGIN: Final = tuple(
    " ".join(words.split()) + " " for words in _WORDS["totals_begin"].split(";")
)
_TITLES: Final = {kind: frozenset(words.split()) for kind, words in _WORDS["titles"].items()}
_CODE: Final = re.compile(r"[A-Z]{0,4}[-_.]?\d[\dA-Z]*|[A-Z]{2,3}([-_][A-Z0-9]{1,4})?")
_CODE_AHEAD: Final = re.compile(r"[A-Z]{0,4}[-_]?\d[\dA-Z]*\b")
_FROM_TO: Final = re.compile(
    r"\D{0,6}?(\d{1,3})\s*(?:[-–—]|to|bis|a|à)\s*(\d{1,3})\b\D{0,8}", re.IGNORECASE
)
_AND_OVER: Final = re.compile(
    r"\D{0,6}?(\d{1,3})\s?\+\D{0,8}|(\d{1,3})\s(?:and|und) (?:over|older|more|älter|mehr)",
    re.IGNORECASE,
)
_UNDER: Final = re.compile(r"(?:under|unter|<)\s*(\d{1,3})\D{0,8}", re.IGNORECASE)
_SINGLE: Final = re.compile(r"(\d{1,3})")
OPEN_END: Final = 999
"""The upper end of a band such as 65+."""
_YEAR_LIKE: Final = re.compile(r"\W*(19|20)\d\d\b.*")


def plain(text: str) -> str:
    """A text in lower case, without accents, and with one space for all other signs."""
    apart = unicodedata.normalize("NFKD", re.sub(r'["״]', "", text[:200]).casefold())
    letters = "".join(sign for sign in apart if not unicodedata.combining(sign))
    letters = letters.replace("ł", "l").replace("ø", "o")
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFC", letters)))


def is_total(label: str) -> bool:
    """Whether a label is a word for a total, or begins or ends in one, in the usual languages."""
    bare = plain(label)
    if not bare:
        return False
    if bare.replace(" ", "") in _TOTALS:
        return True
    words = bare.replace("_", " ").split()
    if words[0] in _TOTALS_AT_ENDS or words[-1] in _TOTALS_AT_ENDS:
        return True
    return (bare + " ").startswith(_TOTALS_BEGIN) and bare not in ("net", "all day")


def title_says(title: str, *kinds: str) -> bool:
    """Whether a word of a title is of one of these kinds (`words.toml`)."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", " ", title)
    words = set(re.split(r"[\s_]+", plain(spaced)))
    return any(words & _TITLES[kind] for kind in kinds)


def is_code(text: str) -> bool:
    """Whether a label is a code, such as DE11, AT-1, 01001 or E06000001."""
    return _CODE.fullmatch(text.strip()) is not None


def code_of(text: str) -> str:
    """The code that a label is, or begins with; "" for none."""
    if is_code(text):
        return text.strip()
    if _FROM_TO.fullmatch(text.strip()):
        return ""
    found = _CODE_AHEAD.match(text)
    return found[0] if found else ""


def band_of(label: str) -> tuple[int, int] | None:
    """The first and last year, both included, of a band such as 15-64, 65+, under 18 or 7."""
    text = label.strip()
    if found := _FROM_TO.fullmatch(text):
        return int(found[1]), int(found[2])
    if found := _AND_OVER.fullmatch(text):
        return int(found[1] or found[2]), OPEN_END
    if found := _UNDER.fullmatch(text):
        return 0, int(found[1]) - 1
    if found := _SINGLE.fullmatch(text):
        return int(found[1]), int(found[1])
    return None


def begins_with_year(text: str) -> bool:
    """Whether a title or label begins with a year."""
    return _YEAR_LIKE.fullmatch(text) is not None
