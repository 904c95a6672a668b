"""Where SNAP's file is kept, and the command that fetches it."""

import json
import pathlib

import pytest
from click.testing import CliRunner

from caldp_core.cli.fetch import fetch_command
from caldp_core.datasets import Snap, cache_folder, fetch, fetch_gowalla
from tests.file_server import NAME, ROWS, serving


@pytest.fixture
def server(monkeypatch):
    with serving(monkeypatch) as it:
        yield it


def test_where_files_are_kept(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache_folder() == pathlib.Path("/somewhere/caldp")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(pathlib.Path, "home", lambda: pathlib.Path("/home/ann"))
    for platform, folder in (
        ("linux", "/home/ann/.cache/caldp"),
        ("darwin", "/home/ann/Library/Caches/caldp"),
        ("win32", "/local/caldp"),
    ):
        monkeypatch.setattr(fetch.sys, "platform", platform)
        monkeypatch.setenv("LOCALAPPDATA", "/local")
        assert cache_folder() == pathlib.Path(folder)


def test_the_default_folder_is_the_cache(server, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert fetch_gowalla(server.url) == tmp_path / "caldp" / NAME


def test_the_command_says_where_the_file_is_and_how_to_use_it(server, tmp_path):
    result = CliRunner().invoke(
        fetch_command, ["gowalla", "--folder", str(tmp_path), "--url", server.url]
    )
    assert result.exit_code == 0
    assert str(tmp_path / NAME) in result.stdout
    line = next(line for line in result.stdout.splitlines() if '"dataset": ' in line)
    slot = json.loads(line.partition('"dataset": ')[2])
    assert slot.pop("kind") == "snap"
    assert Snap(**slot).load().n == ROWS


def test_the_command_tells_errors_in_one_sentence(server, tmp_path):
    server.status = 404
    result = CliRunner().invoke(
        fetch_command, ["gowalla", "--folder", str(tmp_path), "--url", server.url]
    )
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "HTTP error 404" in result.stderr.splitlines()[-1]
    assert "Traceback" not in result.stderr


def test_the_command_has_help():
    result = CliRunner().invoke(fetch_command, ["gowalla", "--help"])
    assert result.exit_code == 0
    assert "snap.stanford.edu" in result.stdout
