"""What a visit brings is the visit's alone: its vault, and files that nobody else finds."""

import asyncio
from collections.abc import Iterator
from functools import partial
from time import monotonic
from typing import Final

import pytest
import requests
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileKind, MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import (
    MemoryMediaFileStorage,
    _calculate_file_id,
)

from caldp_core.basics.cache import shared_cache
from caldp_core.datasets import OwnTable
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.parts import pack
from caldp_ui.server import files
from caldp_ui.server.files import DeferredFiles, VisitFiles, require_vaults
from caldp_ui.server.vault import (
    EMPTIED_AFTER_S,
    ENDED_AFTER_S,
    Vault,
    Vaults,
    current_vault,
    keep_results_apart,
    vaults,
    working_for,
)
from caldp_ui.session import jobs
from tests.servers import Server, are_done, run, running_server
from tests.visits import Visitor


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Page:
    """Buttons of one visit, and what Streamlit does once they are drawn."""

    def __init__(self) -> None:
        self._storage = VisitFiles("/media")
        self.files = MediaFileManager(self._storage)

    def draw(self, **made: str) -> dict[str, str]:
        """Draws the buttons, and nothing else, as a run of the page does."""
        self.files.clear_session_refs()
        drawn = {
            name: self.files.add_deferred(partial(str, text), "text/csv", name, element_id=name)
            for name, text in made.items()
        }
        self.files.remove_orphaned_files()
        return drawn

    def has(self, address: str) -> bool:
        """Whether a browser that asks for the file still gets it."""
        try:
            self._storage.get_file(address.rpartition("/")[2])
        except MediaFileStorageError:
            return False
        return True

    def saved(self, drawing: str) -> str:
        """What a click on a drawing of a button saves."""
        name = self.files.execute_deferred(drawing).rpartition("/")[2]
        return self._storage.get_file(name).content.decode()


def test_the_old_drawing_of_a_button_saves_what_the_new_one_does() -> None:
    page = Page()
    DeferredFiles(page.files)
    first = page.draw(estimate="a", scenario="b")
    page.draw(estimate="c", scenario="d")
    last = page.draw(scenario="f", estimate="e")
    for drawn in (first, last):
        assert {name: page.saved(each) for name, each in drawn.items()} == {
            "estimate": "e",
            "scenario": "f",
        }


def test_a_file_stays_until_the_browser_has_had_time_to_fetch_it() -> None:
    page, clock = Page(), Clock()
    DeferredFiles(page.files, clock)
    address = page.files.execute_deferred(page.draw(estimate="a")["estimate"])
    for clock.now in (1.0, 10.0, 29.0):
        page.draw(estimate="b")
        assert page.has(address)
    clock.now = 31.0
    page.draw(estimate="b")
    page.draw(estimate="b")
    assert not page.has(address)


def test_a_button_that_is_gone_saves_nothing() -> None:
    page = Page()
    DeferredFiles(page.files)
    gone = page.draw(estimate="a")["estimate"]
    page.draw()
    with pytest.raises(MediaFileStorageError, match="not found"):
        page.saved(gone)


def test_old_drawings_are_forgotten_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_DRAWN_MAX", 3)
    page = Page()
    DeferredFiles(page.files)
    drawn = [page.draw(estimate=str(number))["estimate"] for number in range(5)]
    assert [page.saved(each) for each in drawn[2:]] == ["4"] * 3
    with pytest.raises(MediaFileStorageError, match="not found"):
        page.saved(drawn[1])


def test_a_file_s_address_follows_from_a_secret_and_from_all_of_the_file() -> None:
    vault, other = Vault("a"), Vault("b")
    kinds = (MediaFileKind.MEDIA, MediaFileKind.DOWNLOADABLE)
    # Streamlit's own hash takes only parts of what is longer than a megabyte.
    long = bytes(2**21)
    contents = (b"1", b"2", long, long[: 2**19] + b"1" + long[2**19 + 1 :])
    given = [
        (content, mimetype, kind, name)
        for content in contents
        for mimetype in ("text/csv", "image/png")
        for kind in kinds
        for name in (None, "a.csv", "b.csv")
    ]
    addresses = [vault.keep_file(*file) for file in given]
    assert [vault.keep_file(*file) for file in given] == addresses
    assert len({*addresses}) == len(given) == len(vault)
    assert {len(bytes.fromhex(address)) for address in addresses} == {16}
    assert {*addresses}.isdisjoint(other.keep_file(*file) for file in given)
    files_there = [vault.file_at(address) for address in addresses]
    assert [(f.content, f.mimetype, f.kind, f.filename) for f in files_there if f] == given


def test_a_file_is_made_for_the_visit_that_its_button_was_drawn_for() -> None:
    """A click is answered on a thread of no visit, or of another one's."""
    page, asking = Page(), Vault("asking")
    DeferredFiles(page.files)
    drawn = page.draw(estimate="a")["estimate"]
    with working_for(asking):
        assert current_vault() is asking
        address = page.files.execute_deferred(drawn)
    assert not len(asking)
    assert vaults().of("").file_at(address.rpartition("/")[2].partition(".")[0]) is not None


def test_a_vault_is_emptied_once_its_visit_has_left_and_ends_when_it_cannot_come_back() -> None:
    clock, here, ended = Clock(), {"stays", "leaves", "returns"}, list[str]()
    store = Vaults(clock)
    kept = {visit: store.of(visit) for visit in (*here, "")}
    for vault in kept.values():
        vault.keep_file(b"1", "text/csv", MediaFileKind.DOWNLOADABLE, None)
    here -= {"leaves", "returns"}

    def sizes_at(now: float) -> dict[str, int]:
        clock.now = now
        store.close(here.__contains__, ended.append)
        return {vault.visit: len(vault) for vault in store.all()}

    assert sizes_at(0.0) == sizes_at(4.0) == dict.fromkeys(kept, 1)
    here.add("returns")
    left = {**dict.fromkeys(kept, 1), "leaves": 0}
    assert sizes_at(6.0) == sizes_at(ENDED_AFTER_S - 1.0) == left
    assert not ended
    assert sizes_at(ENDED_AFTER_S) == {"stays": 1, "returns": 1, "": 1}
    assert ended == ["leaves"]
    assert store.of("returns") is kept["returns"]
    assert store.of("leaves").secret != kept["leaves"].secret


def test_a_visit_whose_page_was_closed_ends_with_its_files() -> None:
    """A browser gives a code as it closes a page, and none where its line breaks."""
    clock, ended = Clock(), list[str]()
    store = Vaults(clock)
    codes = {"closed": 1001, "program": 1000, "broken": 1006, "no code": 1005, "flood": 1008}
    for visit, code in codes.items():
        store.of(visit).holds_data = visit == "broken"
        store.note_end_of_socket(visit, code)
    store.note_end_of_socket("reloaded", 1001)  # it has nothing
    store.of("back").may_return = False
    store.note_open_socket("back")

    def close(now: float) -> bool:
        clock.now = now
        return store.close(lambda _: False, ended.append)

    assert not close(0.0)
    assert not close(4.0)
    assert ended == []
    assert not close(EMPTIED_AFTER_S)
    assert ended == ["closed", "program"]
    assert close(ENDED_AFTER_S), "one of these had data"
    assert ended[2:] == ["broken", "no code", "flood", "back"]


def test_results_of_a_visit_with_data_are_its_own_also_those_of_its_jobs() -> None:
    vault, cache = vaults().of("brings data"), shared_cache()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cache, "find_owner", cache.find_owner)
        keep_results_apart()
        with working_for(vault):
            assert cache.get("vault-test-1", list) == []
            vault.holds_data = True
            job: jobs.Job[list[int]] = jobs.launch("job", lambda _: cache.get("vault-test-2", list))
            assert are_done([job.future])
            places = {key: owner for owner, key in cache._entries}
            assert (places["vault-test-1"], places["vault-test-2"]) == ("", vault.visit)
        assert cache.get("vault-test-2", lambda: [1]) == [1], "another visit makes its own"
        assert vault.visit in cache.owners()
        vault.empty()
        assert vault.visit not in cache.owners()


def test_a_server_whose_files_others_could_find_does_not_start() -> None:
    require_vaults(MediaFileManager(VisitFiles("/media")))
    with pytest.raises(RuntimeError, match="would serve visitors' files at addresses that others"):
        require_vaults(MediaFileManager(MemoryMediaFileStorage("/media")))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server(tmp_path_factory.mktemp("vault")) as found:
        yield found


PEOPLE: Final = 100
"""Of the table that a stranger looks for; their number, the answers and the title are known."""
TRUE: Final = 83


async def bring(visitor: Visitor, text: str) -> None:
    """Bring a table as a text to *Sensitive answers*, and open its exports."""
    form = WidgetState(id=visitor.elements["values-own"].id, bool_value=True)
    await visitor.use("values-own", form)
    await visitor.wait_until(lambda: "values-own-text" in visitor.elements)
    visitor.type("values-own-text", text)
    await visitor.press("values-own-show", "values-own-accept")
    await visitor.press("values-own-accept", "values-own")
    await visitor.open_tab("Share and export", "values-json")


def guessed_file(count: int, scenario: Scenario) -> bytes:
    """The scenario's file, were there `count` people with its first answer."""
    table = scenario.dataset
    assert isinstance(table, OwnTable)
    guess = OwnTable(table.names, (count, PEOPLE - count), title=table.title)
    return mark(Scenario(guess, scenario.policy))


def mark(scenario: Scenario) -> bytes:
    return pack.mark("scenario.json", scenario.to_json().encode())


def status(address: str) -> int:
    return requests.get(address, timeout=30).status_code


def test_a_stranger_does_not_find_another_visitors_table(server: Server) -> None:
    """Streamlit's hash of content, type and name is no address: 202 guesses, the true one among."""

    async def attack() -> None:
        visitor = await Visitor.open(server.address, "values", "values-own")
        await bring(visitor, f"yes,{TRUE}\nno,{PEOPLE - TRUE}\n")
        path = await visitor.prepare_file("values-json")
        content = (await asyncio.to_thread(requests.get, server.address + path, timeout=30)).content
        scenario = Scenario.from_json(content.decode())
        # The stranger's guess at the true table is the file, byte by byte.
        assert guessed_file(TRUE, scenario) == content
        found = {
            (count, mimetype)
            for count in range(PEOPLE + 1)
            for mimetype in ("application/json", "text/plain")
            if status(f"{server.address}/media/{streamlit_address(count, scenario, mimetype)}.json")
            != 404
        }
        assert not found
        # Whose file it is gets it as often as asked.
        again = [await visitor.prepare_file("values-json") for _ in range(3)]
        assert {status(server.address + each) for each in (path, *again)} == {200}
        # Another visit with the same table is told another address.
        other = await Visitor.open(server.address, "values", "values-own")
        await bring(other, f"yes,{TRUE}\nno,{PEOPLE - TRUE}\n")
        assert await other.prepare_file("values-json") not in (path, *again)
        await other.close()
        await visitor.close()
        left = monotonic()
        while status(server.address + path) == 200:
            assert monotonic() < left + 10.0, "a file is there 10 s after its visit's socket"
            await asyncio.sleep(0.5)

    def streamlit_address(count: int, scenario: Scenario, mimetype: str) -> str:
        return _calculate_file_id(
            guessed_file(count, scenario), mimetype, pack.file_name("scenario.json")
        )

    run(attack())
