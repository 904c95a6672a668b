"""`python -m deploy.nginx`: nginx's site for workers of the dashboard behind one address.

Prints what goes into nginx's `conf.d` folder; docs/deploy.md says how it is used.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click
import jinja2

_TEMPLATE: Final = Path(__file__).with_name("site.conf.jinja")


@dataclass(frozen=True)
class Worker:
    """`name`: its CALDP_WORKER; `address`: host and port as nginx reaches it."""

    name: str
    address: str

    @classmethod
    def of(cls, text: str) -> "Worker":
        """The worker of a text `name=host:port`."""
        name, equals, address = text.partition("=")
        if not (name and equals and address):
            raise click.BadParameter(
                f"a worker is written name=host:port, as in w1=127.0.0.1:8511, got {text!r}."
            )
        return cls(name, address)


@dataclass(frozen=True)
class Site:
    """How visitors reach the workers.

    `base`: the path below which all is, "" for the root. `certificate`, `key`: files for https;
    without them the site answers http.
    """

    workers: Sequence[Worker]
    listen: str = "80"
    name: str = "_"
    base: str = ""
    certificate: str = ""
    key: str = ""

    def configuration(self) -> str:
        """The site in nginx's language."""
        template = jinja2.Template(
            _TEMPLATE.read_text("utf-8"),
            trim_blocks=True,
            keep_trailing_newline=True,
            undefined=jinja2.StrictUndefined,
        )
        root = "/".join(("", *filter(None, self.base.split("/")), ""))
        text: str = template.render(vars(self), root=root)
        return text


@click.command()
@click.argument("workers", nargs=-1, required=True)
@click.option("--listen", default="80", help="Port, or address and port, that visitors use.")
@click.option("--name", default="_", help="The host's name; any by default.")
@click.option("--base", default="", help="The path below which all is; the root by default.")
@click.option("--certificate", default="", help="A certificate's file, for https.")
@click.option("--key", default="", help="Its key's file.")
def main(workers: Sequence[str], **options: str) -> None:
    """Print nginx's site for WORKERS, each written name=host:port."""
    if bool(options["certificate"]) != bool(options["key"]):
        raise click.UsageError("--certificate and --key belong together; give both, or none.")
    found = tuple(map(Worker.of, workers))
    click.echo(Site(found, **options).configuration(), nl=False)


if __name__ == "__main__":
    main(prog_name="python -m deploy.nginx")
