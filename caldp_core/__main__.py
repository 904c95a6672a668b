"""`python -m caldp_core`: see `cli/commands.py`."""

from caldp_core.cli.commands import main

main(prog_name="python -m caldp_core")
