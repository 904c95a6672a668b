"""The command line, run by `python -m caldp_core`; its commands are in `cli/commands.py`."""

from caldp_core.cli.commands import main

main(prog_name="python -m caldp_core")
