"""Small files that are counted together give what they give one by one, refusals included."""

import random
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from caldp_core import CaldpError, Protocol
from caldp_core.collect import collector
from caldp_core.collect.collector import Collector, small_files_together, tally_files
from tests.collect import written
from tests.collect.protocols import small
from tests.contract.checks import naming


def small_files(protocol: Protocol, folder: Path) -> list[Path]:
    """Eighteen files: three forms, parts of one delivery, and everything that is not plain."""
    folder.mkdir()
    files = []
    for i, ending in enumerate(("csv", "jsonl", "csv", "csv", "jsonl", "csv", "parquet", "csv.gz")):
        sent = written.payloads(protocol, [i % 3, 1, 2], seed=i)
        batch = {"batch": ["mon"] * 3} if i % 2 else {}
        files.append(written.write(folder / f"{i}.{ending}", sent, **batch))
    files.append(Path(shutil.copy(files[0], folder / "copy.csv")))
    first = files[0].read_bytes()
    for name, content in (
        ("empty.csv", first.partition(b"\n")[0] + b"\n"),
        ("nothing.jsonl", b""),
        ("not-utf-8.csv", first + b"\xff\xfe\n"),
        ("only-refused.jsonl", b"\xff\xfe\n"),
        ("odd.csv", first + b"one,two,three\n7e9\n\n"),
        ("other.jsonl", b'{"report": 1, "protocol": "0123456789abcdef"}\n'),
    ):
        (folder / name).write_bytes(content)
        files.append(folder / name)
    return files


@pytest.mark.parametrize("family", ["galois", "oue"])
def test_files_counted_together_give_the_tally_of_files_counted_one_by_one(
    family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    protocol = small(family)
    files = small_files(protocol, tmp_path / "files")
    # A file that begins like another, such as the first of these, would be refused as grown.
    files = [each for each in files if each.name not in {"not-utf-8.csv", "odd.csv"}]
    for seed in range(2):
        random.Random(seed).shuffle(files)
        together = counted(protocol, files, tmp_path / "a.json", monkeypatch, 500)
        assert together == counted(protocol, files, tmp_path / "b.json", monkeypatch, 1)


def counted(
    protocol: Protocol, files: Sequence[Path], output: Path, patch: pytest.MonkeyPatch, most: int
) -> tuple[str, int, int]:
    """The tally, files counted and skipped, by two runs, of which the first has a third of all."""
    output.unlink(missing_ok=True)
    patch.setattr(collector, "GROUP_FILES", most)
    tally_files(protocol, files[: len(files) // 3], output)
    run = tally_files(protocol, files, output)
    return run.collected.to_json(), run.files_counted, run.files_skipped


def refusal(protocol: Protocol, files: Sequence[Path], output: Path) -> tuple[str, str]:
    """The sentence, and the tally that is left."""
    output.unlink(missing_ok=True)
    with pytest.raises(CaldpError) as error:
        tally_files(protocol, files, output)
    return str(error.value), output.read_text("utf-8")


def test_the_file_that_is_refused_is_the_one_that_would_be_refused_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    protocol = small("galois")
    files, output = small_files(protocol, tmp_path / "files"), tmp_path / "week.json"
    plain, part = files[2], files[1]
    lines = part.read_text("utf-8").splitlines(keepends=True)
    wrong = {
        "grown.csv": plain.read_bytes() + b"3\n",
        "copy.jsonl": "".join([*lines[1:], lines[0]]).encode(),
        "many.jsonl": "".join(f'{{"report": 1, "batch": "{i}"}}\n' for i in range(1_100)).encode(),
        "columns.csv": b"number\n1\n",
    }
    for name, content in wrong.items():
        bad = tmp_path / name
        bad.write_bytes(content)
        order = [plain, files[4], part, bad, files[5]]
        with naming(name):
            monkeypatch.setattr(collector, "GROUP_FILES", 500)
            sentence, left = refusal(protocol, order, output)
            monkeypatch.setattr(collector, "GROUP_FILES", 1)
            assert (sentence, left) == refusal(protocol, order, output)
            assert name in sentence
            assert '"n": 9' in left


def test_neighbours_of_one_form_are_read_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = small_files(small("galois"), tmp_path / "files")
    monkeypatch.setattr(collector, "GROUP_FILES", 2)
    groups = [[path.name for path in group] for group in small_files_together(files)]
    assert groups[:5] == [["0.csv"], ["1.jsonl"], ["2.csv"], ["3.csv"], ["4.jsonl"]]
    assert [name for group in groups for name in group] == [path.name for path in files]
    assert ["only-refused.jsonl"] in groups
    assert max(map(len, groups)) == 2


def decoy(protocol: Protocol, path: Path) -> Path:
    """A file of eleven reports."""
    return written.write(path, written.payloads(protocol, [0] * 11, seed=9))


@pytest.mark.parametrize("name", ["a*b", "a?b", "[a]xb", "a[!y]b", "**", "[]]", 'a\'b "c"', "[*?"])
def test_the_name_of_a_file_is_not_a_pattern(name: str, tmp_path: Path) -> None:
    protocol = small("galois")
    for form in written.FORMS:
        decoy(protocol, tmp_path / f"axb.{form}")
    people = range(1, len(written.FORMS) + 1)
    files = [
        written.write(tmp_path / f"{name}.{form}", written.payloads(protocol, [1] * n, seed=n))
        for n, form in zip(people, written.FORMS, strict=True)
    ]
    assert [Collector(protocol).tally(path).tally.n for path in files] == [*people]
    run = tally_files(protocol, files, tmp_path / "week.json")
    assert run.collected.tally.n == sum(people)


def test_a_link_is_read_by_its_own_name_from_any_folder(tmp_path: Path) -> None:
    protocol, (store, inbox) = small("galois"), (tmp_path / "store", tmp_path / "inbox")
    store.mkdir()
    inbox.mkdir()
    for form in written.FORMS:
        kept = decoy(protocol, store / f"kept.{form}").rename(store / form.replace(".", "-"))
        link = inbox / f"monday.{form}"
        link.symlink_to(kept)
        with naming(form):
            assert Collector(protocol).tally(link).tally.n == 11


@pytest.mark.parametrize("folder", ["batch=tue", "line=x", "filename=x"])
def test_the_name_of_a_folder_is_not_a_column(folder: str, tmp_path: Path) -> None:
    protocol = small("galois")
    (tmp_path / folder).mkdir()
    sent = written.payloads(protocol, [0, 1], seed=1)
    for form in written.FORMS:
        path = written.write(
            tmp_path / folder / f"part.{form}", sent, batch=["mon"] * 2, filename=["a", "b"]
        )
        found = Collector(protocol).tally(path)
        with naming(form):
            assert found.tally.n == 2
            assert "batch:mon" in found.batches
            assert len(found.batches) == 2
