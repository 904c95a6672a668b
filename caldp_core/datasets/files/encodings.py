"""The encoding of a text file, detected, and the file recoded to UTF-8."""

import codecs
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from caldp_core.basics.errors import CaldpError, require
from caldp_core.datasets.files.source import CHUNK_BYTES, Source
from caldp_core.datasets.own import excerpt

UTF_8: Final = "UTF-8"
_SAMPLE_CHUNKS: Final = 32
"""Chunks of a file from which its encoding is detected."""
_BOMS: Final = {
    codecs.BOM_UTF8: (UTF_8, "utf-8-sig"),
    codecs.BOM_UTF16_LE: ("UTF-16", "utf-16"),
    codecs.BOM_UTF16_BE: ("UTF-16", "utf-16"),
}
_NO_TEXT: Final = bytes({*range(32)} - {*b"\t\n\x0b\x0c\r\x1a\x1b"})


def to_utf_8(source: Source) -> tuple[Source, str]:
    """The file as UTF-8 without a byte-order mark, and the name of its encoding.

    Without a mark it is UTF-8 where that can be, else Windows-1252, which Western spreadsheets
    write. Raises `CaldpError`, now or while it is read, for what is no text.
    """
    head = source.head(CHUNK_BYTES)
    for mark, (name, codec) in _BOMS.items():
        if head.startswith(mark):
            _check_text(source.name, head, codec)
            return source.map_chunks(_recoding(source.name, codec)), name
    if (codec_16 := _utf_16(head)) is not None:
        return source.map_chunks(_recoding(source.name, codec_16)), "UTF-16"
    _check_signs(source.name, head)
    if _is_utf_8(source):
        return source, UTF_8
    _check_text(source.name, head, "cp1252")
    return source.map_chunks(_recoding(source.name, "cp1252")), "Windows-1252"


def _check_signs(name: str, head: bytes) -> None:
    """Raise `CaldpError` for bytes that no text has."""
    other = len(head) - len(head.translate(None, _NO_TEXT))
    if other:
        at = next(place for place, sign in enumerate(head) if sign in _NO_TEXT)
        raise _no_text(name, at)


def _check_text(name: str, head: bytes, codec: str) -> None:
    try:
        text = codecs.getincrementaldecoder(codec)().decode(head)
    except UnicodeDecodeError as error:
        raise _no_text(name, error.start) from None
    require("\0" not in text, str(_no_text(name, text.find("\0"))))


def _no_text(name: str, byte: int) -> CaldpError:
    return CaldpError(
        f"The file {excerpt(name)} is no text (byte {byte + 1:,}); in a spreadsheet, save it as "
        "“CSV UTF-8”."
    )


def _utf_16(head: bytes) -> str | None:
    """The kind of UTF-16 without a mark: every other byte of Western text is zero."""
    pairs = len(head) // 2
    even, odd = head[: 2 * pairs : 2], head[1 : 2 * pairs : 2]
    for codec, zeros, signs in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        if pairs >= 2 and zeros.count(0) > 0.6 * pairs and signs.count(0) == 0:
            return codec
    return None


def _is_utf_8(source: Source) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        pieces = list(map(len, map(decoder.decode, islice(source.chunks(), _SAMPLE_CHUNKS))))
        decoder.decode(b"", final=len(pieces) < _SAMPLE_CHUNKS)
    except UnicodeDecodeError:
        return False
    return True


def _recoding(name: str, codec: str) -> Callable[[Iterator[bytes]], Iterator[bytes]]:
    """A function that recodes chunks from `codec` to UTF-8."""

    def recoded(pieces: Iterator[bytes]) -> Iterator[bytes]:
        decoder, done = codecs.getincrementaldecoder(codec)(), 0
        try:
            for piece in pieces:
                yield decoder.decode(piece).encode()
                done += len(piece)
            decoder.decode(b"", final=True)
        except UnicodeError as error:
            raise _no_text(name, done + getattr(error, "start", 0)) from None

    return recoded
