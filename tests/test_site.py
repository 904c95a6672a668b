"""The check of the site's links finds dead ones; tutorials link to their notebooks."""

from pathlib import Path
from types import SimpleNamespace

from scripts import check_site, make_diagrams, site_hooks, site_tasks


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


MENU = (
    '<nav class="md-tabs"><a href="index.html">Start</a><a href="b.html">How-to</a></nav>'
    # The menu of a tab that is not open is in the page, but no reader sees it.
    '<ul><li class="md-nav__item md-nav__item--section"><a href="far.html">Far</a></li></ul>'
)
TASK = site_tasks.Task("teacher", "Hold a poll", "far.html", "the poll")


def _seen(folder: Path, linked: str, said: str) -> list[str]:
    """What is wrong with a site in which b.html links to `linked`, and far.html says `said`."""
    article = '<article class="md-content__inner">'
    pages = {
        "index.html": f"{MENU}{article}<p>Welcome<br>here</article>",
        "b.html": f'{MENU}{article}<a href="{linked}">on</a></article>',
        "c.html": f'{MENU}{article}<a href="far.html">on</a></article>',
        "far.html": f"{MENU}{article}{said}</article>",
    }
    folder.mkdir()
    for name, text in pages.items():
        (folder / name).write_text(text, "utf-8")
    return site_tasks.unanswered(site_tasks.read_site(folder), [TASK])


def test_a_task_is_found_in_two_clicks_and_answered(tmp_path: Path) -> None:
    assert _seen(tmp_path / "near", "far.html", "Open the poll.") == []
    assert _seen(tmp_path / "three", "c.html", "Open the poll.") == [
        "teacher: Hold a poll: far.html takes 3 clicks."
    ]
    assert _seen(tmp_path / "never", "index.html", "Open the poll.") == [
        "teacher: Hold a poll: no link leads to far.html."
    ]
    assert _seen(tmp_path / "silent", "far.html", "<script>the poll</script>") == [
        "teacher: Hold a poll: far.html does not say “the poll”."
    ]


def test_five_readers_have_five_tasks_each() -> None:
    tasks = site_tasks.read_tasks()
    readers = [task.reader for task in tasks]
    assert {reader: readers.count(reader) for reader in readers} == dict.fromkeys(readers, 5)
    assert len(set(readers)) == 5


def test_diagrams_are_those_that_the_script_draws_and_have_words_for_who_sees_none() -> None:
    for diagram in make_diagrams.DIAGRAMS:
        for theme in make_diagrams.THEMES:
            drawn = make_diagrams.drawn(diagram, theme)
            path = make_diagrams.FOLDER / f"{diagram.name}-{theme}.svg"
            assert path.read_text("utf-8") == drawn
            assert f"<title>{diagram.alt}</title>" in drawn


def test_the_search_has_a_name_for_screen_readers() -> None:
    page = SimpleNamespace(file=SimpleNamespace(src_uri="index.md"))
    shown = site_hooks.on_post_page('<div class="md-search" role="dialog"></div>', page)
    assert 'role="dialog" aria-label="Search"' in shown
