"""What is in deploy/ agrees with itself and with the app; tests/browser/test_fleet.py runs it."""

import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.server import free_port
from caldp_ui.app.theme import ANCESTORS, WORKER
from deploy.health import answers, request
from deploy.nginx import main

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
DOCS = (ROOT / "docs/deploy.md").read_text("utf-8")
COMPOSE = (DEPLOY / "compose.yaml").read_text("utf-8")


def site(*arguments: str) -> str:
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    return done.output


def test_the_site_that_ships_is_that_of_the_compose_files_workers() -> None:
    found = re.findall(r"CALDP_WORKER: (\w+)\n.*\n\s+inside: .*ipv4_address: ([\d.]+)", COMPOSE)
    assert [name for name, _ in found] == ["w1", "w2"]
    made = site(*(f"{name}={address}:8501" for name, address in found))
    assert (DEPLOY / "caldp.conf").read_text("utf-8") == made


def test_a_worker_is_answered_for_by_all_others() -> None:
    made = site("w1=a:1", "w2=b:2", "w3=c:3")
    (block,) = re.findall(r"upstream w2 \{(.*?)\}", made, re.DOTALL)
    first, *others = re.findall(r"server (.*);", block)
    assert first.startswith("b:2 max_fails=1")
    assert others == ["a:1 backup", "c:3 backup"]
    shares = [float(share) for share in re.findall(r"([\d.]+)% w\d;", made)]
    assert shares == [33.33, 33.33]


def test_https_is_for_all_or_not_at_all() -> None:
    secure = site("w1=a:1", "--listen", "443", "--certificate", "/c", "--key", "/k")
    assert "return 301 https://" in secure
    assert "ssl" not in site("w1=a:1")
    half = CliRunner().invoke(main, ["w1=a:1", "--certificate", "/c"])
    assert "give both, or none" in half.output
    unnamed = CliRunner().invoke(main, ["a:1"])
    assert "name=host:port" in unnamed.output


def test_the_docs_name_the_variables_that_the_app_reads() -> None:
    for name in (WORKER, ANCESTORS):
        assert f"`{name}" in DOCS
    set_by_images = re.findall(r"\b([A-Z][A-Z_]{7,})=", (DEPLOY / "Dockerfile").read_text("utf-8"))
    known = {"PYTHONDONTWRITEBYTECODE", "STREAMLIT_SERVER_HEADLESS"}
    assert {name for name in set_by_images if name not in DOCS} <= known


def test_the_image_holds_what_the_app_imports() -> None:
    kept = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    names = [line[1:] for line in kept if line.startswith("!")]
    assert kept[0] == "*"
    assert all((ROOT / name).exists() for name in names)
    sources = [ROOT / "app.py", *(ROOT / "caldp_ui").rglob("*.py"), *(ROOT / "pages").glob("*.py")]
    own = {
        path.name for path in ROOT.iterdir() if path.is_dir() and (path / "__init__.py").exists()
    }
    used = {
        name
        for path in sources
        for name in re.findall(r"^\s*(?:from|import) (\w+)", path.read_text("utf-8"), re.MULTILINE)
    }
    assert used & own <= set(names)


class Worker(BaseHTTPRequestHandler):
    """Is well for one name, below one path."""

    def do_GET(self) -> None:
        well = self.path == "/class/_stcore/health" and self.headers["host"] == "caldp.example"
        self.send_response(200 if well else 421)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def port() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Worker) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield str(server.server_port)
        server.shutdown()


def test_health_is_asked_for_as_visitors_ask(port: str) -> None:
    here = {
        "STREAMLIT_SERVER_PORT": port,
        "STREAMLIT_SERVER_BASE_URL_PATH": "/class/",
        "STREAMLIT_SERVER_ALLOWED_HOSTS": "caldp.example localhost",
    }
    assert answers(request(here))
    assert not answers(request({**here, "STREAMLIT_SERVER_ALLOWED_HOSTS": "other.example"}))
    with free_port() as silent:
        assert not answers(request({**here, "STREAMLIT_SERVER_PORT": str(silent)}))
    assert request({}).full_url == "http://127.0.0.1:8501/_stcore/health"
