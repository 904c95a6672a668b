"""A collector's run over many files: it can be resumed, and counts no file twice."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Final

from caldp_core.basics.files import hold_file
from caldp_core.basics.types import Progress, no_progress
from caldp_core.collect.collected_tally import CollectedTally
from caldp_core.collect.collector import Collector
from caldp_core.collect.file_contents import file_batch_name, is_counted
from caldp_core.collect.protocol import Protocol

SAVE_INTERVAL_S: Final = 2.0
"""Seconds between saves: at most so much work is lost when a run is interrupted."""


@dataclass(frozen=True, eq=False)
class TallyRun:
    """The result of a run: the tally, files counted now, and files that were in it already."""

    collected: CollectedTally
    files_counted: int
    files_skipped: int


def tally_files(
    protocol: Protocol, paths: Iterable[Path], output: Path, progress: Progress = no_progress
) -> TallyRun:
    """Tally files into `output`, which is written as a whole every two seconds and at the end.

    If `output` is there, the run goes on with it, and files whose contents are in it are left out.
    Raises `CaldpError` for a file that cannot be read, holds a batch of another one or has grown
    since it was counted: `output` then has all files before it, and nothing of this one. Runs into
    one output wait for each other.
    """
    with hold_file(output):
        return _tally_files(protocol, list(paths), output, progress)


def _tally_files(
    protocol: Protocol, files: Sequence[Path], output: Path, progress: Progress
) -> TallyRun:
    collector = Collector(protocol)
    total = CollectedTally.empty(protocol)
    if output.exists():
        total = CollectedTally.from_file(output)
        total.check(protocol)
    done, skipped, written = 0, 0, monotonic()
    try:
        for path in files:
            if is_counted(file_batch_name(path, total.batches), total.batches):
                skipped += 1
            else:
                total = total + collector.tally(path, total.batches)
            done += 1
            if monotonic() - written > SAVE_INTERVAL_S:
                total.write(output)
                written = monotonic()
            progress(done / len(files))
    finally:
        if done:  # where the first file can't be read nothing is left behind
            total.write(output)
    return TallyRun(total, len(files) - skipped, skipped)
