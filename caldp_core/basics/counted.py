"""A number and what is counted: the one place where a noun follows its number."""


def count_text(number: int | str, one: str, many: str) -> str:
    """A number of things: "1 block", "875 blocks". `number`: written already, or written here."""
    text = number if isinstance(number, str) else f"{number:,}"
    return f"{text} {one if text == '1' else many}"
