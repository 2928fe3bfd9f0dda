import pytest

from activities.discovery.clauses import clauses, sentences
from activities.discovery.reading import Reading


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\n\n", ".\n", " \n "])
def test_a_line_end_parts_clauses_and_sentences(line_end: str) -> None:
    reading = Reading.of(f"lend the atlas{line_end}it is for school")
    assert [reading.cut(span) for span in clauses(reading)] == ["lend the atlas", "it is for school"]
    assert sentences(reading) == ["lend the atlas", "it is for school"]
