"""The command `dashboard`: open the dashboard that `caldp[dashboard]` installs."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import click


@click.command("dashboard", context_settings={"ignore_unknown_options": True})
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
def dashboard_command(options: tuple[str, ...]) -> None:
    """Open the dashboard in the browser; OPTIONS are those of `streamlit run`.

    For example: caldp dashboard --server.port 8600
    """
    script = _script()
    if script is None or find_spec("streamlit") is None:
        raise click.ClickException(
            "The dashboard is not installed; run pip install '.[dashboard]' in caldp's folder."
        )
    # -P: what lies in the reader's folder under the name of a module is not taken for it.
    command = [sys.executable, "-P", "-m", "streamlit", "run", script, *options]
    if os.name == "posix":
        os.execv(sys.executable, command)  # a signal that ends this command ends the server
    sys.exit(subprocess.call(command))


def _script() -> str | None:
    """The dashboard's `app.py`: inside its package if installed, beside it in the repository."""
    spec = find_spec("caldp_ui")
    if spec is None or spec.origin is None:
        return None
    package = Path(spec.origin).parent
    scripts = (package / "dashboard" / "app.py", package.parent / "app.py")
    return next((str(script) for script in scripts if script.exists()), None)
