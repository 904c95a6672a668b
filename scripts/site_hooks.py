"""The source of the documentation site, written before it is built, and a hook of mkdocs.yml.

    python -m scripts.site_hooks

Notebooks become pages with the outputs that they hold; scenario files that pages link to come
along. As a hook it refuses a page that would fetch anything from elsewhere.
"""

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from textwrap import indent
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
EXAMPLES: Final = "examples"
SOURCE: Final = "site_source"
"""The folder that mkdocs.yml names as `docs_dir`."""
HIDDEN: Final = "hide-input"
"""Jupyter Book's tag of a cell whose code readers need not see."""
_LOADS: Final = {"script": "src", "img": "src", "source": "srcset", "iframe": "src", "link": "href"}
"""Elements whose address a browser fetches automatically, and the attribute that holds it."""
_NOT_FETCHED: Final = {"canonical", "alternate", "next", "prev"}


def write_source(folder: Path) -> None:
    """Write what the site is made of: docs/, a page for each notebook, examples, contributing."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder)
    (folder / EXAMPLES).mkdir()
    for path in (ROOT / EXAMPLES).glob("*.json"):
        shutil.copy(path, folder / EXAMPLES)
    shutil.copy(ROOT / "CONTRIBUTING.md", folder / "contributing.md")
    for path in folder.rglob("*.ipynb"):
        page = as_markdown(json.loads(path.read_text("utf-8")), path.name)
        path.with_suffix(".md").write_text(page, "utf-8")
    for path in folder.rglob("*.md"):
        path.write_text(finished(path.read_text("utf-8")), "utf-8")


def finished(markdown: str) -> str:
    """Lead links to what the site has as a page or beside its pages."""
    markdown = markdown.replace(f"](../{EXAMPLES}/", f"]({EXAMPLES}/")
    markdown = markdown.replace("](../CONTRIBUTING.md", "](contributing.md")
    return re.sub(r"\]\((tutorials/\w+)\.ipynb\)", r"](\1.md)", markdown)


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Refuse a page that fetches anything from elsewhere; name the search for screen readers."""
    foreign = fetched_from_elsewhere(output)
    if foreign:
        from mkdocs.exceptions import PluginError

        raise PluginError(f"{page.file.src_uri} would fetch {foreign[0]} from elsewhere.")
    # The theme's search is a dialog without a name: a screen reader would say "dialog" alone.
    return output.replace('role="dialog"', 'role="dialog" aria-label="Search"')


def as_markdown(notebook: dict[str, Any], name: str) -> str:
    """A notebook as a page: texts, code and outputs; last a link to the notebook's file, `name`."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        code = f"```python\n{source}\n```"
        if HIDDEN in cell["metadata"].get("tags", ()):  # behind a line to press (pymdownx.details)
            code = f'??? note "The code of this step"\n\n{indent(code, "    ")}'
        parts.append(code)
        parts += [_output(each) for each in cell["outputs"]]
    parts.append(f"[This page as a notebook]({name}), to run and change.")
    return "\n\n".join(parts) + "\n"


def _output(output: dict[str, Any]) -> str:
    if output["output_type"] == "stream":
        return f"```text\n{''.join(output['text'])}```"
    if "text/html" in output["data"]:
        html = "".join(output["data"]["text/html"])
        # Without empty lines Markdown takes it as one piece.
        return re.sub(r"\n\s*\n", "\n", f"<div>{html}</div>")
    return f"```text\n{''.join(output['data']['text/plain'])}\n```"


def fetched_from_elsewhere(html: str) -> list[str]:
    """Addresses that a browser would fetch from another server to show this page."""
    finder = _Finder()
    finder.feed(html)
    return finder.addresses


class _Finder(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        address = attributes.get(_LOADS.get(tag, ""))
        linked = tag == "link" and attributes.get("rel") in _NOT_FETCHED
        if address and re.match(r"(https?:)?//", address) and not linked:
            self.addresses.append(address)


if __name__ == "__main__":
    write_source(ROOT / SOURCE)
