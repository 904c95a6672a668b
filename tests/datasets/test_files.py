"""Files in every form, of offices, survey services and phones: read, asked about or refused."""

import gzip
import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, Final

import pytest
from click.testing import CliRunner

from caldp_core.basics import files as duck
from caldp_core.basics.errors import SENTENCE_MAX, CaldpError
from caldp_core.basics.files import read_aside
from caldp_core.basics.types import no_progress
from caldp_core.cli.commands import main
from caldp_core.datasets import OwnPlaces, OwnTable, inspect_data, read_places
from caldp_core.datasets.base_map import areas_on_map
from caldp_core.datasets.files import table
from caldp_core.datasets.files.answers import (
    CountedQuestions,
    count_answers,
    count_questions,
)
from caldp_core.datasets.files.checks.run import read_as_chosen
from caldp_core.datasets.files.counts_export import write_counts
from caldp_core.datasets.files.geojson import areas_of, as_csv, read_polygons, table_of
from caldp_core.datasets.files.source import PAGE_BOUNDS, file_system, source_from_bytes
from caldp_core.datasets.files.table import Chosen
from caldp_core.domain.orders import natural_order
from caldp_core.scenarios.blocks import PolygonBlocks
from caldp_ui.places import view
from caldp_ui.values.page import FORM
from tests import ROOT
from tests.contract.checks import naming
from tests.datasets.check_cases import (
    ASKED,
    OFFICE_ASKED,
    OFFICE_READ,
    ORDERS,
    READ,
    REFUSED,
    ROWS,
    UNSEEN_ASKED,
    UNSEEN_READ,
    Case,
)
from tests.datasets.files import GOOD, HARM, PARIS, as_zip, hostile, read_table, workbook
from tests.strategies import thinned

FUZZED = 800


@pytest.mark.slow
@pytest.mark.usefixtures("one_connection")
def test_the_same_rows_are_read_from_every_form() -> None:
    people = sum(row[-1] for row in PARIS)
    wanted = read_places(GOOD["commas"]).places
    assert int(wanted.counts().sum()) == people
    named = Counter[str]()
    for name, _, _, n in PARIS:
        named[name] += n
    for form, data in GOOD.items():
        with naming(form):
            found = read_places(data)
            assert (found.places, found.refused.rows, found.refused.count) == (wanted, 400, 0)
            answers = read_table(data).table
            assert dict(zip(answers.names, answers.counts, strict=True)) == named


def test_what_a_file_is_and_holds_is_told() -> None:
    file = inspect_data(GOOD["semicolons, decimal commas, Windows"])
    assert file.table.kind == "Windows-1252, 4 columns with semicolons between them"
    assert file.names == ("Stadtteil", "Breitengrad", "Längengrad", "Anzahl")
    assert (file.has_places, file.places.mark, file.places.count) == (True, ",", 3)
    assert file.rows[0] == ("Nº 1", "48,82000", "2,25000", "1")
    assert "below 3 other lines" in inspect_data(GOOD["lines above"]).table.kind
    workbook = inspect_data(GOOD["a workbook"]).table.kind
    assert "sheet 'Orte'" in workbook
    assert workbook.endswith("columns"), "cells of a sheet have nothing between them"


@pytest.mark.parametrize("name", HARM)
def test_what_means_harm_is_one_sentence(name: str) -> None:
    data = HARM[name]()
    for read in (read_places, read_table):
        with pytest.raises(CaldpError) as refused:
            read(data)
        assert len(str(refused.value)) <= SENTENCE_MAX


@pytest.mark.slow
@pytest.mark.usefixtures("one_connection")
@pytest.mark.parametrize("files", [100, pytest.param(FUZZED, marks=pytest.mark.thorough)])
def test_hundreds_of_broken_files_are_read_or_refused_in_one_sentence(files: int) -> None:
    ends: Counter[str] = Counter()
    for name, data in hostile(files):
        with naming(name):
            sentence = ""
            try:
                found = read_places(data)
            except CaldpError as error:
                sentence = str(error)
            assert len(sentence) <= SENTENCE_MAX
            assert sentence or found.refused.rows > found.refused.count
            ends["refused" if sentence else "read"] += 1
    assert min(ends["read"], ends["refused"]) > files / 20


def test_counts_come_back_as_they_were(tmp_path: Path) -> None:
    places = read_places(GOOD["commas"]).places
    odd = OwnTable(("=1+1", "b, c", '"d" e', "'f"), (1, 2, 3, 0), ("x", "@y", "x", "+z"))
    for ending in ("csv", "parquet"):
        path = tmp_path / f"it's.{ending}"
        write_counts(places, path)
        assert read_places(path).places == places
        write_counts(odd, path)
        assert read_table(path).table == odd
    assert "'=1+1" in (tmp_path / "it's.csv").read_text("utf-8")
    for wrong in (
        tmp_path / "x.xlsx",
        tmp_path / "none" / "x.csv",
        tmp_path / "none" / "x.parquet",
    ):
        with pytest.raises(CaldpError, match=r"must end in|can't be written"):
            write_counts(odd, wrong)


def test_every_file_that_was_opened_is_closed_after_it_was_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    handles: list[BinaryIO] = []
    source = source_from_bytes(GOOD["commas"], "paris.csv")

    def open_source() -> BinaryIO:
        handles.append(source.open())
        return handles[-1]

    with (
        file_system(replace(source, open=open_source)) as files,
        duck.connect(200, files=files) as connection,
    ):
        duck.fetch_rows(connection, f"from read_csv('{files.protocol}://paris.csv')")
        files.open("another reader's, which it never closes")
    assert len(handles) > 1
    assert all(each.closed for each in handles)


MEASURED = """
import json, resource, sys
from pathlib import Path
from caldp_core.basics.errors import CaldpError
from dataclasses import replace
from caldp_core.datasets.files.source import PAGE_BOUNDS
from caldp_core.datasets.reading import inspect_data
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    inspect_data(Path(sys.argv[1]).read_bytes(), replace(PAGE_BOUNDS, seconds=None))
    said = ""
except CaldpError as error:
    said = str(error)
whose = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
here, aside = (resource.getrusage(each).ru_maxrss for each in whose)
print(json.dumps([said, (here - before) / 1024, aside / 1024]))
"""
POINT = {"type": "Point", "coordinates": [2.3, 48.9]}


def feature(number: int) -> dict[str, Any]:
    return {"type": "Feature", "properties": {"n": number, "text": "é" * 20}, "geometry": POINT}


def collection(features: list[Any], **more: Any) -> bytes:
    return json.dumps({"type": "FeatureCollection", "features": features, **more}).encode()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("hostile", "words"),
    [
        (
            b'{"features": [{"geometry": {"coordinates": [' + b"[]," * 10_000_000 + b"[]]}}]}",
            "large",
        ),
        (b'{"features": [' + b'{"type": "Feature"},' * 100_000 + b"{}]}", "has neither"),
        pytest.param(
            b'{"features": [], "more": [' + b"[]," * 10_000_000 + b"[]]}",
            "large",
            marks=pytest.mark.thorough,  # the lists of the first, in a place that is skipped
        ),
    ],
)
def test_a_hostile_file_fills_no_memory_but_a_bounded_process(
    tmp_path: Path, hostile: bytes, words: str
) -> None:
    path = tmp_path / "hostile.geojson"
    path.write_bytes(hostile)
    command = [sys.executable, "-c", MEASURED, str(path)]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    said, here, aside = json.loads(found.stdout)
    assert words in said
    assert here < 4 * len(hostile) / 2**20 + 20
    assert aside < 600


@pytest.mark.slow
def test_a_large_file_is_the_table_and_the_areas_that_it_is_in_this_process() -> None:
    many = collection([feature(number) for number in range(4_000)])
    assert as_csv(source_from_bytes(many, "x"), PAGE_BOUNDS).head(2**22) == table_of(many, "x")
    ring = [[0, 0], [0, 1], [1, 1], [0, 0]]
    shapes = [
        {"properties": {"name": f"a{n}"}, "geometry": {"type": "Polygon", "coordinates": [ring]}}
        for n in range(90)
    ]
    areas = collection(shapes, padding="x" * 600_000)
    assert read_polygons(areas, "x") == areas_of(areas, "x")
    with pytest.raises(CaldpError, match=r"'a\.geojson' must be GeoJSON with polygons"):
        read_polygons(collection([], padding="x" * 600_000), "a.geojson")


def test_features_one_by_one_are_those_of_the_whole_document() -> None:
    crs = {"properties": {"name": "urn:ogc:def:crs:OGC:1.3:CRS84"}}
    texts = {
        "spaces": json.dumps({"features": [feature(1), feature(2)], "crs": crs}, indent=3),
        "alone": json.dumps(feature(1)),
        "bare": json.dumps(POINT),
        "others": json.dumps({"features": [1, None, [], feature(3)], "bbox": [1, 2]}),
        "marked": "\ufeff" + json.dumps({"features": [feature(4)]}),
    }
    rows = {"spaces": 2, "alone": 1, "bare": 1, "others": 1, "marked": 1}
    for name, text in texts.items():
        with naming(name):
            table = table_of(text.encode(), "x").decode().splitlines()
            assert len(table) == 1 + rows[name]
            assert all(row.startswith("48.9,2.3") for row in table[1:])
    whole = collection([feature(1)]).decode()
    broken = (whole[:-1], whole + "x", whole.replace("[{", "[,{"), whole.replace("}]", "},]"))
    for text in (*broken, "{", '{"features"}', '{"features": [}', "{1: 2}", "[]"):
        with naming(text), pytest.raises(CaldpError, match="not valid JSON"):
            table_of(text.encode(), "x")
    with pytest.raises(CaldpError, match="places must be in degrees"):
        table_of(collection([feature(1)], crs={"properties": {"name": "EPSG:25832"}}), "x")


READER = """
import os, sys, time
from pathlib import Path
from caldp_core.basics.files import run_reader

def read(data):
    mark = Path(data.decode())
    mark.touch(exist_ok=False)  # fails where another one reads
    time.sleep(0.1)
    mark.unlink()
    return str(os.nice(0)).encode()

sys.exit(run_reader(read))
"""


def test_one_process_reads_at_a_time_and_after_others_of_the_machine(tmp_path: Path) -> None:
    reader, mark = tmp_path / "reader.py", str(tmp_path / "reading").encode()
    reader.write_text(READER)
    with ThreadPoolExecutor(3) as threads:
        readings = [threads.submit(read_aside, reader, (), mark, 512, None) for _ in range(3)]
    lowest = 19  # the kernel's own limit
    assert {int(each.result()) for each in readings} == {min(os.nice(0) + 10, lowest)}


FOLDER: Final = Path(__file__).parent / "cases"


@dataclass(frozen=True)
class Kept:
    """What a file of the folder leads to: the sentence that refuses it, or people.

    `answers`: what has to be asked, and the answers; `header` and `types`: what has to be chosen.
    `counts`: some answers; `at`: some places in degrees, with the people there.
    """

    people: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    at: Sequence[tuple[float, float, int]] = ()
    answers: Mapping[str, str] = field(default_factory=dict)
    header: bool | None = None
    types: Mapping[str, str] = field(default_factory=dict)
    refused: str = ""


FILES: Final = {
    row["case"]: Kept(**{key: value for key, value in row.items() if key not in ("group", "case")})
    for row in ROWS
    if row["group"] == "file"
}
IN_TEXT: Final = {**ASKED, **READ}


def of_case(case: Case) -> Kept:
    """What a case of one check leads to."""
    pairs = list(zip(case.options[::2], case.options[1::2], strict=False))
    options = dict(pairs)
    accepted = (each.partition("=") for option, each in pairs if option == "--accept")
    answers = {name: answer for name, _, answer in accepted}
    answers |= {case.check: case.answer} if case.check else {}
    types = {options["--answer"]: "answer"} if "--answer" in options else {}
    header = True if "--header" in case.options else None
    return Kept(case.people, case.counts or {}, (), answers, header, types)


def read_on_the_page(data: bytes, name: str, kept: Kept) -> OwnTable | OwnPlaces:
    """What the form of a page counts; the answers are all that it asks for."""
    chosen = Chosen(header=kept.header)
    opened = chosen.with_answers(kept.answers)
    file = inspect_data(source_from_bytes(data, name), chosen=opened)
    for column, kind in kept.types.items():
        chosen = chosen.with_column(file.names.index(column), kind)
    form: Any = view._FORM if is_on_map(kept, file.has_places) else FORM
    guess = form.guess(file)
    if kept.answers.keys() - {"sheet", "encoding"}:
        at_first = read_as_chosen(file, guess, chosen, {})
        assert at_first.unanswered or kept.answers.keys() & {check.name for check in at_first.told}
    found = read_as_chosen(file, guess, chosen, kept.answers)
    assert not found.unanswered
    assert found.remarks.keys() == kept.answers.keys()
    counted = form.count(found.reading.file, found.reading.layout, "t", no_progress)
    assert not isinstance(counted, CountedQuestions)
    spec: OwnTable | OwnPlaces = counted.places if hasattr(counted, "places") else counted.table
    return spec


def is_on_map(kept: Kept, has_places: bool) -> bool:
    """Whether the file is brought to *Places on a map*."""
    is_place = {"one-column", "ten-millionths"} & kept.answers.keys()
    return bool(has_places or is_place) and "answer" not in kept.types.values()


def read_by_the_command(data: bytes, name: str, kept: Kept, out: Path) -> OwnTable | OwnPlaces:
    """What `caldp count` writes; raises `CaldpError` with what it says."""
    path = out / name
    path.write_bytes(data)
    counts = out / "counts.csv"
    options = ["--header"] if kept.header else []
    for column, kind in kept.types.items():
        options += ["--column", f"{column}={kind}"]
    for check, answer in kept.answers.items():
        options += ["--accept", f"{check}={answer}"]
    done = CliRunner().invoke(main, ["count", str(path), "-o", str(counts), *options])
    if done.exit_code:
        raise CaldpError(done.stderr)
    if "latitude" in json.loads(done.stdout)["columns"]:
        return read_places(counts).places
    written = inspect_data(counts)
    return count_answers(written, written.answers, OwnTable.title).table


def assert_is(found: OwnTable | OwnPlaces, kept: Kept) -> None:
    """The people, and where or with which answers they are."""
    if isinstance(found, OwnTable):
        assert sum(found.counts) == kept.people
        counts = dict(zip(found.names, found.counts, strict=True))
        assert {name: counts.get(name) for name in kept.counts} == kept.counts
        return
    assert found.counts().sum() == kept.people
    for latitude, longitude, people in kept.at:
        (cell,) = found.grid().locate([latitude], [longitude])
        assert found.counts()[cell] == people


CASES: Final = {
    **IN_TEXT,
    **UNSEEN_ASKED,
    **UNSEEN_READ,
    **OFFICE_ASKED,
    **OFFICE_READ,
}
ON_THE_PAGE = [*FILES, *thinned(CASES, one_in=2)]
"""Every check is asked by generated files (`test_checks_generated.py`), too."""
BY_THE_COMMAND = thinned([*FILES, *CASES][::-1], one_in=12)  # of `IN_TEXT` `tests/cli` reads others


def opened(name: str) -> tuple[bytes, str, Kept]:
    """The content of a file or case, its name, and what it leads to."""
    if name in FILES:
        return (FOLDER / name).read_bytes(), name, FILES[name]
    return CASES[name].text.encode(), CASES[name].name, of_case(CASES[name])


@pytest.mark.slow
@pytest.mark.usefixtures("one_connection")
@pytest.mark.parametrize("name", ON_THE_PAGE)
def test_a_file_leads_to_its_number_on_the_page(name: str) -> None:
    data, file, kept = opened(name)
    if not kept.refused:
        assert_is(read_on_the_page(data, file, kept), kept)
        return
    with pytest.raises(CaldpError, match=kept.refused):
        read_on_the_page(data, file, kept)


@pytest.mark.slow
@pytest.mark.usefixtures("one_connection")
@pytest.mark.parametrize("name", BY_THE_COMMAND)
def test_a_file_leads_to_its_number_by_the_command(name: str, tmp_path: Path) -> None:
    data, file, kept = opened(name)
    if not kept.refused:
        assert_is(read_by_the_command(data, file, kept, tmp_path), kept)
        return
    with pytest.raises(CaldpError, match=kept.refused):
        read_by_the_command(data, file, kept, tmp_path)


def test_every_file_of_the_folder_is_read() -> None:
    assert set(FILES) == {path.name for path in FOLDER.iterdir()}


def test_files_of_other_programs_are_named_with_the_way_out() -> None:
    for text, sentence in REFUSED.items():
        with naming(text[:60]), pytest.raises(CaldpError, match=sentence):
            read_places(text.encode())


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"r\2\1\0" + bytes(99), "a file of Stata"),
        (bytes(12) + b"\xc2\xea\x81\x60", "a file of SAS"),
        (gzip.compress(b"X\n\0\0\0\3" + bytes(99)), "a file of R"),
        (b"\0\0\0\r\n\tOSMHeader" + bytes(9), "an export of OpenStreetMap"),
        (b"\x89HDF\r\n", "save its table there as CSV"),
        (as_zip(b"x", "word/document.xml"), "a document of Word"),
        (as_zip(b"x", "stop_times.txt"), "a timetable"),
    ],
    ids=["Stata", "SAS", "R", "OpenStreetMap", "HDF", "Word", "timetable"],
)
def test_bytes_of_other_programs_are_named_with_the_way_out(data: bytes, sentence: str) -> None:
    with pytest.raises(CaldpError, match=sentence):
        read_places(data)


@pytest.mark.slow
@pytest.mark.usefixtures("one_connection")
def test_a_column_for_each_choice_becomes_questions() -> None:
    walks = {"yes": 1, "no": 4}
    for marks, text in OPTIONS.items():
        with naming(marks):
            file = inspect_data(text)
            answers = {"option-columns": "", "people": "rows", "own-answers": "keep"}
            (check, *_) = [
                each
                for each in read_as_chosen(file, file.answers, Chosen(), {}).unanswered
                if each.name == "option-columns"
            ]
            found = read_as_chosen(file, file.answers, Chosen(), answers).reading
            counted = count_questions(found.file, found.layout, "t").survey.tables()
            shown = {
                each.title: dict(zip(each.names, each.counts, strict=True)) for each in counted
            }
            assert f"A person then answers {len(shown)}, and ε is shared." in check.sentence
            assert shown.pop("Walk", walks) == walks
            assert shown == {"Bus": {"yes": 3, "no": 2}, "Train": {"yes": 2, "no": 3}}


def test_scales_in_several_languages_are_in_their_order() -> None:
    for line in ORDERS:
        scale = line.split("; ")
        answers = random.Random(7).sample(scale, len(scale))
        with naming(line):
            assert sorted(answers, key=natural_order(answers).__getitem__) == scale


LETTERS = {
    "cp1250": "odpověď;počet\nano;120\nžádná;25\n",
    "iso8859_2": "odpowiedź;osoby\ntak;120\nżadne;25\n",
    "cp1254": "yanıt;kişi\nevet;120\nşöyle böyle;25\n",
    "cp1257": "atsakymas;žmonės\ntaip;120\nnežinau ąčę;25\n",
    "iso8859_5": "ответ;люди\nда;120\nне знаю;25\n",
    "cp866": "ответ;люди\nда;120\nне знаю;25\n",
    "cp1255": "תשובה;אנשים\nכן;120\nלא יודע;25\n",
    "cp1256": "جواب;عدد\nنعم;120\nلا أعرف;25\n",
    "cp874": "คำตอบ;จำนวน\nใช่;120\nไม่ใช่;340\n",
    "mac_roman": "Größe;Anzahl\nklein;120\nübergroß;25\n",
    "cp850": "Größe;Anzahl\nklein;120\nübergroß;25\n",
}
"""Words in encodings that are neither UTF-8 nor Western."""
WESTERN = ("Größe;weiß nicht", "réponse;peut-être", "año;mañana", "função;não", "Århus;København")


@pytest.mark.slow
@pytest.mark.usefixtures("one_connection")
def test_letters_that_may_be_others_are_asked_about_and_western_ones_are_not() -> None:
    for encoding, text in LETTERS.items():
        table = inspect_data(text.encode(encoding)).table
        with naming(encoding):
            assert (table.asks, encoding in dict(table.ways)) == ("encoding", True)
            read = inspect_data(text.encode(encoding), chosen=Chosen(encoding=encoding))
            assert {"".join(read.names), *map("".join, read.rows)} == {
                line.replace(";", "") for line in text.splitlines()
            }
    for text in WESTERN:
        with naming(text):
            assert inspect_data(f"{text}\nx;1\n".encode("cp1252")).table.asks == ""


def test_areas_of_a_file_are_its_data_its_map_and_its_blocks() -> None:
    case = UNSEEN_ASKED["areas with numbers"]
    found = read_on_the_page(case.text.encode(), case.name, of_case(case))
    assert isinstance(found, OwnTable)
    grid, labels = areas_on_map(found.areas)
    at = grid.locate([50.5, 50.5, 53.5, 53.5, 52.0], [8.5, 10.5, 8.5, 10.5, 9.0])
    assert [(*found.names, "none")[label] for label in labels[at]] == [
        "Aal",
        "Bee",
        "Cox",
        "Cox",
        "none",
    ]
    blocks = PolygonBlocks(found.names, found.areas)
    places = OwnPlaces("0:5", "50,54,8,12", 0.1)
    partition = blocks.build(places.load().domain)
    assert set(partition.names) >= set(found.names)


OPTIONS = {
    "0 and 1": "Bus,Train\n1,0\n1,1\n0,1\n1,0\n0,0\n,\n",
    "LimeSurvey": "id,By? [Bus],By? [Train]\n1,Yes,No\n2,Yes,Yes\n3,No,Yes\n4,Yes,No\n5,No,No\n",
    "KoBo": "How?,How?/Bus,How?/Train\nb,1,0\nb t,1,1\nt,0,1\nb,1,0\nw,0,0\n",
    "a cross": "id;Bus;Train;Walk\na;x;;\nb;x;x;\nc;;x;\nd;x;;\ne;;;x\nf;;;\n",
    "SurveyMonkey": "Respondent ID,How?,,\n,Bus,Train,Walk\n11,Bus,,\n12,Bus,Train,\n13,,Train,\n"
    "14,Bus,,\n15,,,Walk\n",
}
"""Five people: Bus, both, Train, Bus, neither; where the last walks there is a third column."""
CODES = [("smokes", "age"), *((1 + n % 2, 20 + n % 9) for n in range(30)), (-77, 30), (-77, 31)]
COUNTED = {"yes": 15, "no": 15}


@pytest.mark.slow
@pytest.mark.usefixtures("one_connection")
@pytest.mark.parametrize("question", [[], ["smokes"]])
def test_words_for_codes_come_from_another_sheet(question: list[str], tmp_path: Path) -> None:
    listed = [(*question, 1, "yes"), (*question, 2, "no"), (*question, -77, "refused")]
    titles = (*("question" for _ in question), "code", "label")
    data = workbook(("Cover", [("A survey",)]), ("Data", CODES), ("Codes", [titles, *listed]))
    answers = {"sheet": "Data", "no-answer-codes": "leave-out", "codes": "words"}
    kept = Kept(30, COUNTED, answers=answers)
    assert_is(read_on_the_page(data, "survey.xlsx", kept), kept)
    assert_is(read_by_the_command(data, "survey.xlsx", kept, tmp_path), kept)
    as_codes = replace(kept, counts={"1": 15, "2": 15}, answers=answers | {"codes": "keep"})
    assert_is(read_on_the_page(data, "survey.xlsx", as_codes), as_codes)


def test_words_for_codes_are_typed(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("\n".join(f"{a},{b}" for a, b in CODES))
    arguments = ["count", str(tmp_path / "a.csv"), "-o", str(tmp_path / "out.csv"), "--words"]
    accept = ["--accept", "no-answer-codes"]
    done = CliRunner().invoke(main, [*arguments, "1 = yes; 2=no; -77 = refused", *accept])
    assert (done.exit_code, done.stderr) == (0, "")
    table = read_table(tmp_path / "out.csv").table
    assert dict(zip(table.names, table.counts, strict=True)) == COUNTED
    wrong = CliRunner().invoke(main, [*arguments, "1 yes", *accept])
    assert (wrong.exit_code, "must be written as “1 = yes; 2 = no”" in wrong.stderr) == (2, True)


def test_a_long_line_of_lists_is_not_parsed_on_a_server_where_no_record_follows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parsed = list[int]()
    loads = json.loads

    def note(text: bytes) -> Any:
        parsed.append(len(text))
        return loads(text)

    monkeypatch.setattr(json, "loads", note)
    assert not table._holds_records(b'{"features":[' + b"[[]]," * 50_000)
    assert not parsed
    assert table._holds_records(b'{"a": 1}\n{"a": 2}\n')
    assert parsed == [8]
