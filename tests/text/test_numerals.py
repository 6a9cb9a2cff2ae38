"""Numbers of headings."""

import pytest

from docqa.text.numerals import heading_number


@pytest.mark.parametrize(
    ("text", "numbered"), [("3.2", (3, 2)), ("IV", (4,)), ("十二", (12,)), ("二十", (20,)), ("٣", (3,))]
)
def test_the_numbers_of_chapters_and_sections(text: str, numbered: tuple[int, ...]) -> None:
    assert heading_number(text) == numbered
