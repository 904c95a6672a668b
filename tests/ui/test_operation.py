"""What a worker reports to its operator: lines of its log, and figures for Prometheus."""

import json
import re
from collections import Counter
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from starlette.types import Message, Receive, Scope, Send

from caldp_ui.app import operation
from caldp_ui.app.operation import Log, Operation
from caldp_ui.app.theme import Settings
from tests.servers import free_port, running_server
from tests.visits import Visitor
from tests.waiting import run


def lines_of(log_form: str, moments: list[float]) -> list[str]:
    """The lines of a log for an event at each of these moments, in seconds."""
    lines, now = list[str](), iter(moments)
    log = Log(Settings("w1", log=log_form), lines.append, lambda: next(now))
    for _ in moments:
        log.write("visit ends", seconds=1.25)
    return lines


def test_line_has_time_worker_event_and_figures_in_either_form() -> None:
    (plain,), (as_json,) = lines_of("text", [0.0]), lines_of("json", [0.0])
    assert re.fullmatch(
        r'time="20\d\d-\S+\+00:00" worker="w1" event="visit ends" seconds=1\.25\n', plain
    )
    record = json.loads(as_json)
    assert list(record) == ["time", "worker", "event", "seconds"]
    assert (record["worker"], record["event"], record["seconds"]) == ("w1", "visit ends", 1.25)
    assert lines_of("", [0.0]) == []


def test_flood_of_events_writes_ten_lines_a_second_and_counts_the_rest() -> None:
    lines = [json.loads(line) for line in lines_of("json", [*[0.0] * 500, 1.0, 1.01])]
    assert len(lines) == 12
    assert [line.get("left_out") for line in lines] == [*[None] * 10, 490, None]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"type": "http.response.start", "status": 429}, "429"),
        ({"type": "http.response.start", "status": 503}, "503"),
        ({"type": "websocket.close", "code": 1008}, "1008"),
        ({"type": "http.response.start", "status": 404}, None),
        ({"type": "http.response.start", "status": 200}, None),
        ({"type": "websocket.close", "code": 1001}, None),
    ],
)
def test_refusals_are_counted_by_code_and_pass_unchanged(message: Message, code: str) -> None:
    passed = list[Message]()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send(message)

    async def receive() -> Message:
        raise AssertionError

    async def send(message: Message) -> None:
        passed.append(message)

    def refused() -> Counter[str]:
        samples = (sample for metric in operation._REFUSED.collect() for sample in metric.samples)
        return Counter(
            {s.labels["code"]: int(s.value) for s in samples if s.name == "caldp_refused_total"}
        )

    before = refused()
    run(Operation(app)({"type": "http"}, receive, send))
    assert passed == [message]
    assert refused() - before == Counter([code] if code else [])


def test_server_logs_visits_and_refusals_and_shows_figures_on_its_own_port(tmp_path: Path) -> None:
    with free_port() as port:
        variables = {"CALDP_LOG": "json", "CALDP_METRICS": str(port), "CALDP_WORKER": "w1"}
        with running_server(tmp_path, variables=variables) as server:
            figures = run(visited(server.address, f"http://127.0.0.1:{port}/metrics"))
        (log,) = tmp_path.glob("*.log")
        said = log.read_text("utf-8")
    lines = [json.loads(line) for line in said.splitlines() if line.startswith('{"time"')]
    events = [line["event"] for line in lines]
    assert "ScriptRunContext" not in said  # of which Streamlit warns where no page is run
    assert events[0] == "server starts"
    assert events[-1] == "server ends"
    assert sorted(events[1:-1]) == ["refused", "visit begins", "visit ends"]
    assert [line["code"] for line in lines if line["event"] == "refused"] == [421]
    assert "127.0.0.1" not in "".join(map(json.dumps, lines))
    assert "caldp_visits 1.0" in figures
    assert re.search(r"caldp_run_seconds_count [1-9]", figures)
    assert 'caldp_refused_total{code="421"} 1.0' in figures


async def visited(address: str, metrics: str) -> str:
    """The figures of a server while one visit is there, and after a request by a foreign name."""
    visitor = await Visitor.open(address, "room", "room-open")
    with pytest.raises(HTTPError):
        urlopen(Request(address, headers={"Host": "evil.example"}), timeout=10)
    await visitor.press("room-open", "room-keeper")  # the first run has ended then
    with urlopen(metrics, timeout=10) as answer:
        figures: str = answer.read().decode()
    await visitor.close()
    return figures
