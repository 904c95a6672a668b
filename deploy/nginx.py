"""`python -m deploy.nginx`: nginx's site for workers of the dashboard behind one address.

Prints what goes into nginx's `conf.d` folder; docs/deploy.md says how it is used.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import click

_HEAD: Final = """\
# Made by `python -m deploy.nginx`; why each line is there: docs/deploy.md.

# A socket asks for an upgrade, nothing else does.
map $http_upgrade $caldp_connection { default upgrade; '' ''; }

# Newcomers go to any worker.
split_clients $request_id $caldp_any {
"""
_SERVER: Final = """
    # A data file has 200 MB at most, and its form some lines around it; it is on no disk of ours.
    client_max_body_size 202m;
    proxy_request_buffering off;
    # Who sends byte by byte holds no connection for long.
    client_header_timeout 10s;
    client_body_timeout 10s;
    # Redirections say the path alone: how this proxy is reached, it does not know.
    absolute_redirect off;
    # Workers compress by themselves, and each file once.
    gzip off;

    proxy_http_version 1.1;
    proxy_set_header Host $http_host;
    proxy_set_header Upgrade $http_upgrade;
    proxy_set_header Connection $caldp_connection;
    # Limits by address must not go by what a visitor writes: set, not added to.
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header X-Forwarded-Proto $scheme;
    # Pictures are on their way as they are drawn.
    proxy_buffering off;
    # A worker that is gone is noticed at once, and another one answers.
    proxy_connect_timeout 2s;
    proxy_next_upstream error timeout http_502 http_503;
    # A quiet socket is pinged every 30 s.
    proxy_read_timeout 90s;
    proxy_send_timeout 90s;
"""


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


def lines(site: Site) -> Iterator[str]:
    """The site's configuration, line by line."""
    yield _HEAD.rstrip("\n")
    share = 100 / len(site.workers)
    for worker in site.workers[:-1]:
        yield f"    {share:.2f}% {worker.name};"
    yield f"    * {site.workers[-1].name};"
    yield "}"
    yield ""
    yield "# A visit stays with its worker by a cookie, which the worker sets."
    yield from _choice("$cookie_caldp_worker", "$caldp_kept", "$caldp_any", site.workers)
    yield "# A poll's link names the worker that opened the poll; this goes before the cookie."
    yield from _choice("$arg_worker", "$caldp_worker", "$caldp_kept", site.workers)
    for worker in site.workers:
        yield ""
        yield from _upstream(worker, site.workers)
    yield ""
    yield "server {"
    yield from _entry(site)
    yield _SERVER.rstrip("\n")
    yield from _places("/" + "/".join(filter(None, site.base.split("/"))))
    yield "}"
    if site.certificate and site.listen == "443":
        yield ""
        yield "server {"
        yield "    listen 80;"
        yield f"    server_name {site.name};"
        yield "    return 301 https://$host$request_uri;"
        yield "}"


def _choice(asked: str, chosen: str, default: str, workers: Sequence[Worker]) -> Iterator[str]:
    yield f"map {asked} {chosen} {{"
    yield f"    default {default};"
    yield from (f"    {worker.name} {worker.name};" for worker in workers)
    yield "}"


def _upstream(first: Worker, workers: Sequence[Worker]) -> Iterator[str]:
    """One worker, with the others in its stead for as long as it is gone."""
    yield f"upstream {first.name} {{"
    yield f"    server {first.address} max_fails=1 fail_timeout=5s;"
    yield from (f"    server {other.address} backup;" for other in workers if other != first)
    yield "    keepalive 16;"
    yield "}"


def _entry(site: Site) -> Iterator[str]:
    secure = bool(site.certificate)
    yield f"    listen {site.listen}{' ssl' if secure else ''};"
    yield f"    server_name {site.name};"
    if secure:
        yield f"    ssl_certificate {site.certificate};"
        yield f"    ssl_certificate_key {site.key};"
        yield "    ssl_protocols TLSv1.2 TLSv1.3;"
        yield "    # Cookies go by https alone, and browsers come back by https alone."
        yield "    proxy_cookie_flags ~ secure;"
        yield "    add_header Strict-Transport-Security max-age=31536000 always;"


def _places(base: str) -> Iterator[str]:
    root = base.rstrip("/") + "/"
    yield ""
    yield f"    location {root} {{ proxy_pass http://$caldp_worker; }}"
    if root != "/":
        yield f"    location = {base} {{ return 301 {root}; }}"
        yield f"    location = / {{ return 302 {root}; }}"
    yield "    # A picture of a visit that another worker has: the others are asked for it, too."
    yield f"    location {root}media/ {{"
    yield "        proxy_next_upstream error timeout http_502 http_503 http_404;"
    yield "        proxy_pass http://$caldp_worker;"
    yield "    }"
    yield "    # For whoever looks after the server; it tells of visits."
    yield f"    location {root}_stcore/metrics {{ return 404; }}"


@click.command()
@click.argument("workers", nargs=-1, required=True)
@click.option("--listen", default="80", help="Port, or address and port, that visitors use.")
@click.option("--name", default="_", help="The host's name; any by default.")
@click.option("--base", default="", help="The path below which all is; the root by default.")
@click.option("--certificate", default="", help="A certificate's file, for https.")
@click.option("--key", default="", help="Its key's file.")
def main(
    workers: Sequence[str], *, listen: str, name: str, base: str, certificate: str, key: str
) -> None:
    """Print nginx's site for WORKERS, each written name=host:port."""
    if bool(certificate) != bool(key):
        raise click.UsageError("--certificate and --key belong together; give both, or none.")
    found = tuple(Worker.of(text) for text in workers)
    for line in lines(Site(found, listen, name, base, certificate, key)):
        click.echo(line)


if __name__ == "__main__":
    main(prog_name="python -m deploy.nginx")
