"""Names of columns in the usual languages, and the role that a column has by its name."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

_NAMES: Final = {
    "latitude": """
        lat lati latitude latitud latitudine latitudes latitudinal breite breitengrad geobreite
        breddegrad breddgrad leveysaste leveyspiiri szerokosc sirka enlem breedtegraad
        широта 纬度 緯度 위도 y ycoord wgs84lat decimallatitude
    """,
    "longitude": """
        lon lng long longi longitude longitud longitudine laenge lange langengrad laengengrad
        geolaenge lengdegrad laengdgrad langdgrad pituusaste dlugosc delka boylam lengtegraad
        долгота 经度 經度 経度 경도 x xcoord wgs84lon decimallongitude
    """,
    "count": """
        count counts frequency freq n number total sum people persons population pop inhabitants
        residents respondents users visits checkins cases quantity
        anzahl haufigkeit haeufigkeit einwohner einwohnerzahl personen bevolkerung bevoelkerung
        bewohner menschen zahl falle faelle besuche nutzer befragte
        nombre effectif effectifs habitants personnes repondants visites frequence
        numero cantidad habitantes personas poblacion frecuencia encuestados casos visitas
        quantidade pessoas populacao frequencia contagem
        abitanti persone popolazione frequenza conteggio rispondenti
        aantal inwoners bevolking antal invanare indbyggere liczba ludnosc osoby
        человек население количество 人口 人数 数量 件数 인구
        weight weights wt wgt gewicht gewichte gewichtung poids ponderation peso ponderacion
        ponderacao hochrechnungsfaktor
    """,
    "answer": """
        answer answers category response responses value values choice reply
        antwort antworten kategorie wert angabe auspragung auspraegung
        reponse reponses categorie valeur choix
        respuesta respuestas categoria valor opcion resposta respostas opcao
        risposta risposte valore antwoord svar odpowiedz ответ 回答 答え 답변
    """,
    "group": """
        group groups block blocks stratum
        gruppe gruppen schicht groupe groupes grupo grupos gruppo gruppi groep grupp grupa
        группа 组 組 グループ 그룹
    """,
    "cell": "cell_degrees",
}
_OURS: Final = {"count": "estimated people"}
"""Its name in files of ours, which have a `number` of each cell beside it."""
ROLES: Final = {role: frozenset(names.split()) for role, names in _NAMES.items()}
"""Names by what is in the column, in lower case and without accents."""
_ALONE: Final = {
    "x",
    "y",
    "n",
    "long",
    "value",
    "values",
    "number",
    "total",
    "sum",
    "group",
    "block",
}
"""Names that mean nothing as a part of a longer one."""


def normalize_name(name: str) -> str:
    """A name in lower case, without accents, and with one space for all other signs."""
    taken_apart = unicodedata.normalize(
        "NFKD", name[:200].casefold().replace("check-in", "checkin")
    )
    bare = "".join(sign for sign in taken_apart if not unicodedata.combining(sign))
    return " ".join(re.findall(r"\w+", bare.replace("ł", "l")))


def is_named(name: str, role: str) -> bool:
    """True of a name of that role by itself."""
    bare = normalize_name(name)
    return bare in ROLES[role] or bare.replace(" ", "").replace("_", "") in ROLES[role]


def may_number_rows(name: str) -> bool:
    """True of a name of people that an identifier may have as well."""
    return normalize_name(name) in {"n", "number", "numero"}


def find_column(names: Sequence[str], role: str) -> int | None:
    """The number of the column with that role: by its whole name, else by a word of it."""
    ours = [at for at, name in enumerate(names) if name == _OURS.get(role)]
    exact = [at for at, name in enumerate(names) if is_named(name, role)]
    known = ROLES[role] - _ALONE
    parts = [
        at
        for at, name in enumerate(names)
        if known & set(re.split(r"[\s_]+", normalize_name(name)))
    ]
    return next(iter([*ours, *exact, *parts]), None)
