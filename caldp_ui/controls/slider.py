"""A slider as a record: the page draws it, and films follow its steps."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import streamlit as st

from caldp_ui.session.page_state import PageState

R = TypeVar("R")


@dataclass(frozen=True)
class Slider(Generic[R]):
    """One slider of a page. `name`: of its widget in the page's state.

    `value`: its value in a record; `with_value`: the record with another value; `steps`: its
    values; `format_value`: the text of a value; `order`: the key by which its steps are sorted.
    """

    name: str
    value: Callable[[R], float]
    with_value: Callable[[R, float], R]
    steps: Sequence[float]
    format_value: Callable[[float], str]
    order: Callable[[float], float] = float


def show(state: PageState[R], slider: Slider[R], title: str, help_text: str | None = None) -> None:
    """Draw it, bound to the page's record; a value from a link may lie between its steps."""
    value = slider.value(state.current())
    st.select_slider(
        title,
        sorted({*slider.steps, value}, key=slider.order),
        format_func=slider.format_value,
        help=help_text,
        **state.bind(slider.name, value, slider.with_value),
    )
