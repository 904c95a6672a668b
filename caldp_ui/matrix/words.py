"""Sentences of the page: the verdict, and plain words for every entry of E.

Room: matrix. Each must be true of the matrix and channel that it is shown with. Names come from
anybody: what goes into Markdown has them escaped, what goes into the picture, which reads no HTML,
has them as they are.
"""

import math
from typing import Final

from caldp_core.audit.adversary import guessed_right
from caldp_core.audit.pairwise import CellAudit
from caldp_core.basics.errors import CaldpError
from caldp_ui.app.errors import as_text
from caldp_ui.matrix import candidates
from caldp_ui.matrix.candidates import Candidate
from caldp_ui.matrix.slot import level_text
from caldp_ui.matrix.verdict import Verdict
from caldp_ui.words import formats

_PEOPLE: Final = 10_000


def headline(what: Verdict) -> str:
    """Whether the channel keeps E, with the worst entry, and what E implies; in Markdown."""
    bold, rest = in_two_parts(what)
    return f"**{as_text(bold)}**{as_text(rest)}"


def in_two_parts(what: Verdict) -> tuple[str, str]:
    """The same as plain text: what is most important, and the rest."""
    audit, names = what.audit, what.names
    if audit.faulty_row is not None:
        row = what.candidate.channel[audit.faulty_row]
        return "This is no channel", (
            f": the row of “{names[audit.faulty_row]}” must be chances that sum to 1, its sum is "
            f"{float(sum(row)):.6g}."
        )
    if not audit.pairs:
        return "Nothing is promised", ", so every channel keeps it."
    if not what.broken:
        promises = formats.count(audit.pairs, "promise", "promises")
        return f"The channel keeps all {promises}", f"{_unused(what)}. {implied(what)}"
    cell = what.broken[0]
    worst = cell.leak
    return f"The channel breaks {len(what.broken)} of {audit.pairs} promises", (
        f", “{names[worst.x]}” against “{names[worst.x_other]}” worst: {loss(cell)} instead of "
        f"{level_text(worst.epsilon)}. Witness: {what.candidate.reports[worst.output]}."
    )


def _unused(what: Verdict) -> str:
    """How far the channel stays below what E would allow, at most."""
    leaks = [cell.leak for cell in what.cells.values() if math.isfinite(cell.leak.epsilon)]
    most = max(leak.epsilon - max(leak.privacy_loss, 0.0) for leak in leaks)
    if most < 0.005:
        return ", each to the full"
    return f", and gives away up to ε = {most:.2f} less than it may"


def off(found: Candidate) -> str:
    """How far off shares are that are estimated from its reports."""
    if found.mechanism is None:
        return ""
    try:
        mean = candidates.even_variance(found.mechanism) / found.mechanism.k / _PEOPLE
    except CaldpError:
        return "Shares can't be estimated from these reports: two values send the same ones."
    return (
        f"A share estimated from {formats.people(_PEOPLE)} people is typically off by "
        f"{100 * mean**0.5:.2g} of 100."
    )


def loss(cell: CellAudit) -> str:
    """A realised level; with as many digits as it takes to tell it from its E."""
    value, level = cell.leak.privacy_loss, cell.leak.epsilon
    if math.isinf(value):
        return "∞"
    digits = 2
    while digits < 9 and not cell.holds and f"{value:.{digits}f}" == f"{level:.{digits}f}":
        digits += 1
    return f"{max(value, 0.0):.{digits}f}"


def implied(what: Verdict) -> str:
    """How E and its closure differ, in one sentence."""
    against, loose = int(what.contradicted.sum()), int(what.loose.sum())
    if against:
        entries = formats.count(against, "entry says", "entries say")
        return f"{entries} “no promise”, yet one follows from the others (see the arrows)."
    if loose:
        entries = formats.count(loose, "entry is", "entries are")
        return f"{entries} looser than what follows from the others (see the arrows)."
    return "No entry is looser than what follows from the others."


def promise(what: Verdict, x: int, other: int) -> str:
    """What one entry of E says."""
    name, against = (f"“{what.names[i]}”" for i in (x, other))
    if x == other:
        return f"{name} against itself: nothing to tell apart."
    level, closed = float(what.levels[x, other]), float(what.closed[x, other])
    said = f"{name} against {against}, ε = {level_text(level)}: "
    if not what.loose[x, other]:
        return said + _meaning(name, against, level)
    follows = f"from other entries follows ε = {level_text(round(closed, 6))}"
    start = "no promise, yet" if math.isinf(level) else "looser than need be, as"
    return f"{said}{start} {follows}. So {_meaning(name, against, closed)}"


def _meaning(name: str, against: str, level: float) -> str:
    if math.isinf(level):
        return f"no promise; a report may prove that it is {name} and not {against}."
    if level == 0:
        return f"no report may speak for {name} at all."
    best = formats.hundred(guessed_right(level))
    most = best if best.startswith("over") else f"at most {best}"
    return (
        f"whatever is reported, of 100 people torn 50:50 between the two, {most} truly have {name}."
    )


def deed(what: Verdict, x: int, other: int) -> str:
    """What the channel does to one entry."""
    if x == other:
        return ""
    cell = what.cells[x, other]
    report = what.candidate.reports[cell.leak.output]
    row, against = what.candidate.channel[x], what.candidate.channel[other]
    p, q = (formats.share(float(each[cell.leak.output])) for each in (row, against))
    verdict = "kept" if cell.holds else "broken"
    if math.isinf(cell.leak.epsilon):
        verdict = "no promise to keep"
    return f"This channel: {loss(cell)}, {verdict}; most by {report}, sent with {p} against {q}."


def alt(what: Verdict) -> str:
    """The picture for those who do not see it."""
    return f"Two tables of {what.k} by {what.k} values. {''.join(in_two_parts(what))}"
