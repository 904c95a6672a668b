"""The benchmarks run and say what they should; nothing here looks at the clock."""

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner

from benchmarks import pages
from benchmarks.__main__ import main
from benchmarks.figures import Bar, Figure, Runs, measure_time, ratio, share
from caldp_core.mechanisms import FAMILIES


def report_of(*arguments: str) -> Any:
    """The report of a run at tiny size."""
    result = CliRunner().invoke(main, ["--tiny", "--json", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return json.loads(result.stdout)


def test_all_benchmarks_run_at_tiny_size() -> None:
    report = report_of()
    known = {"cpu", "cores", "python", "numpy", "pure-ldp", "multi-freq-ldpy", "xxhash"}
    assert known <= report["machine"].keys()
    words = " ".join(figure["work"] for figure in report["figures"])
    parts = ("reports", "pure-ldp", "sampled", "Table 1", "Figure 2", "multi-freq-ldpy", *FAMILIES)
    assert all(part in words for part in parts)
    for figure in report["figures"]:
        if figure["verdict"] == "skipped":
            assert any(peer in figure["note"] for peer in ("pure-ldp", "multi-freq-ldpy"))
        elif figure["unit"] == "×":
            assert figure["median"] > 0  # a ratio of medians may be below that of the least
        else:
            assert 0 < figure["least"] <= figure["median"]


def test_designs_are_timed_and_their_gap_is_said() -> None:
    figures = report_of("--only", "designer")["figures"]
    times = [figure for figure in figures if figure["unit"] == "s"]
    gaps = [figure for figure in figures if figure["unit"] == "×"]
    assert len(times) == len(gaps) == 4
    assert all("every extreme ray" in figure["note"] for figure in times)
    assert all(1 <= figure["median"] < 1.001 for figure in gaps)


def test_ways_to_ask_several_questions_are_held_against_their_peers() -> None:
    found = report_of("--only", "several")["figures"]
    peers = [figure for figure in found if "multi-freq-ldpy" in figure["work"]]
    assert len(found) == 2 * (2 + 3)
    assert len(peers) == 2 * 3
    assert all(0 < figure["median"] < 100 for figure in found if figure not in peers)


def test_numbers_are_told_by_three_ways() -> None:
    found = report_of("--only", "numbers")["figures"]
    assert len(found) == 3 * 3 * 3 * 3
    assert all(0 <= figure["median"] < 100 for figure in found)


class OfPython312:
    """Stands for both halves of pure-ldp's Hadamard response where random.randint wants ints."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def reset(self) -> None:
        pass

    def aggregate(self, report: Any) -> None:
        pass

    def privatise(self, symbol: Any) -> None:
        raise TypeError("'float' object cannot be interpreted as an integer")


def test_a_peer_that_cannot_run_is_skipped_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "pure_ldp.frequency_oracles.hadamard_response"
    module = ModuleType(name)
    for each in ("HadamardResponseClient", "HadamardResponseServer"):
        setattr(module, each, OfPython312)
    for parent in ("pure_ldp", "pure_ldp.frequency_oracles"):
        monkeypatch.setitem(sys.modules, parent, ModuleType(parent))
    monkeypatch.setitem(sys.modules, name, module)
    figures = report_of("--only", "people")["figures"]
    skipped = [figure for figure in figures if figure["verdict"] == "skipped"]
    assert len(skipped) == 3  # its time, and the two ratios to ours
    assert all("pure-ldp cannot run here ('float' object" in each["note"] for each in skipped)


def test_table_compares_with_an_earlier_run(tmp_path: Path) -> None:
    earlier = tmp_path / "earlier.json"
    earlier.write_text(json.dumps(report_of("--only", "people")), encoding="utf-8")
    result = CliRunner().invoke(main, ["--tiny", "--only", "people", "--against", str(earlier)])
    assert result.exit_code == 0
    assert "× the earlier" in result.stdout


@pytest.mark.parametrize(
    ("bar", "median", "verdict"),
    [
        (Bar("≤", 2.0), 2.0, "ok"),
        (Bar("≤", 2.0), 2.1, "MISSED"),
        (Bar("≥", 200.0), 199.0, "MISSED"),
        (Bar("≥", 200.0), 200.0, "ok"),
        (None, 1.0, ""),
    ],
)
def test_bars_are_judged_by_the_median(bar: Any, median: Any, verdict: Any) -> None:
    assert Figure("work", "ms", Runs(0.0, median, 3), bar).verdict == verdict


def test_ratio_and_share_mind_the_units() -> None:
    whole = Figure("all", "ms", Runs(50.0, 60.0, 9), Bar("≤", 150))
    each = share("one", "ns", whole, 1_000_000)
    assert each.runs is not None
    assert (each.runs.least, each.runs.median) == pytest.approx((50.0, 60.0))
    assert each.runs.number == 9
    assert each.bar is None
    peer = Figure("peer", "µs", Runs(10.0, 12.0, 3))
    times = ratio("times", peer, each).runs
    assert times is not None
    assert (times.least, times.median) == pytest.approx((200.0, 200.0))
    assert times.number == 3


def test_what_is_skipped_stays_skipped() -> None:
    skipped = Figure("peer", "µs", None, note="no pure-ldp")
    measured = Figure("ours", "ns", Runs(1.0, 1.0, 1))
    assert share("one", "ns", skipped, 10).verdict == "skipped"
    result = ratio("times", skipped, measured, Bar("≥", 200))
    assert (result.verdict, result.note) == ("skipped", "no pure-ldp")
    assert result.to_dict()["least"] is None


def test_a_page_that_does_not_answer_says_so_in_its_line() -> None:
    moved = pages.PAGES[0]
    (silent, figure) = (
        pages.move_figure(moved.page, moved, times, 0.05) for times in ([], [0.1, 0.2, 0.3])
    )
    assert (silent.verdict, moved.slider in silent.note) == ("skipped", True)
    assert figure.runs == Runs(2.0, 4.0, 3)
    assert figure.verdict == "MISSED"


def test_timing_warms_up_once_and_counts_the_rest() -> None:
    calls: list[int] = []
    figure = measure_time("work", "s", calls.append, 3)
    assert calls == [3, 0, 1, 2]
    assert figure.runs is not None
    assert figure.runs.number == 3
