"""The desk: what is released once, counted, refused, and taken again byte by byte."""

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from caldp_core.basics.errors import CaldpError, Cancelled
from caldp_core.cli.commands import main
from caldp_core.datasets.files.source import PAGE_BOUNDS
from caldp_core.release import desk, noise
from caldp_core.release.files import files_from_bytes
from caldp_core.release.office import FolderStore, MemoryStore, Office
from caldp_core.release.pack import PUBLIC
from tests.release.lists import (
    CENTRAL,
    FOLDER,
    HIDE,
    LARGER,
    PUBLICATION,
    ROUND,
    city_files,
    city_rows,
    city_settings,
    disease_files,
    disease_settings,
    new_office,
    released,
    true_counts,
)

ROWS = city_rows(2_000)
FILES = city_files(ROWS)


@pytest.mark.parametrize("treatment", [CENTRAL, ROUND, HIDE, LARGER], ids=lambda t: t["kind"])
def test_the_same_release_is_the_same_pack_byte_by_byte(
    treatment: dict[str, object], tmp_path: Path
) -> None:
    settings, office = city_settings(treatment), Office(FolderStore(tmp_path / "office"))
    first = desk.release(settings, FILES, office)
    again = desk.release(settings, city_files(ROWS), office)
    assert (first.is_new, again.is_new) == (True, False)
    assert again.files == first.files
    assert again.frozen == first.frozen
    pack = tmp_path / "office" / f"pack-{first.frozen.line.id}"
    assert {path.name: path.read_bytes() for path in pack.iterdir()} == first.files
    assert len(office.entries()) == 1


def test_anything_else_is_a_further_release_and_the_sum_is_said() -> None:
    office = new_office()
    desk.release(city_settings(CENTRAL), FILES, office)
    others = {
        "another epsilon": (city_settings(CENTRAL | {"epsilon": 0.5}), FILES, 1.5),
        "one person more": (
            city_settings(CENTRAL),
            city_files([*ROWS, [9999, 7.6, 51.9, "daily"]]),
            2.0,
        ),
        "other cyclists": (city_settings(CENTRAL, where={"bike": ["daily"]}), FILES, 2.0),
        "another spelling": (city_settings(CENTRAL, name=" city  SURVEY"), FILES, 2.0),
        "another name of the same bytes": (city_settings(CENTRAL, name="Bikes"), FILES, 2.0),
        "rounding": (city_settings(ROUND), FILES, None),
    }
    for name, (settings, files, together) in others.items():
        with pytest.raises(desk.SecondReleaseError, match="further release") as refused:
            desk.release(settings, files, office)
        assert refused.value.together == together, name
    assert len(office.entries()) == 1, "what is refused is not counted"
    second = desk.release(city_settings(CENTRAL | {"epsilon": 0.5}), FILES, office, second=True)
    assert (second.frozen.together, second.frozen.releases) == (1.5, 2)
    for name, data in second.files.items():
        if name != "table.csv":
            assert b"1.5" in data, name


def test_a_record_that_is_brought_gives_the_same_sum_in_a_fresh_office() -> None:
    office = new_office()
    first = desk.release(city_settings(CENTRAL), FILES, office)
    half = city_settings(CENTRAL | {"epsilon": 0.5})
    second = desk.release(half, FILES, office, second=True)
    quarter = city_settings(CENTRAL | {"epsilon": 0.25})
    third = desk.release(quarter, FILES, office, second=True).frozen
    records = {"one.json": first.files["release.json"], "two.json": second.files["release.json"]}
    files = city_files(ROWS, **records)
    # The second record says that the first was before it, so that either way all are counted.
    for brought in (("one.json", "two.json"), ("two.json",)):
        settings = replace(quarter, earlier=brought)
        with pytest.raises(desk.SecondReleaseError) as refused:
            desk.release(settings, files, new_office())
        fresh = released(settings, files).frozen
        assert fresh.together == refused.value.together == third.together == 1.75
        assert {line.by for line in fresh.earlier} == {"trust"}
    own = desk.draft(replace(quarter, earlier=("one.json",)), files, office)
    assert [line.by for line in own.earlier] == ["this ledger"] * 3


def test_a_seal_tells_what_this_office_made() -> None:
    office = new_office()
    made = desk.release(city_settings(CENTRAL), FILES, office)
    record = json.loads(made.files["release.json"])
    assert office.is_sealed(record)
    assert not office.is_sealed(record | {"epsilon": 0.1})
    assert not new_office().is_sealed(record)
    assert not office.is_sealed({key: value for key, value in record.items() if key != "seal"})


def test_a_record_of_another_list_is_refused() -> None:
    made = released(city_settings(CENTRAL, name="Another city"), FILES)
    files = city_files(ROWS, **{"one.json": made.files["release.json"], "no.json": b"[1]"})
    with pytest.raises(CaldpError, match="is of the list 'Another city'"):
        released(replace(city_settings(), earlier=("one.json",)), files)
    with pytest.raises(CaldpError, match=r"no\.json' is no record of a release"):
        released(replace(city_settings(), earlier=("no.json",)), files)


def test_a_draw_that_is_cut_off_stays_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    office = new_office()

    def cut(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(noise, "add_noise", cut)
        with pytest.raises(KeyboardInterrupt):
            desk.release(city_settings(CENTRAL), FILES, office)
    assert [entry.line.epsilon for entry in office.entries()] == [1.0]
    with pytest.raises(CaldpError, match="cut off; it stays counted"):
        desk.release(city_settings(CENTRAL), FILES, office)
    further = released(city_settings(CENTRAL | {"epsilon": 2.0}), FILES, office)
    assert further.frozen.together == 3.0


def test_a_ledger_that_was_changed_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "office"
    office = Office(FolderStore(folder))
    desk.release(city_settings(CENTRAL), FILES, office)
    released(city_settings(CENTRAL | {"epsilon": 2.0}), FILES, office)
    first = folder / "entry-000001.json"
    kept = first.read_text("utf-8")
    first.write_text(kept.replace('"epsilon": 1.0', '"epsilon": 0.1'), "utf-8")
    with pytest.raises(CaldpError, match=r"ledger was changed at 'entry-000001\.json'"):
        released(city_settings(ROUND), FILES, office)
    first.unlink()
    with pytest.raises(CaldpError, match=r"ledger was changed at 'entry-000002\.json'"):
        released(city_settings(ROUND), FILES, office)
    first.write_text(kept, "utf-8")
    (folder / "key").unlink()
    with pytest.raises(CaldpError, match="ledger without its key"):
        released(city_settings(ROUND), FILES, office)


def test_two_at_once_are_counted_one_after_the_other(tmp_path: Path) -> None:
    """Of two that release the same list at once, one is the first, and the other is refused."""
    made: list[object] = []

    def work(epsilon: float) -> None:
        office = Office(FolderStore(tmp_path / "office"))
        try:
            made.append(desk.release(city_settings(CENTRAL | {"epsilon": epsilon}), FILES, office))
        except desk.SecondReleaseError as error:
            made.append(error)

    threads = [threading.Thread(target=work, args=(epsilon,)) for epsilon in (1.0, 2.0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(type(each).__name__ for each in made) == ["Released", "SecondReleaseError"]


def test_an_office_goes_on_from_its_file() -> None:
    office = new_office()
    first = desk.release(city_settings(CENTRAL), FILES, office)
    store = office.store
    assert isinstance(store, MemoryStore)
    brought = Office(MemoryStore.from_zip(store.to_zip()))
    assert desk.release(city_settings(CENTRAL), FILES, brought).files == first.files
    assert MemoryStore.from_zip(store.to_zip()).to_zip() == store.to_zip()
    with pytest.raises(desk.SecondReleaseError):
        desk.release(city_settings(ROUND), FILES, brought)
    for wrong in (b"", b"PK\x03\x04 no zip", first.files["table.csv"]):
        with pytest.raises(CaldpError, match="no file of an office"):
            MemoryStore.from_zip(wrong)


def test_a_draft_is_the_record_without_numbers() -> None:
    office = new_office()
    draft = desk.draft(city_settings(CENTRAL), FILES, office)
    assert draft.rows == ()
    assert office.store.names() == []
    made = desk.release(city_settings(CENTRAL), FILES, office).frozen
    assert (draft.together, draft.cells, draft.settings) == (
        made.together,
        made.cells,
        made.settings,
    )


def test_a_table_that_was_hidden_before_is_no_held_list() -> None:
    """As the county publishes it: titles of columns, hidden cells, a total."""
    record = disease_settings(file="diseases_hidden.csv").to_record()
    del record["list"]["column"]
    record["cells"]["lists"][0]["column"] = "County"
    del record["cells"]["lists"][1]["column"]
    settings = type(disease_settings()).from_record(record)
    with pytest.raises(CaldpError, match=r"'<5' at 'Anson' is not a count; .*no held list"):
        released(settings, disease_files())


def test_wide_and_long_tables_are_one() -> None:
    """The same counts with a column for each disease."""
    long = (FOLDER / "diseases.csv").read_text("utf-8").splitlines()[1:]
    people: dict[str, list[str]] = {}
    for line in long:
        county, _, count = line.split(",")
        people.setdefault(county, []).append(count)
    wide = [["county", "HIV", "Hepatitis C", "Syphilis", "Tuberculosis"]]
    wide += [[county, *counts] for county, counts in people.items()]
    text = "\n".join(",".join(row) for row in wide)
    contents = {
        "diseases.csv": text.encode(),
        "counties.csv": (FOLDER / "counties.csv").read_bytes(),
    }
    record = disease_settings().to_record()
    del record["list"]["column"]
    del record["cells"]["lists"][1]["column"]
    settings = type(disease_settings()).from_record(record)
    files = files_from_bytes(contents, PAGE_BOUNDS)
    assert (true_counts(settings, files) == true_counts(disease_settings(), disease_files())).all()


def test_the_command_releases_and_refuses(tmp_path: Path) -> None:
    (tmp_path / "city.csv").write_bytes(FILES.read_bytes("city.csv"))
    record = city_settings(CENTRAL).to_record()
    (tmp_path / "settings.json").write_text(json.dumps(record), "utf-8")
    words = ["release", str(tmp_path / "settings.json"), "--office", str(tmp_path / "office")]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    summary = json.loads(done.stdout)
    assert summary["together"] == "ε = 1 for this one release of the list."
    assert {Path(path).name for path in summary["public"]} == {*PUBLIC}
    assert all(Path(path).is_file() for path in summary["public"] + summary["internal"])
    assert "Internal: " in done.stderr
    again = CliRunner().invoke(main, words)
    assert json.loads(again.stdout)["drawn"].startswith("before")
    record["publication"] = PUBLICATION | {"date": "2026-12-01"}
    (tmp_path / "settings.json").write_text(json.dumps(record), "utf-8")
    other = CliRunner().invoke(main, words)
    assert other.exit_code == 2
    assert "ε = 2 for 2 releases of the list together" in other.stderr
    second = json.loads(CliRunner().invoke(main, [*words, "--second"]).stdout)
    assert (second["epsilon"], second["releases"]) == (2.0, 2)


def test_what_is_cancelled_before_it_is_counted_is_not_counted() -> None:
    """Hiding in two kinds of totals takes programs; a visit that ends while they run ends them."""
    office = new_office()

    def cancel(_: float) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        desk.release(disease_settings(HIDE), disease_files(), office, progress=cancel)
    assert office.entries() == []
    made = desk.release(disease_settings(HIDE), disease_files(), office)
    assert made.frozen.releases == 1
