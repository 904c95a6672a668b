"""A week of a collection with made-up people, from the scenario to shares, intervals and a record.

    python examples/collection/week.py FOLDER --people 100000

Each of them answers by the JavaScript client in Chromium, as on a web page (which takes
`pip install playwright` and a Chromium); with --python by the Python client. FOLDER then has all
files that a real collection has. Their answers are drawn here from shares that are made up as
well, so that the estimate can be held against them.
"""

import csv
import json
import shutil
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, TypeAlias

import click
import numpy as np

from caldp_core import Client, Protocol, Scenario, prepare
from caldp_core.cli.commands import main as caldp
from caldp_core.collect import js

HERE: Final = Path(__file__).parent
DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
WEIGHTS: Final = (24, 18, 15, 13, 12, 10, 8)
"""Of 100 people, how many answer on which day: most at once, as people do."""
QUESTION: Final = "What kept you at home last winter?"
Answer: TypeAlias = Callable[[Protocol, Sequence[str]], list[dict[str, Any]]]
"""A protocol and one answer per person → one message per person."""
STRAYS: Final[dict[str, list[dict[str, Any]]]] = {
    "wednesday": [{"protocol": "0" * 16, "report": "AAE="}] * 40,  # phones with last year's app
    "friday": [{"report": None}] * 3,  # lines that broke off
    "saturday": [{"report": "//8="}] * 12,  # somebody who tries what the collector takes
}
"""What comes in by day beside the reports, as in every collection; `caldp tally` refuses it."""


def in_python(protocol: Protocol, answers: Sequence[str]) -> list[dict[str, Any]]:
    """Messages of all people by the Python client."""
    client = Client(protocol)
    return [client.message(answer) for answer in answers]


def in_browser(page: Any) -> Answer:
    """A function that makes messages by the JavaScript client, in this page of Playwright's."""
    source = (Path(js.__file__).parent / "client.js").read_text("utf-8")
    script = """async ([source, protocol, answers]) => {
        const url = URL.createObjectURL(new Blob([source], {type: "text/javascript"}));
        const {Client} = await import(url);
        const client = new Client(protocol);
        return answers.map(answer => client.message(answer));
    }"""

    def answer(protocol: Protocol, answers: Sequence[str]) -> list[dict[str, Any]]:
        messages: list[dict[str, Any]] = page.evaluate(
            script, [source, protocol.to_dict(), answers]
        )
        return messages

    return answer


def run_week(folder: Path, people: int, answer: Answer, seed: int = 1) -> list[str]:
    """Writes all files of the week into `folder`; returns the answers, a label per person."""
    (folder / "reports").mkdir(parents=True)
    shutil.copy(HERE / "form.html", folder)
    run("client", "-o", folder / "client.js")
    protocol_file = folder / "protocol.json"
    run("protocol", HERE / "scenario.json", "--question", QUESTION, "-o", protocol_file)
    protocol = Protocol.from_file(protocol_file)
    truth, names = shares(), protocol.labels
    answers = [names[i] for i in np.random.default_rng(seed).choice(len(names), people, p=truth)]
    ends = [people * sum(WEIGHTS[:number]) // 100 for number in range(len(DAYS) + 1)]
    for (start, end), day in zip(pairwise(ends), DAYS, strict=True):
        messages = answer(protocol, answers[start:end])
        reports = folder / "reports" / f"{day}.jsonl"
        sent = (*messages, *STRAYS.get(day, []))
        lines = (json.dumps(message | {"batch": day}) for message in sent)
        reports.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        # Each day alone, as it could be on seven machines.
        # Of a few people the strays are many.
        run("tally", protocol_file, reports, "-o", folder / f"{day}.tally.json", "--max-refused", 1)
    tallies = [folder / f"{day}.tally.json" for day in DAYS]
    run("merge", *tallies, "-o", folder / "week.tally.json")
    run(
        "estimate",
        protocol_file,
        folder / "week.tally.json",
        "-o",
        folder / "estimate.csv",
        "--record",
        folder / "record.json",
    )
    return answers


def shares() -> np.ndarray[Any, np.dtype[np.float64]]:
    """(k,) shares that the made-up people are drawn from: the scenario's, which no device has."""
    return prepare(Scenario.from_file(HERE / "scenario.json")).dataset.distribution


def run(*words: object) -> None:
    """Runs a command of `caldp` within this process."""
    caldp([str(word) for word in words], standalone_mode=False)


def table(folder: Path, answers: Sequence[str]) -> str:
    """The estimate beside what the made-up people truly answered, in per cent."""
    rows = csv.DictReader((folder / "estimate.csv").read_text("utf-8").splitlines())
    lines = [f"{'answer':<24}{'truth':>7}{'estimate':>10}   95 % sure"]
    for row in rows:
        truth = answers.count(row["answer"]) / len(answers)
        share, low, high = (float(row[name]) for name in ("estimated share", "low", "high"))
        lines.append(
            f"{row['answer']:<24}{100 * truth:7.1f}{100 * share:10.1f}"
            f"   {100 * low:.1f} to {100 * high:.1f}"
        )
    return "\n".join(lines)


@click.command()
@click.argument("folder", type=click.Path(exists=False, path_type=Path))
@click.option("--people", type=click.IntRange(1, 10**7), default=100_000, show_default=True)
@click.option("--python", is_flag=True, help="By the Python client instead of Chromium.")
def main(folder: Path, people: int, python: bool) -> None:
    """Collect a week of made-up answers into FOLDER."""
    if python:
        answers = run_week(folder, people, in_python)
    else:
        from playwright.sync_api import sync_playwright

        chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium)
            answers = run_week(folder, people, in_browser(browser.new_page()))
            browser.close()
    click.echo(table(folder, answers))


if __name__ == "__main__":
    main()
