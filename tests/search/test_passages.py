"""What a passage knows of its parts."""

from docqa.search.passages import Passage, Scores
from docqa.store.chunks import StoredChunk
from docqa.store.documents import StoredDocument
from docqa.text.blocks import blocks_of
from docqa.text.units import units

DOCUMENT = StoredDocument(1, "d1", "lease.txt", "txt", "en", 1, "")
BODY = "The tenant pays on the first day of each month, by transfer to the account of the landlord."


def headings_of(text: str, section: str) -> list[str]:
    """What each unit of a passage of this section stands under."""
    blocks = blocks_of(text)
    passage = Passage(
        chunk=StoredChunk(1, 1, 1, section, "", text, ""), document=DOCUMENT, scores=Scores(), score=0.0, blocks=blocks
    )
    return [passage.heading_of(unit) for unit in units(text, blocks)]


def test_a_sentence_stands_under_the_heading_before_it_or_that_of_its_section() -> None:
    assert headings_of(f"{BODY}", "3. Rent") == ["3. Rent"]
    assert headings_of(f"GENERAL TERMS\n\n{BODY}", "3. Rent")[-1] == "GENERAL TERMS"


def test_what_stands_before_the_heading_of_the_section_does_not_stand_under_it() -> None:
    text = f"This lease was signed by both parties in Bergen.\n\nGENERAL TERMS\n\n{BODY}"
    assert headings_of(text, "GENERAL TERMS")[0] == ""
    assert headings_of(text, "GENERAL TERMS")[-1] == "GENERAL TERMS"
