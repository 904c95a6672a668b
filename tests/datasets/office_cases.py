"""Tables of offices with shares, parts of rows, trips and metres, and what is right for each."""

from typing import Final

from tests.datasets.check_cases import Case

ASKED: Final = {
    **{
        f"shares in {kind}": Case(
            text, "shares", "1000", sum(counts.values()), counts, options=more
        )
        for kind, text, counts, more in (
            (
                "several columns",
                "Bezirk;Ja;Nein\nNord;45,3;54,7\nSüd;50,1;49,9\nWest;33,3;66,7\n",
                {"Nord": 453, "Süd": 501, "West": 333},
                ("--accept", "crosstab=Ja"),
            ),
            (
                "columns of years",
                "Answer,2022,2023\nyes,45.1,47.2\nno,50.9,48.8\nnone,4.0,4.0\n",
                {"yes": 472, "no": 488, "none": 40},
                ("--accept", "crosstab=2023"),
            ),
            (
                "a column with a gap",
                "Antwort;Anteil\nja;45,3 %\nnein;50,7 %\nweiß nicht;k. A.\n",
                {"ja": 453, "nein": 507},
                (),
            ),
            (
                "answers of which people gave several",
                "Source,%\nTV,72\nRadio,45\nOnline,81\n",
                {"TV": 720, "Radio": 450, "Online": 810},
                (),
            ),
        )
    },
    "shares of several columns": Case(
        "District,yes,no\nNorth,45%,55%\nSouth,50%,50%\n",
        "crosstab",
        "no",
        1050,
        {"North": 550, "South": 500},
        options=("--accept", "shares=1000"),
    ),
    "percent before people": Case(
        "Antwort;in %;absolut\nja;60,0;120\nnein;40,0;80\n",
        "people",
        "keep",
        200,
        {"ja": 120, "nein": 80},
    ),
    "parts of rows above": Case(
        "Status;People\nEmployed;300\nof which part-time;80\nof which full-time;220\nNone;50\n",
        "parts-of-rows",
        "leave-out",
        350,
        {"Employed": 300, "None": 50},
    ),
    "years above columns of people": Case(
        "Region;2022;;2023;\n;men;women;men;women\nN;100;110;101;112\nS;200;210;205;213\n"
        "W;50;55;52;57\n",
        "crosstab",
        "2023 women",
        382,
        {"N": 112, "S": 213, "W": 57},
    ),
    "metres with decimal commas": Case(
        "Rechtswert;Hochwert;Anzahl\n4468503,5;5333304,2;3\n4468603,5;5333404,2;5\n",
        "metres",
        "keep",
        8,
    ),
    "metres of a census": Case(
        "E_KOORD;N_KOORD;B22BTOT\n2600000;1200000;12\n2600100;1200000;3\n", "metres", "keep", 2
    ),
    **{
        f"people {unit}": Case(
            text, "multiples", "times", people, {"a": people - 2_000, "b": 2_000}
        )
        for unit, text, people in (
            ("in thousands above", "People in thousands\n\nanswer;people\na;13\nb;2\n", 15_000),
            ("in Tsd.", "Angaben in Tsd.\nAntwort;Personen\na;1,5\nb;2\n", 3_500),
            ("in a line of commas", "Table 1, all, (000s)\nanswer,people\na,13\nb,2\n", 15_000),
            ("in a note", "Pays;Effectif\na;1,5\nb;2\nNote : en milliers\n", 3_500),
            ("times 1 000", "Personen × 1 000;;\n;;\nJahr;Antwort;Personen\n1;a;1\n1;b;2\n", 3_000),
            ("below titles", "Antwort;Personen\n;in 1000\na;1\nb;2\n", 3_000),
            ("in migliaia", "Valori in migliaia\nrisposta;persone\na;1\nb;2\n", 3_000),
        )
    },
    "a crosstab in thousands": Case(
        "Employed (in 1,000),,\nSex,2022,2023\na,10,11\nb,20,22\n",
        "multiples",
        "times",
        33_000,
        {"a": 11_000, "b": 22_000},
        options=("--accept", "crosstab=2023"),
    ),
    "millions above": Case(
        "Population (millions)\nanswer,people\na,1.5\nb,2\n",
        "multiples",
        "times",
        3_500_000,
        {"a": 1_500_000, "b": 2_000_000},
    ),
    "both sexes beside each": Case(
        "Comunidad;Sexo;Total\nA;Ambos sexos;30\nA;Hombres;14\nA;Mujeres;16\n"
        "B;Ambos sexos;21\nB;Hombres;10\nB;Mujeres;11\n",
        "total-row",
        "leave-out",
        51,
        {"A; Hombres": 14, "B; Mujeres": 11},
    ),
    "a value of each label": Case(
        "Territorio,Sesso,Valore\nAlba,maschi,410\nAlba,femmine,440\nAlba,totale,850\n"
        "Bra,maschi,290\nBra,femmine,297\nBra,totale,587\n",
        "total-row",
        "leave-out",
        1437,
        {"Alba; maschi": 410, "Bra; femmine": 297},
        options=("--accept", "people=keep"),
    ),
    "a number that is not published": Case(
        "Antwort;Anzahl\nja;120\nnein;/\nweiß nicht;.\nkeine Angabe;30\n",
        "hidden-counts",
        "keep",
        150,
        {"ja": 120, "keine Angabe": 30},
    ),
    "codes of areas and their total": Case(
        "Kanton;Personen\nZH;15\nBE;10\nGE;5\nTotal;30\n",
        "areas",
        "Switzerland",
        30,
        {"Zürich": 15, "Bern": 10, "Genève": 5},
        options=("--accept", "total-row=leave-out"),
    ),
    "bold totals that Markdown draws": Case(
        "| Antwort | Anzahl |\n|---|---|\n| Ja | 12 |\n| Nein | 7 |\n| **Summe** | **19** |\n",
        "total-row",
        "leave-out",
        19,
        {"Ja": 12, "Nein": 7},
    ),
    "three codes of areas": Case(
        "state,people\nTX,10\nOH,6\nIA,3\n", "areas", "United States", 19, {"Texas": 10, "Ohio": 6}
    ),
    "two names of areas": Case(
        "Land;Personen\nBayern;10\nHessen;6\n", "areas", "Germany", 16, {"Bayern": 10, "Hessen": 6}
    ),
    "places in one column with a plain title": Case(
        "ville;position\nParis;48.8566, 2.3522\nLyon;45.7640, 4.8357\n",
        "one-column",
        "split",
        2,
        at=(48.8566, 2.3522),
    ),
    "places in one column, degrees": Case(
        "Ort;Lage\nBonn;50.73° N 7.1° E\nUlm;48.4° N 10.0° E\n",
        "one-column",
        "split",
        2,
        at=(50.73, 7.1),
    ),
}
"""Files of which one thing is asked."""

READ: Final = {
    "trips from place to place": Case(
        "o_lat,o_lon,d_lat,d_lon,trips\n48.1,11.5,48.2,11.6,12\n48.2,11.6,48.1,11.5,3\n",
        "",
        "",
        15,
        at=(48.1, 11.5),
    ),
    "trips beside their shares": Case(
        "Quelle;Ziel;Fahrten;Anteil\nMitte;Nord;1234;45,2\nMitte;Süd;812;29,7\nNord;Süd;685;25,1\n",
        "",
        "",
        2731,
        {"Mitte": 2046, "Nord": 685},
    ),
    **{
        f"a table that {program} draws": Case(text, "", "", 42, {"yes": 12, "no": 30})
        for program, text in (
            ("Markdown", "| answer | people |\n|---|---:|\n| yes | 12 |\n| no | 30 |\n"),
            ("Markdown without ends", "answer | people\n--- | :---:\nyes | 12\nno | 30\n"),
            ("psql", " answer | people \n--------+--------\n yes    |     12\n no     |     30\n"),
            (
                "MySQL",
                "+---+---+\n|answer|people|\n+---+---+\n| yes | 12 |\n| no | 30 |\n+---+---+\n",
            ),
        )
    },
    "one column that Markdown draws": Case(
        "| answer |\n|---|\n| yes |\n| no |\n| no |\n", "", "", 3, {"yes": 1, "no": 2}
    ),
    "no thousands in lines above": Case(
        "Mid-size towns (m/w/d), more than 1,000 answers, cases per 1,000 people\n\nanswer;people\n"
        "yes;13\nno;6\n",
        "",
        "",
        19,
        {"yes": 13, "no": 6},
    ),
    "codes that are no areas": Case(
        "choice,people\nTX,10\nOH,6\nIA,3\n", "", "", 19, {"TX": 10, "OH": 6}
    ),
    "commas in a line above digits in threes": Case(
        "Table 1, all ages\nanswer,people,wave\nyes,123,201\nno,45,202\n", "", "", 168, {"yes": 123}
    ),
    "names of rows and three digits, as R writes them": Case(
        "answer,people,region\n1,yes,234,N\n2,no,123,N\n3,other,345,S\n", "", "", 702, {"yes": 234}
    ),
}
"""Files that can be read in one way only."""

_UNQUOTED: Final = "Line 2 of .* is probably one number, with a comma but without quotation marks"
REFUSED: Final = dict.fromkeys(
    (
        "answer,people\nyes,1,234\nno,2,345\nmaybe,120\n",
        "answer,people\nyes,1,234\nno,2,345\nmaybe,9,120\n",
        "answer,people,region\nyes,1,234,567,N\nno,345,N\nmaybe,120,S\n",
        "Antwort,Anteil\nja,45,3\nnein,54,7\n",
        "salary\n1,234\n2,345\n999\n",
        "answer,people\nyes,1,234\nno,12\nSource, Census, 2020\n",
    ),
    _UNQUOTED,
)
"""Texts that can't be read, and the sentence that says the way out."""
