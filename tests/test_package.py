"""The wheel has all that it needs: installed in an empty environment, away from the repository."""

import json
import os
import socket
import subprocess
import sys
import tomllib
import venv
from pathlib import Path
from urllib.request import urlopen

import pytest

from benchmarks.server import ROOT, Server, await_health, free_port, running_program
from tests.waiting import PATIENCE

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
print(len(at.markdown))
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
    names = {each.partition(">")[0].partition("~")[0].lower()
             for each in project["optional-dependencies"]["dashboard"]}  # fmt: skip
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
