"""The list names everything that is registered, once, with the policies that it keeps."""

from click.testing import CliRunner

from caldp_core.cli.commands import main
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.scenarios.kinds import SLOTS


def listed() -> dict[str, dict[str, str]]:
    """Heading → name → what is said of it."""
    done = CliRunner().invoke(main, ["list"])
    assert done.exit_code == 0, done.output
    told: dict[str, dict[str, str]] = {}
    for line in done.stdout.splitlines():
        if not line.startswith(" "):
            told[line] = {}
            continue
        heading, name = list(told)[-1], line[2:26].strip()
        if name:
            assert name not in told[heading]
            told[heading][name] = line[26:]
        else:
            told[heading][list(told[heading])[-1]] += "\n" + line[26:]
    return told


def test_everything_registered_is_listed_once() -> None:
    told = listed()
    # What is listed is what a scenario can name, so `run` and `audit` take it.
    assert list(told["Mechanisms"]) == list(SLOTS["mechanism"][1]) == ["best", *MECHANISMS]
    assert list(told["Policies"]) == list(SLOTS["policy"][1])
    assert list(told["Estimators"]) == list(ESTIMATORS)
    for name, entry in MECHANISMS.items():
        assert entry.title in told["Mechanisms"][name]
        assert entry.source in told["Mechanisms"][name]


def test_policies_and_parameters_are_told() -> None:
    told = listed()["Mechanisms"]
    assert told["rappor"].endswith("keeps: context, personal-tags; parameter: theta")
    assert told["grid-geometric"].endswith("keeps: streets, line")
    assert told["exponential"].endswith("keeps: streets, crow-flies, line, distances")
