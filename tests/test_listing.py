"""The list names everything that is registered, once, under the policy that it keeps."""

from click.testing import CliRunner

from caldp_core.cli.commands import main
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.mechanisms.catalogue import MECHANISMS


def test_everything_registered_is_listed_once() -> None:
    done = CliRunner().invoke(main, ["list"])
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    heads = [at for at, line in enumerate(lines) if not line.startswith(" ")]
    names = [line.split()[0] for at, line in enumerate(lines) if at not in heads]
    assert sorted(names) == sorted([*MECHANISMS, *ESTIMATORS])
    for name, entry in MECHANISMS.items():
        at = next(i for i, line in enumerate(lines) if line.split()[0] == name)
        assert entry.title in lines[at]
