"""A collector's run over many files: it can be resumed, and counts no file twice."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final

from caldp_core.basics.files import hold_file, is_stream
from caldp_core.basics.types import Progress, no_progress
from caldp_core.collect.collected_tally import CollectedTally
from caldp_core.collect.collector import Collector
from caldp_core.collect.file_contents import file_batch_name, is_counted
from caldp_core.collect.protocol import Protocol

SAVE_INTERVAL_S: Final = 2.0
"""Seconds between saves: at most so much work is lost when a run is interrupted."""


@dataclass(frozen=True, eq=False)
class TallyRun:
    """The result of a run: the tally, files counted now, and files that were in it already.

    `before`: the tally that the run began with.
    """

    before: CollectedTally
    collected: CollectedTally
    files_counted: int
    files_skipped: int

    @property
    def refused_share(self) -> float:
        """Share of reports refused, in this run or in the whole tally, where it is larger."""
        counted, before = self.collected.tally.n, self.before.tally.n
        refused, earlier = (sum(t.refused.values()) for t in (self.collected, self.before))
        some = ((refused, counted), (refused - earlier, counted - before))
        return max(wrong / max(1, wrong + right) for wrong, right in some)


def tally_files(
    protocol: Protocol, paths: Iterable[Path], output: Path, progress: Progress = no_progress
) -> TallyRun:
    """Tally files into `output`, which is written as a whole every two seconds and at the end.

    If `output` is there, the run goes on with it, and files whose contents are in it are left out.
    Raises `CaldpError` for a file that cannot be read, holds a batch of another one or has grown
    since it was counted: `output` then has all files before it, and nothing of this one. Of a batch
    in several files all are in `paths`, also of a run that goes on (`batches.py`). Runs into
    one output wait for each other. Of an output that is a pipe or a device nothing is read, and it
    is written once.
    """
    with hold_file(output):
        return _tally_files(protocol, list(paths), output, progress)


def _tally_files(
    protocol: Protocol, files: Sequence[Path], output: Path, progress: Progress
) -> TallyRun:
    collector = Collector(protocol)
    total = CollectedTally.empty(protocol)
    goes_on = not is_stream(output)
    if goes_on and output.exists():
        total = CollectedTally.from_file(output)
        total.check(protocol)
    before, done, skipped, written = total, 0, 0, monotonic()
    try:
        for path in files:
            if is_counted(file_batch_name(path, total.batches), total.batches):
                skipped += 1
            else:
                parts = partial(_parts, collector, files, total.batches)
                total = total + collector.tally(path, total.batches, parts)
            done += 1
            if goes_on and monotonic() - written > SAVE_INTERVAL_S:
                total.write(output)
                written = monotonic()
            progress(done / len(files))
    finally:
        if done:  # where the first file can't be read nothing is left behind
            total.write(output)
    return TallyRun(before, total, len(files) - skipped, skipped)


def _parts(
    collector: Collector, files: Sequence[Path], batches: frozenset[str]
) -> Mapping[str, Sequence[Path]]:
    """The batches of those files of this run that are in the tally, with the files."""
    found = defaultdict(list)
    for path in files:
        if is_counted(file_batch_name(path, batches), batches):
            for name in collector.batches(path):
                found[name].append(path)
    return found
