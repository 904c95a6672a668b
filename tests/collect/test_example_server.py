"""The example server of a collection, and the page that walks through a collection with it."""

import io
import json
import re
import runpy
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, redirect_stdout, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from http.client import HTTPConnection
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final
from urllib.request import urlopen

import pytest
from click.testing import CliRunner

from caldp_core.cli.commands import main
from tests import ROOT, require_software
from tests.collect.protocols import text_of, words_of
from tests.collect.test_client import NODE
from tests.contract.checks import naming
from tests.servers import PATIENCE, missing_nginx, site_of_nginx, until

EXAMPLE: Final = ROOT / "examples" / "collection" / "server.py"
FULL: Final = Path("/dev/full")
PAGES: Final = ("form.html", "client.js", "protocol.json")


class Running:
    """The example on a free port; `ask` sends bytes and reads the answer to its end."""

    def __init__(self, folder: Path, port: int, collector: Any, metrics: Any) -> None:
        self.folder, self.port = folder, port
        self.collector, self.metrics = collector, metrics

    def ask(self, request: str, body: bytes = b"") -> tuple[int, bytes]:
        """Status and contents of the answer to a request's lines, separated by "\\n"."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as line:
            line.sendall(request.replace("\n", "\r\n").encode() + b"\r\n\r\n" + body)
            line.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: line.recv(1 << 16), b""))
        head, _, contents = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), contents

    def get(self, path: str) -> tuple[int, bytes]:
        return self.ask(f"GET {path} HTTP/1.1")


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    for name in (*PAGES, "scenario.json"):
        (tmp_path / name).write_text(f"contents of {name}", "utf-8")
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "2026-11-25.jsonl").write_text("a report\n", "utf-8")
    module: dict[str, Any] = runpy.run_path(str(EXAMPLE))
    monkeypatch.setattr(module["Collector"], "seconds", PATIENCE)
    handler = partial(module["Collector"], directory=str(tmp_path))
    server_class: type[ThreadingHTTPServer] = module.get("Server", ThreadingHTTPServer)
    with server_class(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield Running(tmp_path, server.server_port, module["Collector"], module["Metrics"])
        server.shutdown()


def test_the_form_and_what_it_needs_are_all_that_is_handed_out(running: Running) -> None:
    for name in PAGES:
        assert running.get(f"/{name}") == (200, f"contents of {name}".encode())
    for path in (
        "/",
        "/reports",
        "/reports/",
        "/reports/2026-11-25.jsonl",
        "/scenario.json",
        "//form.html/",
        "/client.js/../scenario.json",
        "/form.html/../reports/2026-11-25.jsonl",
        "/%2e/reports/",
        "/form.html?/../reports/",
        "http://a/reports/",
    ):
        with naming(path):
            status, contents = running.get(path)
            assert status == 404
            assert b"2026-11-25.jsonl" not in contents.replace(path.encode(), b"")
            assert running.ask(f"HEAD {path} HTTP/1.1") == (404, b"")


def post(length: str, path: str = "/reports") -> str:
    return f"POST {path} HTTP/1.1\nContent-Length: {length}"


def test_a_folder_is_asked_for_in_one_sentence(tmp_path: Path) -> None:
    full = tmp_path / "full"
    full.mkdir()
    for name in (*PAGES, "reports"):  # a file, where reports cannot be written
        (full / name).touch()
    for words in (
        [],
        [str(tmp_path)],
        [str(tmp_path / "none")],
        [str(full)],
        ["a", "b"],
        [".", "--port", "x"],
    ):
        done = subprocess.run(
            [sys.executable, str(EXAMPLE), *words], capture_output=True, text=True, check=False
        )
        with naming(str(words)):
            assert (done.returncode, done.stdout) == (2, "")
            assert done.stderr.startswith("usage: server.py [-h]")
            assert done.stderr.splitlines()[-1].startswith("server.py: error: ")


def test_its_health_is_for_everybody_and_its_figures_are_on_another_port(running: Running) -> None:
    assert running.get("/health") == (200, b"ok\n")
    for path in ("/metrics", "/health/", "/healthy"):
        assert running.get(path)[0] == 404
    body = b'{"protocol":"0123456789abcdef","report":{"sad":1,"q-2":"AAE="}}'
    assert running.ask(post(str(len(body))), body) == (204, b"")
    handler = partial(running.metrics, directory=str(running.folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        other = Running(running.folder, server.server_port, running.collector, running.metrics)
        figures = other.get("/metrics")[1].decode()
        for path in ("/health", "/form.html", "/reports"):
            assert other.get(path)[0] == 404
        assert other.ask(post(str(len(body))), body)[0] == 404
        server.shutdown()
    counted = dict(re.findall(r'status="(\d+)"} (\d+)', figures))
    assert counted == {"200": "1", "204": "1", "404": "3"}


def test_behind_nginx_as_the_page_says_no_address_is_written(
    running: Running, tmp_path: Path
) -> None:
    require_software(missing_nginx(), "CALDP_BROWSER_REQUIRED")
    page, port = text_of("tutorials/running.md"), free_port()
    site = re.sub("  ssl_.*\n", "", page.split("```nginx\n")[1].partition("```")[0])
    site = site.replace("443 ssl", f"127.0.0.1:{port}").replace(":8000", f":{running.port}")
    body = b'{"protocol":"0123456789abcdef","report":1}'
    with site_of_nginx(tmp_path, site):
        until(lambda: is_open(port))
        line = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        for path, sent, right in (
            ("/form.html", None, 200),
            ("/reports/2026-11-25.jsonl", None, 404),
            ("/reports", body, 204),
            ("/reports", body.ljust((1 << 16) + 1), 413),
        ):
            line.request("POST" if sent else "GET", path, sent)
            with line.getresponse() as answer:
                assert answer.status == right
            line.close()
    logs = [each for each in tmp_path.rglob("*") if each.is_file() and each.name != "caldp.conf"]
    assert not [each.name for each in logs if b"127.0.0.1" in each.read_bytes()]


RUNNING: Final = re.compile(
    r"^ {4}(\S[^\n]*)$|^```(python|js)\n(.*?)^```$", re.DOTALL | re.MULTILINE
)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as line:
        port: int = line.getsockname()[1]
        return port


def is_open(port: int) -> bool:
    with suppress(OSError), urlopen(f"http://127.0.0.1:{port}/health") as answer:
        return bool(answer.read() == b"ok\n")
    return False


@pytest.mark.slow
def test_a_collection_runs_as_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the page's own server, devices in both languages and tally; only its ports are free."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    visitors, metrics, page = free_port(), free_port(), text_of("tutorials/running.md")
    page = page.replace("8001", str(metrics)).replace("8000", str(visitors))
    known: dict[str, Any] = {}
    steps = RUNNING.findall(re.sub(r"^( {4}\S.*)$", r"\1\n", page, flags=re.MULTILINE))
    assert len(steps) == 11
    with ExitStack() as ended:
        for command, language, code in steps:
            with naming(command or code):
                if command.startswith("python examples/"):
                    words = [sys.executable, *command.split()[1:]]
                    server = ended.enter_context(subprocess.Popen(words))
                    ended.callback(server.terminate)
                    until(lambda: is_open(visitors))
                elif command.startswith("caldp "):
                    done = CliRunner().invoke(main, words_of(command.removeprefix("caldp ")))
                    assert done.exit_code == 0, done.output
                elif command:
                    subprocess.run(shlex.split(command), check=True)
                elif language == "js":
                    Path("devices.mjs").write_text(code, "utf-8")
                    subprocess.run([str(NODE), "devices.mjs"], check=True, timeout=120)
                else:
                    with redirect_stdout(io.StringIO()) as printed:
                        exec(code, known)
                    assert printed.getvalue().splitlines() == re.findall(
                        r"^# (.*)$", code, re.MULTILINE
                    )
        with urlopen(f"http://127.0.0.1:{metrics}/metrics") as answer:
            figures = answer.read().decode()
    assert 'caldp_answers_total{status="204"} 400' in figures
    assert json.loads(Path("record.json").read_text("utf-8"))["reports"] == 400


def test_a_post_that_is_wrong_gets_one_answer_and_is_written_nowhere(
    running: Running, capfd: pytest.CaptureFixture[str]
) -> None:
    for request, right in (
        (post("abc"), 400),
        (post("-1"), 400),
        (post("+3"), 400),
        (post("²"), 400),
        (post(""), 400),
        (post("3"), 400),
        (post("9" * 5000), 413),
        (post(str(10**6)), 413),
        (post("3", "/elsewhere"), 404),
        ("POST /reports HTTP/1.1", 411),
    ):
        with naming(request[:60]):
            assert running.ask(request)[0] == right
    assert capfd.readouterr() == ("", "")
    assert [file.name for file in (running.folder / "reports").iterdir()] == ["2026-11-25.jsonl"]


def test_a_body_that_never_comes_is_not_waited_for(
    running: Running, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running.collector, "seconds", 0.1)
    head = "POST /reports HTTP/1.1\r\nContent-Le"
    for start, right in ((f"{head}ngth: 30\r\n\r\n{{", b"400"), (head, b"411")):
        with socket.create_connection(("127.0.0.1", running.port), timeout=PATIENCE) as line:
            line.sendall(start.encode())
            answer = b"".join(iter(lambda: line.recv(1 << 16), b""))
        assert answer.split()[1] == right
    assert capfd.readouterr() == ("", "")


def test_what_fails_on_a_line_is_said_without_its_address(
    running: Running, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(running.folder / "reports")
    body = b'{"protocol":"0123456789abcdef","report":1}'
    assert running.ask(post(str(len(body))), body)[0] == 507
    monkeypatch.delattr(running.collector, "send_text")
    with pytest.raises(IndexError):
        running.get("/health")
    out, errors = capfd.readouterr()
    assert out == ""
    assert [each.partition("(")[0] for each in errors.splitlines()] == [
        "FileNotFoundError",
        "AttributeError",
    ]
    assert "127.0.0.1" not in errors


@pytest.mark.skipif(not FULL.exists(), reason="Linux has a disk that is always full")
def test_a_report_without_room_is_refused_and_one_that_was_cut_off_spoils_no_other(
    running: Running, capfd: pytest.CaptureFixture[str]
) -> None:
    reports, body = running.folder / "reports", b'{"protocol":"0123456789abcdef","report":1}'
    today = datetime.now(UTC).date()
    days = [reports / f"{today + timedelta(days=n)}.jsonl" for n in range(2)]  # two at midnight
    for day in days:
        day.symlink_to(FULL)
    assert running.ask(post(str(len(body))), body)[0] == 507
    assert "No space left on device" in capfd.readouterr().err
    for day in days:
        day.unlink()
        day.write_bytes(body + b"\n" + body[:20])
    assert running.ask(post(str(len(body))), body) == (204, b"")
    kept = max(days, key=lambda day: day.stat().st_size).read_bytes()
    assert kept.split(b"\n") == [body, body[:20], body, b""]


def test_of_a_message_the_protocol_and_the_report_are_kept_alone(running: Running) -> None:
    reports = running.folder / "reports"
    (reports / "2026-11-25.jsonl").unlink()
    mark = "0123456789abcdef"
    good: list[dict[str, Any]] = [
        {"protocol": mark, "report": 1, "batch": "x", "a text": "that somebody chose"},
        {"report": "AAE=", "protocol": mark},
        {"report": {"sad": 1, "q-2": "AAE="}, "protocol": mark},
    ]
    for message in good:
        body = json.dumps(message, indent=1).encode()
        assert running.ask(post(str(len(body))), body) == (204, b"")
    wrong_reports = (
        b"true",
        b"-1",
        b"1.0",
        b"NaN",
        b"null",
        b"[1]",
        b"9" * 19,
        b'"a text"',
        b'""',
        b'"AAE=\\n"',
        b"{}",
        b'{"a": true}',
        b'{"a b": 1}',
        b'{"a": {"b": 1}}',
    )
    for body in (
        b"1",
        b"[]",
        b"null",
        b"\xff",
        b"{",
        b"[" * 60_000,
        b"9" * 5000,
        b'{"report": 1}',
        b'{"protocol": "0123456789abcdef"}',
        b'{"protocol": 1, "report": 1}',
        b'{"protocol": "0123456789abcdeF", "report": 1}',
        *(b'{"protocol": "0123456789abcdef", "report": %b}' % report for report in wrong_reports),
    ):
        with naming(str(body[:60])):
            assert running.ask(post(str(len(body))), body)[0] == 400
    days = "".join(day.read_text("utf-8") for day in sorted(reports.iterdir()))  # two at midnight
    kept = [{"protocol": mark, "report": message["report"]} for message in good]
    assert [json.loads(line) for line in days.splitlines()] == kept
