"""Files as people have them, what a check asks of each, and what is right once it is answered.

A line of `cases.jsonl` is a case: of people (asked, read), of survey services and phones (unseen)
or of offices; of "asked" one thing is asked, "read" can be read in one way only. Those of the group
"file" say what the files of the folder `cases` lead to.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final


@dataclass(frozen=True)
class Case:
    """A file, the `check` that must ask, the answer to it, and what is counted then.

    `people` in all; `counts` by answer, or None on a map; `at`: latitude and longitude of a place.
    """

    text: str
    check: str
    answer: str
    people: int
    counts: dict[str, int] | None = None
    at: tuple[float, float] | None = None
    name: str = "file.csv"
    options: tuple[str, ...] = ()


def geojson(*features: tuple[Any, dict[str, Any]], **more: Any) -> str:
    """A FeatureCollection of geometries and properties."""
    rows = [{"type": "Feature", "geometry": g, "properties": p} for g, p in features]
    return json.dumps({"type": "FeatureCollection", "features": rows, **more})


ROWS: Final = [
    json.loads(line)
    for line in Path(__file__).with_name("cases.jsonl").read_text("utf-8").split("\n")[:-1]
]


def _cases(group: str) -> dict[str, Case]:
    """By name; tuples are lists in the file."""
    found: dict[str, Case] = {}
    for row in ROWS:
        if row["group"] == group:
            fields = {"check": "", "answer": "", **row}
            name, _ = fields.pop("case"), fields.pop("group")
            lists = {key: tuple(value) for key, value in fields.items() if isinstance(value, list)}
            found[name] = Case(**(fields | lists))
    return found


ASKED: Final = _cases("asked")
READ: Final = _cases("read")
OFFICE_ASKED: Final = _cases("office asked")
OFFICE_READ: Final = _cases("office read")
UNSEEN_READ: Final = _cases("unseen read")
UNSEEN_ASKED: Final = {
    **_cases("unseen asked"),
    "a code far below 5,000 rows": Case(
        "id,age\n" + "".join(f"{n},{20 + n % 60}\n" for n in range(60_000)) + "60000,-99\n" * 9,
        "no-answer-codes",
        "leave-out",
        60_000,
        {"20": 1_000},
    ),
    "a note far below 5,000 rows": Case(
        "answer,town\n" + "yes,a\nno,b\n" * 9_000 + "Source: Office of Statistics,\n",
        "notes",
        "leave-out",
        18_000,
        {"yes": 9_000},
    ),
    "years far below 5,000 rows": Case(
        "year,answer,people\n"
        + "".join(f"{2019 + n // 6_000},a{n % 60},{n % 7}\n" for n in range(12_000)),
        "periods",
        "2020",
        sum(n % 7 for n in range(6_000, 12_000)),
    ),
}
FORMS: Final = ASKED["several choices, combinations"].text
BODIES: Final = ASKED["body weight"].text
DUTCH: Final = ASKED["exchanged"].text
NORTHINGS: Final = "E,N\n" + "".join(f"{687515 + n},{5341412 + n}.3\n" for n in range(20))

_AREAS: Final = [
    (each["geometry"], each["properties"])
    for each in json.loads(UNSEEN_ASKED["areas with numbers"].text)["features"]
]
_FAR: Final = {
    "type": "Polygon",
    "coordinates": [
        [[688_000 + east, 5_340_000 + north] for east, north in ((0, 0), (1, 0), (0, 1), (0, 0))]
    ],
}
_UNQUOTED: Final = "Line 2 of .* is probably one number, with a comma but without quotation marks"
REFUSED: Final = {
    "\0" * 12 + "\u00c2": "not a text file",
    "HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!": "a file of SAS",
    "ASCII SPSS PORT FILE": "a file of SPSS",
    "RDX3\nX\n": "a file of R",
    "ARROW1\0\0": "save its table there as CSV or Parquet",
    "<?xml version='1.0'?>\n<!DOCTYPE HealthData [": "an export of Apple Health",
    "BEGIN:VCARD\nVERSION:3.0\n": "a calendar or address book",
    "From: a@b.c\nTo: d@e.f\n": "an e-mail",
    "$GPGGA,123519,4807.038,N,01131.000,E,1": "a track of a GPS receiver",
    "[01.10.26, 08:01:12] Ann: Hello\n": "a chat of WhatsApp",
    "10/1/26, 8:01 AM - Ann: Hello\n": "a chat of WhatsApp",
    "answers:\n  - answer: yes\n": "YAML",
    '{"version": "2.0", "class": "dataset"}': "JSON-stat",
    '{ "meta" : {\n "view" : {}}}': "on its page, export the table as CSV",
    '<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">': (
        "XML of Excel"
    ),
    '<?xml version="1.0"?>\n<!-- '
    + "x" * 1_200
    + ' -->\n<gpx><wpt lat="48.1" lon="11.5"/></gpx>': ("a GPX file; in QGIS"),
    '<?xml version="1.0"?>\n<k:kml xmlns:k="http://www.opengis.net/kml/2.2"></k:kml>': "a KML file",
    "<HTML><BODY><TABLE><TR><TD>yes</TD></TR></TABLE></BODY></HTML>": "a web page; copy its table",
    '<?xml version="1.0"?>\n<osm version="0.6"><node id="1"/></osm>': "an export of OpenStreetMap",
    json.dumps(
        [{"startTime": "2026", "visit": {"topCandidate": {}}}]
    ): "a Google Timeline; convert",
    '{\n  "locations" : [{\n "latitudeE7" : 481000000 }]}': "a Google Timeline; convert",
    'CHARSET="ANSI";\nAXIS-VERSION="2010";\nDATA=\n1 2;\n': "a PC-Axis file; on the page",
    json.dumps({"type": "Topology", "objects": {}, "arcs": []}): "TopoJSON; on mapshaper.org",
    geojson(
        *((shape, {"name": own["name"]}) for shape, own in _AREAS)
    ): "must be GeoJSON with points",
    geojson((_FAR, {"people": 5})): "Corners in .* must be .* in degrees",
    "lat;lon\n48 11 53 N;11 31 24 E\n": "says a place",
    **dict.fromkeys(
        (
            "answer,people\nyes,1,234\nno,2,345\nmaybe,120\n",
            "answer,people\nyes,1,234\nno,2,345\nmaybe,9,120\n",
            "answer,people,region\nyes,1,234,567,N\nno,345,N\nmaybe,120,S\n",
            "Antwort,Anteil\nja,45,3\nnein,54,7\n",
            "salary\n1,234\n2,345\n999\n",
            "answer,people\nyes,1,234\nno,12\nSource, Census, 2020\n",
        ),
        _UNQUOTED,
    ),
}
"""Texts that can't be read, and the sentence that says the way out."""

ORDERS: Final = (
    "strongly disagree; disagree; neither agree nor disagree; agree; strongly agree",
    "stimme überhaupt nicht zu; stimme nicht zu; teils/teils; stimme zu; stimme voll zu",
    "trifft gar nicht zu; trifft eher nicht zu; trifft eher zu; trifft voll zu",
    "pas du tout d’accord; plutôt pas d’accord; plutôt d’accord; tout à fait d’accord",
    "totalmente en desacuerdo; en desacuerdo; de acuerdo; totalmente de acuerdo",
    "molto insoddisfatto; insoddisfatto; neutrale; soddisfatto; molto soddisfatto",
    "mai; raramente; talvolta; spesso; sempre",
    "zdecydowanie nie; raczej nie; trudno powiedzieć; raczej tak; zdecydowanie tak",
    "never; yearly; monthly; weekly; daily",
    "ungenügend; mangelhaft; ausreichend; befriedigend; gut; sehr gut",
    "Montag; Dienstag; Mittwoch; Donnerstag",
    "S; M; L; XL",
)
"""Scales in several languages."""
