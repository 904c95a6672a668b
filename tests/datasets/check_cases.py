"""Files as people have them, what a check asks of each, and what is right once it is answered."""

import json
from dataclasses import dataclass
from typing import Any


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


INCOMES = {"under 10k": 1234, "10-20k": 2345, "20-50k": 987, "50k+": 321}
TOTAL = "Income,Households\n" + "".join(f"{name},{n}\n" for name, n in INCOMES.items())
CROSSTAB = (
    "District,good,fair,poor,Total\nNorth,120,60,20,200\nSouth,80,50,30,160\nWest,40,10,10,60\n"
    "Total,240,120,60,420\n"
)
BODIES = "alter;gewicht\n" + "".join(f"{30 + n % 5};{61 + n},5\n" for n in range(20))
NORTHINGS = "E,N\n" + "".join(f"{687515 + n},{5341412 + n}.3\n" for n in range(20))
FORMS = (
    "Id,Start time,How do you get to school?\n"
    "1,10/1/26 8:01:12,Bus;On foot;\n2,10/1/26 8:01:40,Bus;\n3,10/1/26 8:02:03,On foot;Bus;\n"
    "4,10/1/26 8:02:31,On foot;\n5,10/1/26 8:03:09,Bicycle;Bus;\n6,10/1/26 8:03:55,Bus;Bicycle;\n"
)
AGES = [17 + n * 7 % 60 for n in range(100)]
MISSING = "age\n" + "\n".join(map(str, [*AGES, *[-99] * 5, *[999] * 4])) + "\n"
SHARES = "answer,share\nbus,45 %\ncar,30 %\non foot,25 %\n"
DUTCH = (
    "lat,lon,people\n4.9041,52.3676,50\n4.4777,51.9244,30\n5.1214,52.0907,20\n4.3007,52.0705,10\n"
)
TURNED = "lat,lon,people\n42.36,288.94,5\n40.71,285.99,7\n34.05,241.76,3\n"
PHONE = "latitudeE7,longitudeE7\n481982300,115235299\n480603300,116157500\n481495400,115316400\n"
POINTS = geojson(
    (
        {"type": "MultiPoint", "coordinates": [[11.5, 48.1], [11.6, 48.1], [11.7, 48.1]]},
        {"people": 6},
    ),
    ({"type": "Point", "coordinates": [11.5, 48.2]}, {"people": 1}),
)
PLACES = 'place,coordinates,visitors\nLouvre,"48.8606, 2.3376",120\nOrsay,"48.86, 2.3266",111\n'
PAIRS = 'id,location\n1,"48.19823, 11.52353"\n2,"48.06033, 11.61575"\n3,"48.15, 11.53"\n'
WKT = "place,wkt,people\na,POINT (11.57549 48.13743),5\nb,POINT (11.6033 48.1497),7\n"
GEOMETRY = (
    'id,geometry,people\n1,"{""type"":""Point"",""coordinates"":[11.57549,48.13743]}",5\n'
    '2,"{""type"":""Point"",""coordinates"":[11.6033,48.1497]}",7\n'
)
HIDDEN = "County,Cases\nAshford,12\nBrookby,<5\nCresthill,c\nDunmore,..\nElmside,27\nFernley,:\n"
BANDS = "Age band,People\n0-4,410\n09-May,398\n2026-10-14,377\n15-19,402\n20-24,455\n"
TEXTS = "comment\n" + "".join(f"my own words {n}\n" for n in range(40))
CANTONS = "Kanton;Einwohner\nZürich;100\nKanton Bern;20\nLuzern;3\nGenf;7\n"
STATES = "state,people,cars\nTexas,10,5\nOhio,6,4\nIowa,3,2\n"
ASKED = {
    "names of areas": Case(
        CANTONS,
        "areas",
        "Switzerland",
        130,
        {"Zürich": 100, "Bern": 20, "Lucerne": 3, "Genève": 7},
    ),
    "a name that is no area": Case(
        CANTONS + "Aargauu;4\nnowhere;2\n",
        "unknown-areas",
        "nearest",
        134,
        {"Zürich": 100, "Bern": 20, "Lucerne": 3, "Genève": 7, "Aargau": 4},
        options=("--accept", "areas"),
    ),
    "two columns of numbers beside areas": Case(
        STATES,
        "people-of-areas",
        "cars",
        11,
        {"Texas": 5, "Ohio": 4, "Iowa": 2},
        options=("--accept", "areas"),
    ),
    "total row": Case(TOTAL + "Total,4887\n", "total-row", "leave-out", 4887, INCOMES),
    "Summe above": Case(
        TOTAL.replace("\n", "\nSumme,4887\n", 1), "total-row", "leave-out", 4887, INCOMES
    ),
    "a total by its number alone": Case(
        TOTAL + "Every household,4887\n", "total-row", "leave-out", 4887, INCOMES
    ),
    "crosstab": Case(CROSSTAB, "crosstab", "columns", 420, {"good": 240, "fair": 120, "poor": 60}),
    "crosstab with a column that sounds like people": Case(
        "District,Few visits,Many visits\nNorth,120,60\nSouth,80,50\nWest,40,10\n",
        "crosstab",
        "columns",
        360,
        {"Few visits": 240, "Many visits": 120},
    ),
    "one of several columns that sound like people": Case(
        "answer,Nothing,Hide small counts,Noise in blocks\ngood,455,455,457.5\nfair,12,0,9.25\n",
        "people",
        "rows",
        2,
        {"good": 1, "fair": 1},
    ),
    "crosstab below two rows of titles": Case(
        "District,Men,,Women,\n,yes,no,yes,no\nN,30,40,50,60\nS,31,42,53,64\nW,5,6,7,8\n",
        "crosstab",
        "columns",
        396,
        {"Men yes": 66, "Men no": 88, "Women yes": 110, "Women no": 132},
    ),
    "crosstab by group": Case(
        CROSSTAB.replace("Total,240,120,60,420\n", ""),
        "crosstab",
        "groups",
        420,
        {
            f"{answer}; {group}": n
            for group, row in {
                "North": (120, 60, 20),
                "South": (80, 50, 30),
                "West": (40, 10, 10),
            }.items()
            for answer, n in zip(("good", "fair", "poor"), row, strict=True)
        },
    ),
    "body weight": Case(
        BODIES,
        "people",
        "rows",
        20,
        {str(age): 4 for age in range(30, 35)},
        options=("--answer", "alter"),
    ),
    "body weight in whole kilograms": Case(
        BODIES.replace(",5", ""),
        "people",
        "rows",
        20,
        {str(age): 4 for age in range(30, 35)},
        options=("--answer", "alter"),
    ),
    "codes for no answer": Case(MISSING, "no-answer-codes", "leave-out", 100),
    "several choices, combinations": Case(
        FORMS,
        "several-choices",
        "combinations",
        6,
        {"Bus; On foot": 2, "Bicycle; Bus": 2, "Bus": 1, "On foot": 1},
    ),
    "shares": Case(SHARES, "shares", "2000", 2000, {"bus": 900, "car": 600, "on foot": 500}),
    "exchanged": Case(DUTCH, "exchanged", "exchange", 110, at=(52.3676, 4.9041)),
    "0 to 360": Case(TURNED, "longitudes-360", "west", 15, at=(42.36, -71.06)),
    "ten-millionths": Case(PHONE, "ten-millionths", "degrees", 3, at=(48.19823, 11.52353)),
    "thousands beside degrees": Case(
        "lat,lon,Personen\n48.1,11.5,1.234\n48.2,11.6,15.000\n48.3,11.5,3\n",
        "thousands",
        "whole",
        16237,
        at=(48.2, 11.6),
    ),
    "in one column": Case(PAIRS, "one-column", "split", 3, at=(48.19823, 11.52353)),
    "in one column beside others": Case(PLACES, "one-column", "split", 231, at=(48.8606, 2.3376)),
    "WKT in one column": Case(WKT, "one-column", "split", 12, at=(48.1497, 11.6033)),
    "GeoJSON in one column": Case(GEOMETRY, "one-column", "split", 12, at=(48.1497, 11.6033)),
    "hidden counts": Case(
        HIDDEN,
        "hidden-counts",
        "zero",
        39,
        {"Ashford": 12, "Brookby": 0, "Cresthill": 0, "Dunmore": 0, "Elmside": 27, "Fernley": 0},
    ),
    "hidden counts of three": Case(
        HIDDEN,
        "hidden-counts",
        "3",
        51,
        {"Ashford": 12, "Brookby": 3, "Cresthill": 3, "Dunmore": 3, "Elmside": 27, "Fernley": 3},
    ),
    "hidden counts left out": Case(
        HIDDEN, "hidden-counts", "keep", 39, {"Ashford": 12, "Elmside": 27}
    ),
    "bands that are dates": Case(
        BANDS,
        "bands-as-dates",
        "bands",
        2042,
        {"0-4": 410, "5-9": 398, "10-14": 377, "15-19": 402, "20-24": 455},
    ),
    "several points": Case(POINTS, "several-points", "once", 7, at=(48.2, 11.5), name="f.geojson"),
    "texts of their own": Case(TEXTS, "own-answers", "keep", 40, options=("--header",)),
}
"""Files of which something is asked."""
LONG = [f"a very long wording {'x' * 110}{n}" for n in (1, 2)] + [f"3{'y' * 118}{n}" for n in "12"]
RECORDS = [{"lat": 48.1, "lon": 11.5, "people": 2}, {"lat": 48.2, "lon": 11.6, "people": 7}]
FEATURES = "".join(
    json.dumps(
        {
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": [each["lon"], each["lat"]]},
            "properties": {"people": each["people"]},
        }
    )
    + "\n"
    for each in RECORDS
)
READ = {
    "a title above the table, as spreadsheets save it": Case(
        "Report 2026,,\n,,\nanswer,people,region\nyes,3,N\nno,4,N\nother,5,S\n",
        "",
        "",
        12,
        {"yes": 3, "no": 4, "other": 5},
    ),
    "JSON records": Case(json.dumps(RECORDS, indent=1), "", "", 9, at=(48.2, 11.6)),
    "JSON records a line each": Case(
        "".join(json.dumps(each) + "\r\n" for each in RECORDS), "", "", 9, at=(48.2, 11.6)
    ),
    "features a line each": Case(FEATURES, "", "", 9, at=(48.2, 11.6)),
    "labels of more than 120 characters": Case(
        "answer,people\n" + "".join(f"{name},{n}\n" for n, name in enumerate(LONG, start=1)),
        "",
        "",
        10,
        {
            f"{LONG[0][:119]}…": 1,
            f"{LONG[1][:114]}… 2": 2,
            LONG[2][:119] + "1": 3,
            LONG[3][:119] + "2": 4,
        },
    ),
    "line break in a title": Case(
        '"How often do\nyou use it?",people\ndaily,120\nweekly,80\nnever,40\n',
        "",
        "",
        240,
        {"daily": 120, "weekly": 80, "never": 40},
    ),
    "line breaks in titles of places": Case(
        '"Latitude\n(WGS84)","Longitude\n(WGS84)"\n48.1,11.5\n48.2,11.6\n48.3,11.7\n',
        "",
        "",
        3,
        at=(48.1, 11.5),
    ),
    "sep=": Case("sep=;\nanswer;region\nhigh;N\nmid;S\nhigh;S\n", "", "", 3, {"high": 2, "mid": 1}),
    "titles as R writes them": Case(
        "answer,people,region\n1,yes,3,N\n2,no,4,N\n3,other,2,S\n",
        "",
        "",
        9,
        {"yes": 3, "no": 4, "other": 2},
    ),
    "a comma at the end of rows": Case(
        "answer,people,region\nyes,3,N,\nno,4,N,\nother,2,S,\n",
        "",
        "",
        9,
        {"yes": 3, "no": 4, "other": 2},
    ),
    "Qualtrics": Case(
        'Q1,Q2\nDo you smoke?,And your town?\n"{""ImportId"":""QID1""}","{""ImportId"":""QID2""}"\n'
        "yes,A\nno,B\nyes,B\n",
        "",
        "",
        3,
        {"yes": 2, "no": 1},
    ),
    "ids": Case("respondent,answer\n17,yes\n18,no\n21,no\n", "", "", 3, {"no": 2, "yes": 1}),
    "decimals of people": Case(
        "réponse;effectif\nbon;1204,5\nassez bon;87,25\nmauvais;3,25\n",
        "",
        "",
        1295,
        {"bon": 1205, "assez bon": 87, "mauvais": 3},
    ),
    "weights below one half": Case(
        "answer,weight\n"
        + "".join(f"rare {n},0.45\n" for n in range(10))
        + "often,3.2\nnever,2.6\n",
        "",
        "",
        10,
        {"rare 0": 1, "rare 1": 1, "rare 2": 1, "rare 3": 1, "often": 3, "never": 3}
        | {f"rare {n}": 0 for n in range(4, 10)},
    ),
    "unseen marks": Case(
        "answer,people\nZoe\u0308,3\nZo\u00eb,4\n\u200bBen\u200f,5\n",
        "",
        "",
        12,
        {"Zoë": 7, "Ben": 5},
    ),
    "a minus that is no hyphen": Case(
        "lat,lon\n−33.9,18.4\n−33.8,18.5\n", "", "", 2, at=(-33.9, 18.4)
    ),
    "degrees, minutes, seconds": Case(
        'lat,lon\n"40°42\'46""N","74°0\'22""W"\n40.71° N,74.0060 W\n',
        "",
        "",
        2,
        at=(40.7128, -74.0061),
    ),
    "features without a place": Case(
        geojson(
            (None, {"people": 4}),
            ({"type": "LineString", "coordinates": [[1, 2], [3, 4]]}, {"people": 5}),
            ({"type": "Point", "coordinates": [11.5, 48.1]}, {"people": 2}),
        ),
        "",
        "",
        2,
        at=(48.1, 11.5),
        name="f.geojson",
    ),
}
"""Files that can be read in one way only."""
