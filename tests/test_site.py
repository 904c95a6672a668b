"""The check of the site's links finds dead ones; tutorials link to their notebooks."""

from pathlib import Path

from scripts import check_site, site_hooks


def _site(folder: Path, body: str) -> Path:
    (folder / "sub").mkdir(parents=True)
    (folder / "index.html").write_text(body, "utf-8")
    (folder / "sub" / "index.html").write_text('<h2 id="here">Here</h2>', "utf-8")
    return folder


def test_links_that_lead_somewhere_are_passed(tmp_path: Path) -> None:
    body = (
        '<h1 id="top">T</h1><a href="#top">a</a><a href="sub/">b</a>'
        '<a href="sub/index.html#here">c</a>'
        '<a href="/sub/index.html">d</a><a href="https://example.test/nowhere">e</a>'
    )
    assert check_site.dead_links(_site(tmp_path / "site", body)) == []


def test_dead_files_and_anchors_are_named(tmp_path: Path) -> None:
    body = (
        '<a href="engineer.ipynb.ipynb">a</a><a href="#nowhere">b</a>'
        '<a href="sub/#gone">c</a><img src="no.png">'
    )
    site = _site(tmp_path / "site", body)
    assert check_site.dead_links(site) == [
        "index.html: engineer.ipynb.ipynb: no such file",
        "index.html: #nowhere: no such anchor",
        "index.html: sub/#gone: no such anchor",
        "index.html: no.png: no such file",
    ]
    assert check_site.main([str(site)]) == 1


def test_an_empty_folder_is_no_site(tmp_path: Path) -> None:
    assert check_site.main([str(tmp_path)]) == 1


def test_a_tutorials_page_links_to_its_notebook(tmp_path: Path) -> None:
    folder = tmp_path / "source"
    site_hooks.write_source(folder)
    for notebook in folder.rglob("*.ipynb"):
        assert f"]({notebook.name})" in notebook.with_suffix(".md").read_text("utf-8")
