"""What every page does around its content: texts from elsewhere stay texts."""

import pytest
from streamlit.testing.v1 import AppTest

from caldp_ui.app.errors import escape_markdown
from tests.waiting import PATIENCE

JOINER = "\N{WORD JOINER}"


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("two words, 3.5 of 10", "two words, 3.5 of 10"),
        ("![a](b)", r"\!\[a\]\(b\)"),
        ("http://a.b", rf"http\:{JOINER}//a.b"),
        ("WWW.a.b", f"WWW{JOINER}.a.b"),
        ("a.@b.c", f"a.{JOINER}@b.c"),
        (":tada: x: y", rf"\:{JOINER}tada\: x\: y"),
        ("&lt;\n\n# x", r"\&lt; \# x"),
    ],
)
def test_markdown_finds_nothing_in_a_text(text: str, escaped: str) -> None:
    assert escape_markdown(text) == escaped


def test_an_error_is_shown_as_text() -> None:
    def page() -> None:
        from caldp_core.basics.errors import CaldpError
        from caldp_ui.app.errors import plain_errors

        with plain_errors():
            raise CaldpError("No ![a](b).")

    (error,) = AppTest.from_function(page, default_timeout=PATIENCE).run().error
    assert error.value == r"No \!\[a\]\(b\)."
