"""Several questions as one protocol file: protocols by their names, and nothing beside them.

A person answers all of them in one report, an object of one report for each name. Each question
keeps its own protocol, with its plan of repetition, and has its own tally and estimate. ε of a
person is the sum of all questions' (`record.make_account`).
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Self

import caldp_core
from caldp_core.basics.errors import count_text, require
from caldp_core.basics.types import EqualByFields, short_repr
from caldp_core.collect import json_files
from caldp_core.collect.protocol import PROTOCOL_KEY, SEVERAL, Protocol

QUESTIONS_MAX: Final = 100
_NAME: Final = re.compile("[A-Za-z][A-Za-z0-9_-]{0,39}")


@dataclass(frozen=True, eq=False)
class Questions(EqualByFields):
    """1 to 100 protocols by name, no two the same; raises `CaldpError` for anything else.

    A name has up to 40 letters, digits, - and _, and begins with a letter.
    """

    protocols: Mapping[str, Protocol]
    __repr__ = short_repr

    def __post_init__(self) -> None:
        asked = count_text(len(self.protocols), "question", "questions")
        require(
            0 < len(self.protocols) <= QUESTIONS_MAX,
            f"A protocol file holds 1 to {QUESTIONS_MAX} questions, got {len(self.protocols):,}.",
        )
        wrong = next((name for name in self.protocols if not _NAME.fullmatch(name)), None)
        require(
            wrong is None,
            "A question's name must be up to 40 letters, digits, - and _, and begin with a letter, "
            f"got {wrong!r:.60}; rename it.",
        )
        require(
            len({each.fingerprint for each in self.protocols.values()}) == len(self.protocols),
            f"Of {asked} two have the same protocol, so that they would share one stored report; "
            "word them differently.",
        )

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """Read and check a file of questions; raises `CaldpError` for any other file."""
        return cls.from_dict(json_files.read_json_object(path, json_files.NAME))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The questions in a text; raises `CaldpError` as `from_file`."""
        return cls.from_dict(json_files.parse_json_object(text, json_files.NAME))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The questions in a dictionary of a file; `CaldpError` where its parts differ."""
        parts = json_files.object_field(data, "questions")
        made = cls(
            {name: Protocol.from_dict(json_files.object_field(parts, name)) for name in parts}
        )
        json_files.check_same(data, made.to_dict())
        return made

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 digest of all names and fingerprints; messages carry its beginning as a mark."""
        marks = {name: each.fingerprint for name, each in self.protocols.items()}
        text = json.dumps({"questions": marks}, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """The questions, JSON-ready."""
        return {
            PROTOCOL_KEY: SEVERAL,
            "caldp_version": caldp_core.__version__,
            "questions": {name: each.to_dict() for name, each in self.protocols.items()},
            "fingerprint": self.fingerprint,
        }

    def to_json(self) -> str:
        """The text of a protocol file."""
        return json_files.format_json(self.to_dict())


def read_protocol(path: str | Path) -> Protocol | Questions:
    """As `parse_protocol`, of a file."""
    return parse_protocol(json_files.read_json_object(path, json_files.NAME))


def parse_protocol(data: Mapping[str, Any]) -> Protocol | Questions:
    """The protocol in a dictionary of a file, or its several questions; raises `CaldpError`."""
    is_one = data.get(PROTOCOL_KEY) != SEVERAL
    return Protocol.from_dict(data) if is_one else Questions.from_dict(data)


def protocols_by_name(asked: Protocol | Questions) -> Mapping[str, Protocol]:
    """Each question's protocol by its name; that of a single one by ""."""
    return asked.protocols if isinstance(asked, Questions) else {"": asked}
