"""Files of offices, survey services and phones as they come, and what is right for each."""

import json
from typing import Final

from tests.datasets.check_cases import Case, geojson

_AGES: Final = [17 + n * 7 % 60 for n in range(100)]
_TOWNS: Final = {
    "Germany": ((48.137, 11.575), (52.52, 13.405), (53.55, 9.99), (50.94, 6.96)),
    "France": ((48.85, 2.35), (43.3, 5.37), (44.84, -0.58), (45.76, 4.84)),
    "Spain": ((40.42, -3.7), (41.38, 2.17), (39.47, -0.38)),
    "United Kingdom": ((51.5, -0.12), (53.48, -2.24), (55.95, -3.19)),
    "Greece": ((37.98, 23.73), (40.64, 22.94), (38.25, 21.73)),
}
_PLACES: Final = {"people": 3}


def _ages(*codes: str) -> str:
    return "age\n" + "\n".join([*map(str, _AGES), *codes]) + "\n"


def _exchanged(country: str) -> str:
    return "lat,lon\n" + "".join(f"{x},{y}\n" for y, x in _TOWNS[country])


def _points(*places: tuple[float, float]) -> list[dict[str, object]]:
    return [
        {
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": [x, y]},
            "properties": {"people": 2},
        }
        for y, x in places
    ]


def _area(west: float, south: float) -> dict[str, object]:
    """A pentagon, which is not a cell of a map."""
    corners = [(0.0, 0.0), (1.0, 0.0), (1.2, 0.5), (0.5, 1.0), (0.0, 1.0), (0.0, 0.0)]
    ring = [[west + east, south + north] for east, north in corners]
    return {"type": "Polygon", "coordinates": [ring]}


_AREAS: Final = (
    (_area(8, 50), {"id": 7, "name": "Aal", "population": 100}),
    (_area(10, 50), {"id": 8, "name": "Bee", "population": 50}),
    (_area(8, 53), {"id": 9, "name": "Cox", "population": 20}),
    (_area(10, 53), {"id": 10, "name": "Cox", "population": 5}),
)
_NUMBERS: Final = {"Ann": 1, "Ben": 1, "Cem": 1, "Dia": 1}
_BY_DISTRICT: Final = {"a": 10, "b": 20, "c": 5, "d": 6}
_STATES: Final = {"Texas": 21, "Ohio": 13, "Iowa": 6}
_CHOICES: Final = {"Bike; Bus": 2, "Bus": 1, "Bus; Foot": 1, "Foot": 1, "Bike": 1}
ASKED: Final = {
    **{
        f"{title} are no people": Case(
            f"name,{title}\nAnn,55\nBen,67\nCem,81\nDia,90\n", "people", "rows", 4, _NUMBERS
        )
        for title in ("score", "distance_km", "room", "rank", "cases per 100000")
    },
    "a total that is rounded": Case(
        "Kreis;Personen\nNord;120\nSüd;80\nWest;41\nOst;10\nAlles;250\n",
        "total-row",
        "leave-out",
        251,
        {"Nord": 120, "Süd": 80, "West": 41, "Ost": 10},
    ),
    "totals of parts": Case(
        "District,People\na,10\nb,20\nNorth total,30\nc,5\nd,6\nSouth total,11\nTotal,41\n",
        "total-row",
        "leave-out",
        41,
        _BY_DISTRICT,
    ),
    "totals in another column": Case(
        "county,sex,age,people\n"
        + "".join(
            f"{state} County,{sex},all ages,{n}\n"
            for state, parts in {"Texas": (21, 10, 11), "Ohio": (13, 6, 7)}.items()
            for sex, n in zip(("Total", "M", "F"), parts, strict=True)
        ),
        "total-row",
        "leave-out",
        34,
        {"Texas County": 21, "Ohio County": 13},
    ),
    "a total below records": Case(
        "answer\nyes\nno\nyes\nno\nyes\nTotal\n", "total-row", "leave-out", 5, {"yes": 3, "no": 2}
    ),
    "a row for each year": Case(
        "year,answer,people\n2019,yes,10\n2019,no,20\n2020,yes,11\n2020,no,21\n",
        "periods",
        "2020",
        32,
        {"yes": 11, "no": 21},
    ),
    "a row for each year, all of them": Case(
        "year,answer,people\n2019,yes,10\n2019,no,20\n2020,yes,11\n2020,no,21\n",
        "periods",
        "keep",
        62,
        {"yes": 21, "no": 41},
    ),
    "years above columns": Case(
        "Group,2019,2020\nred,100,110\nblue,50,55\ngreen,30,31\n",
        "crosstab",
        "groups",
        376,
        {"2019; red": 100, "2019; blue": 50, "2020; green": 31},
    ),
    "small numbers in columns": Case(
        "Class,yes,no\n5a,12,10\n5b,9,14\n5c,15,8\n",
        "crosstab",
        "columns",
        68,
        {"yes": 36, "no": 32},
    ),
    "two columns of labels": Case(
        "Region,District,yes,no\nN,a,30,40\nN,b,31,42\nS,c,5,6\n",
        "crosstab",
        "columns",
        154,
        {"yes": 66, "no": 88},
    ),
    "shares beside a crosstab": Case(
        "District,good,bad,good %\nN,30,10,75\nS,20,20,50\nW,5,15,25\n",
        "crosstab",
        "columns",
        100,
        {"good": 55, "bad": 45},
    ),
    "decimal commas in percentages": Case(
        "Antwort;Anteil\nja;45,3 %\nnein;29,7 %\nvielleicht;25,0 %\n",
        "shares",
        "1000",
        1000,
        {"ja": 453, "nein": 297, "vielleicht": 250},
    ),
    "percentages without a sign": Case(
        "answer,percent\nyes,45\nno,30\nmaybe,25\n",
        "shares",
        "200",
        200,
        {"yes": 90, "no": 60, "maybe": 50},
    ),
    **{
        f"{code} among ages": Case(_ages(*[code] * 4), "no-answer-codes", "leave-out", 100)
        for code in ("-1", "99", "NA", ".", "#NULL!")
    },
    "−1 on a scale from 1": Case(
        "mark\n" + "1\n2\n3\n4\n5\n-1\n" * 5, "no-answer-codes", "leave-out", 25
    ),
    **{
        f"choices with {sign!r}": Case(
            "answer\n"
            + "\n".join(
                each.replace("; ", sign)
                for each in ("Bus; Bike", "Bike; Bus", "Bus", "Foot; Bus", "Foot", "Bike")
            ),
            "several-choices",
            "combinations",
            6,
            _CHOICES,
        )
        for sign in (" / ", " + ", " & ", " and ", " ")
    },
    "a choice with a comma in brackets": Case(
        'Timestamp,Which?\n2026/10/01 8:01:12,"tram (red, blue), Bus"\n'
        '2026/10/01 8:02:12,"Bus, tram (red, blue)"\n2026/10/01 8:03:12,Bus\n',
        "several-choices",
        "combinations",
        3,
        {"Bus; tram (red, blue)": 2, "Bus": 1},
    ),
    **{
        f"exchanged in {country}": Case(
            _exchanged(country), "exchanged", "exchange", len(towns), at=towns[0]
        )
        for country, towns in _TOWNS.items()
    },
    **{
        f"in one column as {text}": Case(
            f"id\tplace\n1\t{text}\n2\t{text}\n", "one-column", "split", 2, at=(40.45, -79.98)
        )
        for text in (
            "40.45 -79.98",
            "geo:40.45,-79.98",
            "40.45 -79.98 520 5",
            "40.45/-79.98",
            "40.45° N, 79.98° W",
            "40°27'00\"N 79°58'48\"W",
            "SRID=4326;POINT(-79.98 40.45)",
        )
    },
    "longitude first": Case(
        json.dumps([{"id": n, "at": [-79.98, 40.45]} for n in range(3)]),
        "exchanged",
        "exchange",
        3,
        at=(40.45, -79.98),
        options=("--accept", "one-column"),
    ),
    "Eurostat's table": Case(
        "unit,sex,geo\\time\t2020 \t2021 \nNR,T,DE\t12 b\t14 p\n"
        "NR,T,FR\t20 \t21 \nNR,T,IT\t: c\t33 e\n",
        "crosstab",
        "2021",
        68,
        {"DE": 14, "FR": 21, "IT": 33},
        name="demo.tsv",
        options=("--accept", "marks", "--accept", "areas=keep"),
    ),
    "numbers of which most are hidden": Case(
        "county,deaths\nAdams,<5\nBaker,12\nClark,*\nDane,30\nEssex,–\nFord,c\nGrant,7\n",
        "hidden-counts",
        "3",
        61,
        {"Adams": 3, "Essex": 3, "Dane": 30},
        options=("--accept", "people=keep"),
    ),
    **{
        f"hidden numbers such as {hidden}": Case(
            f"county,people\nAdams,{hidden}\nBaker,12\nClark,{hidden}\nDane,30\nEssex,15\n",
            "hidden-counts",
            "2",
            61,
            {"Adams": 2, "Clark": 2, "Essex": 15},
        )
        for hidden in ("1-4", "fewer than 10", "unter 5", "withheld")
    },
    **{
        f"a crosstab with its sum, in {form}": Case(
            "State,Male,Female,Both sexes\n"
            + "".join(f"{name},{m},{f},{(10 * m + 10 * f) / 10}\n" for name, m, f in rows),
            "crosstab",
            "Both sexes",
            people,
            counts,
        )
        for form, rows, people, counts in (
            ("thousands", (("Aa", 312.5, 298.5), ("Bb", 40.1, 44.9)), 696, {"Aa": 611, "Bb": 85}),
            ("people", (("Aa", 120, 60), ("Bb", 80, 50)), 310, {"Aa": 180, "Bb": 130}),
        )
    },
    "a second table below": Case(
        "answer,people\nyes,10\nno,20\n\nregion,people\nNorth,15\nSouth,15\n",
        "second-table",
        "keep",
        60,
        {"yes": 10, "North": 15},
    ),
    "a name that is near none": Case(
        "country,people\nGermany,10\nFrance,20\nSpain,5\nItaly,4\nPortugal,2\n"
        "England,7\nScotland,3\nFrence,1\n",
        "unknown-areas",
        "nearest",
        42,
        {"Germany": 10, "France": 21},
        options=("--accept", "areas"),
    ),
    "words for no answer": Case(
        "id,smokes\n" + "".join(f"{n},{('yes', 'no', 'NA', 'n/a')[n % 4]}\n" for n in range(20)),
        "no-answer-codes",
        "leave-out",
        10,
        {"yes": 5, "no": 5},
    ),
    "flags and none": Case(
        "answer;people\nyes;1200 b\nno;340\nmaybe;25 p\nnone;:\n",
        "hidden-counts",
        "zero",
        1565,
        {"yes": 1200, "maybe": 25, "none": 0},
        options=("--accept", "marks"),
    ),
    **{
        f"{cells} in numbers": Case(
            "answer,people\n"
            + "".join(f"{a},{n}\n" for a, n in zip("abc", cells.split("; "), strict=True)),
            "marks",
            "numbers",
            people,
            {"a": 120, "b": 34},
        )
        for cells, people in (
            ("120[1]; 34; 55[2]", 209),
            ("120*; 34¹; 5 (a)", 159),
            ("120 people; 34 people; 1 person", 155),
            ("'120'; '34'; '5'", 159),
        )
    },
    "numbers with their percentages": Case(
        "answer,n (%)\nyes,120 (40.0 %)\nno,151 (50.3%)\nmaybe,29 (9.7 %)\n",
        "marks",
        "numbers",
        300,
        {"yes": 120, "no": 151, "maybe": 29},
    ),
    "parts below what they add up to": Case(
        "area,people\nBavaria,101\nMunich,60\nNuremberg,41\n"
        "Hesse,76\nFrankfurt,50\nKassel,26\nFulda,0\n",
        "total-row",
        "leave-out",
        177,
        {"Munich": 60, "Nuremberg": 41, "Frankfurt": 50, "Kassel": 26, "Fulda": 0},
    ),
    "parts above what they add up to": Case(
        "team,people\na,60\nb,41\nNorth,101\nc,50\nd,26\ne,11\nSouth,87\n",
        "total-row",
        "leave-out",
        188,
        {"a": 60, "b": 41, "c": 50, "d": 26, "e": 11},
    ),
    "a code of one digit beside others below 0": Case(
        "trust\n" + "".join(f"{n % 11}\n" for n in range(110)) + "-8\n-8\n-9\n-1\n",
        "no-answer-codes",
        "leave-out",
        110,
        {"0": 10, "10": 10},
    ),
    "a code of five digits": Case(
        "income\n" + "".join(f"{900 + n * 40}\n" for n in range(100)) + "99999\n99998\n",
        "no-answer-codes",
        "leave-out",
        100,
    ),
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
    "no plain number of people": Case(
        "answer,people\nyes,~12\nno,ca. 34\nmaybe,>100\n", "marks", "keep", 3
    ),
    **{
        f"{cells} below {title!r}": Case(
            f"answer;{title}\n"
            + "".join(f"{a};{n}\n" for a, n in zip("abc", cells.split("; "), strict=True)),
            "multiples",
            "times",
            people,
            {"a": 1200 if people < 10**5 else 1200000},
        )
        for title, cells, people in (
            ("people", "1.2k; 3k; 0.5k", 4700),
            ("Personen", "1,2 Mio.; 0,5 Mio.; 1 Mio.", 2700000),
            ("people (in thousands)", "1.2; 3.4; 0.5", 5100),
            ("Personen in 1000", "1,2; 3,4; 0,5", 5100),
            ("people (1,000,000s)", "1.2; 3.4; 0.5", 5100000),
        )
    },
    "areas in WKT": Case(
        'name,wkt,people\nA,"POLYGON ((0 0, 1 0, 1.2 0.5, 1 1, 0 0))",5\n'
        'B,"POLYGON ((2 0, 3 0, 3.2 0.5, 2 1, 2 0))",7\n'
        'C,"MULTIPOLYGON (((4 0, 5 0, 5 1, 4 1, 4.1 0.5, 4 0)))",9\n',
        "areas",
        "file",
        21,
        {"A": 5, "B": 7, "C": 9},
    ),
    **{
        f"{note!r} below records": Case(
            f"Answer,Town\nyes,a\nno,b\nyes,b\nno,a\n{note}\n", "notes", "leave-out", 4, {"yes": 2}
        )
        for note in (
            '"Source: Office, Berlin",',
            "Figures of last year alone,",
            "# end of file,",
            "Answer,Town",
        )
    },
    "a note below one column": Case(
        "answer\nyes\nno\nyes\nno\nQuelle: Amt für Statistik\n", "notes", "leave-out", 4, {"yes": 2}
    ),
    "capital letters": Case(
        "answer\nYes\nyes\nYES\nNo\nno\nYes\n", "spellings", "one", 6, {"Yes": 4, "No": 2}
    ),
    "two columns called people": Case(
        "answer,people,people\nyes,10,100\nno,20,200\n",
        "people-of-areas",
        "people (column 3)",
        300,
        {"yes": 100},
    ),
    "the sum of men and women": Case(
        "place,sex,people\na,T,30\na,M,10\na,F,20\nb,T,7\nb,M,3\nb,F,4\n",
        "total-row",
        "leave-out",
        37,
    ),
    "one of several years": Case(
        "Group,31.12.2019,31.12.2020\nred,100,110\nblue,50,55\ngreen,30,31\n",
        "crosstab",
        "31.12.2020",
        196,
        {"red": 110},
    ),
    **{
        f"choices in columns of {kind}": Case(
            text, "option-columns", "keep", people, counts, options=()
        )
        for kind, text, people, counts in (
            ("0 and 1", "Bus,Train\n1,0\n1,1\n0,1\n1,0\n0,0\n", 5, {"1": 3, "0": 2}),
            (
                "names",
                "id,Which? [Bus],Which? [Tram]\n1,Yes,No\n2,No,No\n3,Yes,Yes\n",
                3,
                {"Yes": 2},
            ),
        )
    },
    "values of an SDMX file": Case(
        "DATAFLOW,freq,team,TIME_PERIOD,OBS_VALUE,OBS_FLAG\n"
        + "".join(f"X(1.0),A,{team},2020,{n},\n" for team, n in {"red": 7, "blue": 9}.items()),
        "people",
        "keep",
        16,
        {"red": 7, "blue": 9},
    ),
    "areas with numbers": Case(
        geojson(*_AREAS), "areas", "file", 175, {"Aal": 100, "Bee": 50, "Cox": 25}, name="a.geojson"
    ),
    "areas with numbers, a line each": Case(
        "".join(
            json.dumps({"type": "Feature", "geometry": shape, "properties": own}) + "\n"
            for shape, own in _AREAS
        ),
        "areas",
        "file",
        175,
        {"Aal": 100, "Bee": 50, "Cox": 25},
    ),
}
"""Files of which one thing is asked."""

_LIMESURVEY: Final = (
    '"Antwort-ID";"Datum Abgeschickt";"Letzte Seite";"Rauchen Sie?"\n'
    '"1";"2026-01-01 10:00:00";"2";"Ja"\n"2";"2026-01-01 10:01:00";"2";"Nein"\n'
    '"3";"2026-01-01 10:02:00";"2";"Ja"\n'
)
_FORM: Final = "{},{}\n" + "".join(
    f"2026/01/01 10:0{n}:00 AM,{answer}\n" for n, answer in enumerate(("Ja", "Nein", "Ja"))
)
_TWICE: Final = {"Ja": 2, "Nein": 1}
READ: Final = {
    "ages with a leading zero": Case("age\n07\n12\n08\n30\n07\n12\n45\n", "", "", 7, {"07": 2}),
    "choices called by letters": Case(
        "choice;people\nA;10\nB;7\nC;5\nD;3\nE;1\n", "", "", 26, {"E": 1}
    ),
    **{
        f"a list without titles and {kind}": Case(
            "".join(f"{when},{('bus', 'car')[n > 1]}\n" for n, when in enumerate(whens)),
            "",
            "",
            4,
            {"bus": 2, "car": 2},
        )
        for kind, whens in {
            "dates": [f"2026-01-0{day}" for day in (1, 2, 3, 3)],
            "times": [f"2026-01-0{day} 10:00" for day in (1, 2, 3, 3)],
        }.items()
    },
    "means of groups": Case(
        "group,n,mean,sd\nA,100,5.2,1.1\nB,80,4.9,1.3\nC,50,6.1,0.9\n", "", "", 230, {"A": 100}
    ),
    "lat and long within titles": Case(
        "Stop lat,Stop long\n48.1,11.5\n48.2,11.6\n48.25,11.6\n", "", "", 3, at=(48.1, 11.5)
    ),
    "dates that are no choices": Case(
        "case_id,onset,outcome\n"
        + "".join(
            f"C{n},0{1 + n % 9}/0{1 + n % 3}/2026,{('well', 'ill')[n % 2]}\n" for n in range(40)
        ),
        "",
        "",
        40,
        {"well": 20, "ill": 20},
    ),
    "addresses of phones": Case(
        "mac;place;first_seen\naa:01;Library;2026-01-01 10:00\naa:02;Library;2026-01-01 10:01\n"
        "aa:01;Café;2026-01-01 11:00\naa:03;Café;2026-01-01 11:05\n",
        "",
        "",
        4,
        {"Library": 2, "Café": 2},
    ),
    **{
        f"comments such as {line!r}": Case(
            f"{line}\n# date: 2026\nanswer,people\nyes,10\nno,20\n", "", "", 30, {"yes": 10}
        )
        for line in ("# by me", "# by me, us, them", "#source=me", "## by, me")
    },
    "titles behind a sign": Case("# answer,people\nyes,10\nno,20\n", "", "", 30, {"yes": 10}),
    **{
        f"digits such as {cells}": Case(
            "answer;people\n"
            + "".join(f"{a};{n}\n" for a, n in zip("ab", cells.split("; "), strict=True)),
            "",
            "",
            people,
            {"a": people - 34},
        )
        for cells, people in (
            ("١٢٠; ٣٤", 154),
            ("۱۲۰; ۳۴", 154),
            ("१२०; ३४", 154),
            ("১২০; ৩৪", 154),
            ("๑๒๐; ๓๔", 154),
            ("１２０; ３４", 154),
            ("١٬٢٠٠; ٣٤", 1234),
            ("1,23,456; 34", 123490),
            ("1\u2009200; 34", 1234),
        )
    },
    "Arabic": Case(
        "\u200fالجواب\u200f,\u200fعدد\u200f\nنعم,١٢٠\nلا,٣٤٠\n", "", "", 460, {"نعم": 120}
    ),
    "Hebrew": Case("תשובה,אנשים\nכן,120\nלא,340\n", "", "", 460, {"כן": 120}),
    "CKAN's records": Case(
        json.dumps(
            {
                "success": True,
                "result": {
                    "fields": [{"id": "answer"}],
                    "records": [{"answer": "yes", "people": 10}, {"answer": "no", "people": 20}],
                },
            }
        ),
        "",
        "",
        30,
        {"yes": 10},
    ),
    "Typeform": Case(
        "#,Do you smoke?,Submit Date (UTC)\na1,Yes,2026-10-01 08:00:00\nb2,No,2026-10-01 08:01:00\n"
        "c3,Yes,2026-10-01 08:02:00\n",
        "",
        "",
        3,
        {"Yes": 2},
    ),
    "Jotform": Case(
        'Submission Date,Do you smoke?\n"Oct 1, 2026",Yes\n"Oct 2, 2026",No\n"Oct 2, 2026",Yes\n',
        "",
        "",
        3,
        {"Yes": 2},
    ),
    "LimeSurvey": Case(_LIMESURVEY, "", "", 3, _TWICE),
    **{
        f"a form that begins with {stamp}": Case(_FORM.format(stamp, title), "", "", 3, _TWICE)
        for stamp, title in (
            ("Informazioni cronologiche", "Fumi?"),
            ("Tijdstempel", "Rook je?"),
            ("Sygnatura czasowa", "Palisz?"),
            ("タイムスタンプ", "喫煙"),
        )
    },
    "Qualtrics with two rows of titles": Case(
        "ResponseId,Q1,Q2\nResponse ID,Smoke?,Your town?\nR_1,yes,A\nR_2,no,B\nR_3,yes,B\n",
        "",
        "",
        3,
        {"yes": 2, "no": 1},
    ),
    "a column of choices called by its choice": Case(
        "Network ID,Bus,Submit Date\nx1,Bus,2026-01-01 10:00:00\nx2,Car,2026-01-01 10:00:00\n"
        "x3,Bus,2026-01-02 10:00:00\n",
        "",
        "",
        3,
        {"Bus": 2, "Car": 1},
    ),
    "a summary with percentages": Case(
        "Answer Choices,Responses,Respondents\nSatisfied,45.45%,5\nNeutral,36.36%,4\nNot,18.18%,2\n"
        ",Skipped,0\n",
        "",
        "",
        11,
        {"Satisfied": 5, "Neutral": 4, "Not": 2},
    ),
    "numbers that are no people": Case(
        "Matrikelnummer;Note\n23451;gut\n23477;schlecht\n23499;gut\n",
        "",
        "",
        3,
        {"gut": 2, "schlecht": 1},
    ),
    "a margin beside people": Case(
        "County,Population,Margin\nAda,700,+/-12\nBee,80,+/-9\nCox,54,+/-7\n",
        "",
        "",
        834,
        {"Ada": 700, "Bee": 80, "Cox": 54},
    ),
    "means and deviations": Case(
        "class,mean,sd,n\na,3.4,1.1,45\nb,2.9,1.2,38\nc,3.0,0.9,41\n",
        "",
        "",
        124,
        {"a": 45, "b": 38, "c": 41},
    ),
    "thin spaces": Case(
        "Ort;Personen\nA;1\u2009234\nB;15\u2009000\nC;3\n", "", "", 16237, {"A": 1234, "C": 3}
    ),
    "people that are numbered": Case(
        "7\t2010-10-19T23:55:27Z\t30.235\t-97.795\t22847\n"
        "7\t2010-10-18T22:17:43Z\t30.269\t-97.749\t420315\n"
        "9\t2010-10-17T23:42:03Z\t30.255\t-97.763\t316637\n",
        "",
        "",
        3,
        at=(30.235, -97.795),
    ),
    "JSON below a key": Case(
        json.dumps({"ok": 1, "elements": 2 * [{"lat": 48.1, "lon": 11.5, "tags": {"a": "b"}}]}),
        "",
        "",
        2,
        at=(48.1, 11.5),
    ),
    "JSON records within records": Case(
        json.dumps(2 * [{"id": 1, "location": {"lat": 48.1, "lng": 11.5}}]),
        "",
        "",
        2,
        at=(48.1, 11.5),
    ),
    "JSON lists below titles": Case(
        json.dumps([["answer", "people"], ["yes", "12"], ["no", "30"]]),
        "",
        "",
        42,
        {"yes": 12, "no": 30},
    ),
    "JSON of numbers by answer": Case(
        json.dumps({"yes": 12, "no": 30}), "", "", 42, {"yes": 12, "no": 30}
    ),
    "a list of features": Case(
        json.dumps(_points((48.1, 11.5), (48.2, 11.6))), "", "", 4, at=(48.2, 11.6)
    ),
    "points of GeoJSON with heights": Case(
        geojson(({"type": "Point", "coordinates": [11.5, 48.1, 520]}, _PLACES)),
        "",
        "",
        3,
        at=(48.1, 11.5),
        name="f.geojson",
    ),
}
"""Files that can be read in one way only."""

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
    geojson((_area(688_000, 5_340_000), {"people": 5})): "Corners in .* must be .* in degrees",
    "lat;lon\n48 11 53 N;11 31 24 E\n": "says a place",
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
