"""The command `release`: a table of a list that an office holds, drawn once and frozen."""

import json
from pathlib import Path

import click

from caldp_core.cli import terminal
from caldp_core.release import desk, sentences
from caldp_core.release.files import files_in
from caldp_core.release.office import FolderStore, Office
from caldp_core.release.pack import pack_files
from caldp_core.release.settings import Settings

_TYPES = {"office": click.Path(file_okay=False, path_type=Path)}


@terminal.command("release", _TYPES)
def release_command(path: Path, office: Path, *, second: bool) -> None:
    """Release a table of a list that you hold, once: a frozen pack, counted in a ledger.

    The settings say what a person is, which cells there are, how they are protected and who answers
    for it; the files that they name lie beside them. The same settings and list give the same pack,
    byte by byte. Anything else is a further release, refused with the ε of all together without
    --second. Prints the sum, and where the files are; what is said on standard error has true
    numbers, and stays in the office.
    """
    settings = Settings.from_file(path)
    folder = path.resolve().parent
    files, kept = files_in(folder), Office(FolderStore(office))
    with terminal.progress_bar("releasing") as progress:
        released = desk.release(settings, files, kept, second=second, progress=progress)
    for remark in released.remarks:
        click.echo(f"Internal: {remark}", err=True)
    frozen = released.frozen
    pack = office / f"pack-{frozen.line.id}"
    listed = pack_files()
    summary = {
        "release": frozen.line.id,
        "drawn": "now" if released.is_new else "before; taken again, nothing drawn",
        "together": sentences.headline(frozen),
        "releases": frozen.releases,
        "epsilon": frozen.together,
        "public": [str(pack / file.name) for file in listed if file.is_public],
        "internal": [str(pack / file.name) for file in listed if not file.is_public],
    }
    click.echo(json.dumps(summary, indent=2, ensure_ascii=False))
