"""The list names everything that is registered, once, with the policies that it keeps."""

from click.testing import CliRunner

from caldp_core.cli.commands import main
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.scenarios.scenario import SLOTS


def read_listing() -> dict[str, dict[str, str]]:
    """Heading → name → what is said of it."""
    done = CliRunner().invoke(main, ["list"])
    assert done.exit_code == 0, done.output
    sections: dict[str, dict[str, str]] = {}
    for line in done.stdout.splitlines():
        if not line.startswith(" "):
            sections[line] = {}
            continue
        heading, name = list(sections)[-1], line[2:26].strip()
        if name:
            assert name not in sections[heading]
            sections[heading][name] = line[26:]
        else:
            sections[heading][list(sections[heading])[-1]] += "\n" + line[26:]
    return sections


def test_everything_registered_is_listed_once() -> None:
    sections = read_listing()
    # What is listed is what a scenario can name, so `run` and `audit` take it.
    assert list(sections["Mechanisms"]) == list(SLOTS["mechanism"][1]) == ["best", *MECHANISMS]
    assert list(sections["Policies"]) == list(SLOTS["policy"][1])
    assert list(sections["Estimators"]) == list(ESTIMATORS)
    for name, entry in MECHANISMS.items():
        assert entry.title in sections["Mechanisms"][name]
        assert entry.source in sections["Mechanisms"][name]


def test_policies_and_parameters_are_told() -> None:
    mechanisms = read_listing()["Mechanisms"]
    assert mechanisms["rappor"].endswith("keeps: context, personal-tags; parameter: theta")
    assert mechanisms["grid-geometric"].endswith("keeps: streets, line")
    assert mechanisms["exponential"].endswith("keeps: streets, crow-flies, line, distances")
