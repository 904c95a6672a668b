"""Changes to Streamlit that do not fit are left out and named; a needed one stops the start."""

from dataclasses import replace

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from caldp_ui.server import guard, stale
from caldp_ui.server.guard import Patch, Unfit, install, look_up
from caldp_ui.server.patches import PATCHES
from caldp_ui.server.stale import CurrentPage

FITS = Patch("fits", "a reason", "nothing", {"streamlit.cursor.RunningCursor": ""})
GONE = replace(FITS, name="gone", without="clicks are lost", rests_on={"streamlit.cursor.Gone": ""})


def test_all_changes_fit_the_streamlit_that_is_installed() -> None:
    assert [patch.misfit() for patch in PATCHES] == [""] * len(PATCHES)
    assert len({patch.name for patch in PATCHES}) == len(PATCHES)
    assert all(patch.reason and patch.without and patch.rests_on for patch in PATCHES)


@pytest.mark.parametrize(
    ("place", "parameters", "misfit"),
    [
        ("streamlit.cursor.Gone", "", "streamlit.cursor.Gone is not there"),
        ("streamlit.gone.module", "", "streamlit.gone.module is not there"),
        ("streamlit.cursor.RunningCursor.lock_element", "self, key", "takes self"),
        ("streamlit.cursor.RunningCursor:no such text", "", "is not there"),
        ("streamlit.proto.ForwardMsg_pb2.ForwardMsg.metadata.gone", "", "is not there"),
    ],
)
def test_what_a_change_rests_on_is_looked_up(place: str, parameters: str, misfit: str) -> None:
    assert misfit in replace(FITS, rests_on={place: parameters}).misfit()


def test_a_field_of_a_message_leads_to_the_message_that_it_holds() -> None:
    found = look_up("streamlit.proto.ForwardMsg_pb2.ForwardMsg.metadata")
    assert found is type(ForwardMsg().metadata)


def test_what_does_not_fit_is_left_out_and_named(caplog: pytest.LogCaptureFixture) -> None:
    applied = list[str]()
    patches = [
        replace(FITS, apply=lambda: applied.append("fits")),
        replace(GONE, apply=lambda: applied.append("gone")),
    ]
    sentence = install(patches)
    assert applied == ["fits"]
    assert "1 of 2 of the dashboard's changes fit" in sentence
    assert "gone (streamlit.cursor.Gone is not there): clicks are lost" in sentence
    assert sentence in caplog.text


def test_nothing_is_logged_where_all_fit(caplog: pytest.LogCaptureFixture) -> None:
    assert install([FITS]) == ""
    assert caplog.text == ""


def test_the_server_does_not_start_without_what_it_needs() -> None:
    applied = list[str]()
    patches = [
        replace(FITS, apply=lambda: applied.append("fits")),
        replace(GONE, is_needed=True),
    ]
    with pytest.raises(Unfit, match="gone"):
        install(patches)
    assert applied == []


def test_a_message_that_cannot_be_read_is_passed_on_and_logged_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """With another minor version a field was missing, which ended the socket."""

    def fails(page: CurrentPage, data: bytes) -> bool:
        raise AttributeError("fragment_ids")

    monkeypatch.setattr(CurrentPage, "sends", fails)
    monkeypatch.setattr(stale, "_logged", set())
    page = CurrentPage()
    for _ in range(3):
        assert stale._passes(page.sends, {"type": "websocket.send", "bytes": b"x"})
    assert caplog.text.count("can't be read") == 1


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(name: str) -> object:
        raise ModuleNotFoundError("No module named 'gone'", name="gone")

    monkeypatch.setattr(guard, "import_module", fails)
    misfit = FITS.misfit()
    assert misfit == "streamlit.cursor.RunningCursor can't be imported (No module named 'gone')"
