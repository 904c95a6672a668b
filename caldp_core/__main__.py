"""`python -m caldp_core`: see `cli.py`."""

from caldp_core.cli import main

main(prog_name="python -m caldp_core")
