"""The files of a release, all of them from the frozen object."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from caldp_core.basics.files import csv_text, escape_formula
from caldp_core.release import sentences
from caldp_core.release.frozen import Frozen
from caldp_core.release.office import RELEASE

TABLE: Final = "table.csv"
RECORD: Final = "record.html"
MEMO: Final = "memo.html"
ASSESSMENT: Final = "assessment.html"
PUBLIC: Final = (TABLE, RECORD, RELEASE)
"""What may be published; the other files are the office's."""

_STYLE: Final = (
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;"
    "margin:2rem auto;padding:0 1rem}h1{font-size:1.5rem}h2{font-size:1.05rem;margin:1.2em 0 .2em}"
    "p{margin:.2em 0}.note{font-weight:600}"
)


@dataclass(frozen=True)
class PackFile:
    """A file of a pack: its name, whether it may be published, and what it is."""

    name: str
    is_public: bool
    purpose: str


def pack_files() -> list[PackFile]:
    """The files of every pack, in the order in which they are shown."""
    return [
        PackFile(name, name in PUBLIC, purpose) for name, purpose in sentences.TEXTS["file"].items()
    ]


def make_pack(frozen: Frozen, seal: str) -> dict[str, bytes]:
    """The files by name; `seal`: of the record, by the office's key."""
    record = frozen.to_record() | {"seal": seal}
    texts = sentences.TEXTS["page"]
    public = sentences.public_record(frozen)
    answers = sentences.ten_answers(frozen)
    numbered = [(f"{number}. {asked}", told) for number, (asked, told) in enumerate(answers, 1)]
    found = {
        TABLE: table_csv(frozen),
        RECORD: record_page(frozen),
        RELEASE: json.dumps(record, ensure_ascii=False, indent=1) + "\n",
        MEMO: _page(
            texts["memo"].format(list=frozen.list), texts["internal"], [*public, *numbered]
        ),
        ASSESSMENT: _page(
            texts["assessment"].format(list=frozen.list), texts["internal"], numbered
        ),
    }
    return {name: text.encode("utf-8") for name, text in found.items()}


def table_csv(frozen: Frozen) -> str:
    """The table: every number with what it is; a hidden one is empty."""
    title = sentences.TEXTS["column"][frozen.line.kind]
    rows: list[list[object]] = [["level", "name", title, "what the number is"]]
    for row in frozen.rows:
        number = "" if row.people is None else row.people
        rows.append([escape_formula(row.level), escape_formula(row.name), number, row.what])
    return csv_text(rows)


def record_page(frozen: Frozen) -> str:
    """The public record as a page; of a draft it says that nothing is drawn."""
    title = sentences.TEXTS["page"]["record"].format(list=frozen.list)
    return _page(title, sentences.headline(frozen), sentences.public_record(frozen))


def _page(title: str, note: str, parts: Sequence[tuple[str, str]]) -> str:
    """A page that needs nothing else; texts are escaped, as officers type them."""
    body = "".join(
        f"<h2>{escape(heading)}</h2>\n<p>{escape(text)}</p>\n" for heading, text in parts
    )
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n<h1>{escape(title)}</h1>\n"
        f'<p class="note">{escape(note)}</p>\n{body}</html>\n'
    )
