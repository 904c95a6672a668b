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
}
"""Files that can be read in one way only."""
