"""What a release's files say in words; every number comes from the frozen object."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from caldp_core.basics.errors import count_text
from caldp_core.release.frozen import Frozen, Line, right_guesses
from caldp_core.release.settings import THRESHOLD_USUAL

TEXTS: Final[dict[str, dict[str, str]]] = tomllib.loads(
    Path(__file__).with_name("texts.toml").read_text("utf-8")
)
_EXACT_KINDS: Final = ("hide", "larger")


def headline(frozen: Frozen) -> str:
    """The sum of ε of all releases of the list, in one sentence."""
    return _sum_sentence(frozen.together, frozen.releases)


def together_sentence(epsilon: float | None, releases: int) -> str:
    """The sum of ε, and what it leaves to someone who knows everybody else."""
    total = _sum_sentence(epsilon, releases)
    if epsilon is None:
        return total
    return f"{total} {TEXTS['together']['odds'].format(right=right_guesses(epsilon))}"


def _sum_sentence(epsilon: float | None, releases: int) -> str:
    texts = TEXTS["together"]
    if epsilon is None and releases == 1:
        return texts["alone"]
    if epsilon is None:
        return texts["none"].format(releases=count_text(releases, "release", "releases"))
    return texts["one" if releases == 1 else "many"].format(epsilon=epsilon, releases=releases)


def public_record(frozen: Frozen) -> list[tuple[str, str]]:
    """The parts of the public record: headings and sentences."""
    texts = TEXTS["heading"]
    parts = [
        (texts["together"], together_sentence(frozen.together, frozen.releases)),
        (texts["protection"], protection(frozen)),
        (texts["smallest"], smallest_count(frozen)),
        (texts["subtraction"], subtraction(frozen)),
        (texts["before"], before(frozen.earlier)),
        (texts["people"], people(frozen)),
        (texts["cells"], cells(frozen)),
        (texts["trusted"], f"{_typed(frozen)['by']}. {TEXTS['remains']['trusted']}"),
        (texts["publication"], f"{published(frozen)} {until(frozen)}"),
    ]
    number = frozen.line.id if frozen.rows else texts["draft"]
    return [*parts, (texts["number"], number)]


def ten_answers(frozen: Frozen) -> list[tuple[str, str]]:
    """The ten questions of an impact assessment, and their answers."""
    typed, texts = _typed(frozen), TEXTS["answer"]
    answers = [
        published(frozen),
        f"{people(frozen)} {texts['special'].format(special=_bare(typed['special']))}",
        typed["smaller"],
        cells(frozen),
        f"{protection(frozen)} {smallest_count(frozen)}",
        together_sentence(frozen.together, frozen.releases),
        subtraction(frozen),
        before(frozen.earlier),
        remains(frozen),
        until(frozen),
    ]
    return list(zip(TEXTS["question"].values(), answers, strict=True))


def _typed(frozen: Frozen) -> dict[str, str]:
    publication: dict[str, str] = frozen.settings["publication"]
    return publication


def _bare(text: str) -> str:
    """A typed text without its full stop, as one follows."""
    return text.strip().rstrip(".")


def published(frozen: Frozen) -> str:
    """What is published, by whom, why, and on which legal basis."""
    typed = {name: _bare(text) for name, text in _typed(frozen).items()}
    numbers = count_text(len(frozen.rows), "number", "numbers") if frozen.rows else "numbers"
    return TEXTS["answer"]["published"].format(numbers=numbers, list=frozen.list, **typed)


def until(frozen: Frozen) -> str:
    """How long the list is kept, and who answers for the release."""
    typed = {name: _bare(text) for name, text in _typed(frozen).items()}
    return TEXTS["answer"]["until"].format(**typed)


def protection(frozen: Frozen) -> str:
    """What was done to the counts, and how far off they are."""
    facts = dict(frozen.facts)
    if "off_at_most" in facts:
        facts["off"] = count_text(facts["off_at_most"], "person", "people")
    most = count_text(_most(frozen), "cell", "cells")
    last = frozen.line.threshold - 1
    return TEXTS["protection"][frozen.line.kind].format(**facts, most=most, last=last)


def _most(frozen: Frozen) -> int:
    return int(frozen.settings["list"].get("most", 1))


def smallest_count(frozen: Frozen) -> str:
    """The smallest exact count that may be published, and who chose it if it is not the usual."""
    texts, threshold = TEXTS["smallest"], frozen.line.threshold
    if frozen.line.kind == "central":
        return texts["noisy"]
    if frozen.line.kind == "round":
        return texts["rounded"]
    chosen = "low" if threshold < THRESHOLD_USUAL else "high"
    if threshold == THRESHOLD_USUAL:
        chosen = "usual"
    named = texts[chosen].format(
        threshold=threshold, usual=THRESHOLD_USUAL, chosen_by=_bare(_typed(frozen)["chosen_by"])
    )
    return f"{texts['exact'].format(last=threshold - 1)} {named}"


def subtraction(frozen: Frozen) -> str:
    """What follows from the table by subtraction, and with which tables it was compared."""
    texts = TEXTS["subtraction"]
    if frozen.line.kind in _EXACT_KINDS:
        number = sum(row.people is None for row in frozen.rows)
        hidden = "Small numbers are"
        if frozen.rows:
            hidden = count_text(number, "number is", "numbers are")
        exact = texts["exact"].format(hidden=hidden, values=frozen.line.threshold + 1)
        found = [exact, TEXTS["zeros"]["all"]]
    else:
        found = [texts[frozen.line.kind]]
    for name in ("checked", "unchecked"):
        dates = frozen.facts.get(name, [])
        if dates:
            found.append(texts[name].format(dates=", ".join(dates)))
    return " ".join(found)


def people(frozen: Frozen) -> str:
    """What one person is in the list, who is counted, and how many there are if that is public."""
    texts, held = TEXTS["people"], frozen.settings["list"]
    found = [texts[held.get("unit", "row")].format(column=held.get("column", ""))]
    if _most(frozen) > 1 and frozen.line.kind == "central":
        found.append(texts["most"].format(most=count_text(_most(frozen), "cell", "cells")))
    if held.get("where"):
        conditions = " and ".join(
            f"{column} {' or '.join(values)}" for column, values in held["where"].items()
        )
        found.append(texts["where"].format(conditions=conditions))
    if frozen.people is not None:
        number = count_text(frozen.people, "person", "people")
        found.append(texts["public"].format(people=number))
    return " ".join(found)


def cells(frozen: Frozen) -> str:
    """Which cells there are, who chose them, and from what."""
    texts, chosen = TEXTS["cells"], frozen.settings["cells"]
    source = _bare(chosen["source"])
    found = [
        f"{frozen.cells}.",
        texts["chosen"].format(source=source, chosen_by=_bare(_typed(frozen)["chosen_by"])),
    ]
    for listed in chosen.get("lists", []):
        kind = "list" if listed.get("column") else "titles"
        found.append(
            texts[kind].format(column=listed.get("column"), source=_bare(listed["source"]))
        )
    is_typed = chosen.get("map", {}).get("extent") != "whole degrees"
    found.append(texts["independent" if is_typed else "whole_degrees"])
    return " ".join(found)


def before(earlier: Sequence[Line]) -> str:
    """What was published from the list before."""
    texts = TEXTS["before"]
    lines = [line_text(line) for line in earlier]
    listed = f"{'; '.join(lines)}." if lines else texts["none"]
    return f"{listed} {texts['limit']}"


def line_text(line: Line) -> str:
    """A release before in a few words: when, how, its ε, and how it is known."""
    epsilon = "no ε" if line.epsilon is None else f"ε = {line.epsilon:g}"
    named: dict[str, Any] = {"kind": TEXTS["kind"][line.kind], "known": TEXTS["known"][line.by]}
    return TEXTS["before"]["line"].format(date=line.date, epsilon=epsilon, **named)


def remains(frozen: Frozen) -> str:
    """The risks that are left."""
    found = [TEXTS["remains"]["trusted"], TEXTS["remains"]["groups"]]
    if frozen.line.kind in _EXACT_KINDS:
        is_crossed = len(frozen.settings["cells"].get("lists", [])) == 2
        is_hidden = is_crossed and frozen.line.kind == "hide"
        found += [TEXTS["zeros"]["all"], TEXTS["zeros"]["crossed" if is_hidden else "groups"]]
    return " ".join(found)
