"""Files are read within a bound, and written as a whole or not at all."""

from pathlib import Path
from typing import Any

import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.files import check_output, read_text, whole_file, write_whole


def read(path: Any) -> str:
    return read_text(path, "The list", 10, "give a list")


def test_a_text_is_read_within_its_bound(tmp_path: Path) -> None:
    (tmp_path / "right").write_bytes("zehn: ää".encode())
    (tmp_path / "long").write_bytes(b"x" * 11)
    (tmp_path / "latin").write_bytes("ä".encode("latin-1"))
    assert read(tmp_path / "right") == "zehn: ää"
    for wrong, words in {
        tmp_path / "long": "may have at most 10 bytes",
        tmp_path / "latin": "must be text in UTF-8; give a list",
        tmp_path / "gone": "can't be read: No such file",
        tmp_path: "can't be read: Is a directory",
        "\0": "can't be read: embedded null",
        None: "give its path, got one of type NoneType",
    }.items():
        with pytest.raises(CaldpError, match=f"^The list .*{words}"):
            read(wrong)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a device of Unix")
def test_a_device_without_an_end_is_read_to_the_bound_alone() -> None:
    with pytest.raises(CaldpError, match="may have at most 10 bytes"):
        read("/dev/zero")


class Stopped(Exception):
    """What a hand on Ctrl-C does in mid-work."""


def write_half(path: Path) -> None:
    with whole_file(path) as part:
        part.write_text("half", "utf-8")
        raise Stopped


def test_a_file_is_there_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "out"
    for before in (None, "old"):
        if before is not None:
            write_whole(path, before)
        with pytest.raises(Stopped):
            write_half(path)
        assert [each.read_text("utf-8") for each in tmp_path.iterdir()] == [before][: path.exists()]
    path.chmod(0o600)
    write_whole(path, "new\n")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new\n", 0o600)
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_one_and_a_device_is_no_file(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old", "utf-8")
    link.symlink_to(target)
    write_whole(link, "new")
    assert (link.is_symlink(), target.read_text("utf-8")) == (True, "new")
    device = Path("/dev/full")
    if device.exists():
        with pytest.raises(CaldpError, match="'/dev/full' can't be written: No space left"):
            write_whole(device, "new")
        assert device.is_char_device()


def test_a_place_for_an_output_is_asked_for_before_it_is_needed(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("kept", "utf-8")
    (tmp_path / "same").symlink_to(tmp_path / "in")
    check_output(tmp_path / "out", tmp_path / "in", None, str(tmp_path / "gone"))
    assert not (tmp_path / "out").exists()
    for inputs in ([tmp_path / "in"], [None, str(tmp_path / "same")]):
        with pytest.raises(CaldpError, match="is read by this command and would be lost"):
            check_output(tmp_path / "in", *inputs)
    with pytest.raises(CaldpError, match="can't be written: No such file or directory"):
        check_output(tmp_path / "gone" / "out")
    assert (tmp_path / "in").read_text("utf-8") == "kept"
