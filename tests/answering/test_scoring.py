"""How likely a unit answers, by what is known of it."""

from docqa.answering.scoring import UNREAD, read_in, unit_score
from docqa.models.reader import Span
from docqa.search.passages import Passage, ScoredUnit, Scores
from docqa.store.chunks import StoredChunk
from docqa.store.documents import StoredDocument
from docqa.text.units import Unit


def score(text: str, after: str = "") -> float:
    unit = Unit(0, len(text), "item", None, None, 0, len(text + after))
    scored = ScoredUnit(unit=unit, coverage=0.5, cosine=0.5)
    document = StoredDocument(1, "d1", "a.txt", "txt", "en", 1, "")
    passage = Passage(
        chunk=StoredChunk(1, 1, 1, "", "", text + after, ""),
        document=document,
        scores=Scores(),
        score=0.0,
        units=(scored,),
    )
    return unit_score(passage, scored, UNREAD)


def test_a_source_that_leads_back_to_where_it_is_cited_answers_less_likely_than_the_text() -> None:
    source = 'Reed, Ada (3 April 2014). "The Keeper of the Lighthouse Steps Down". Tides. Retrieved 2014-04-04.'
    assert score(f"^ {source}") < score(source)


def test_a_few_words_that_stand_under_nothing_answer_less_likely_than_a_sentence() -> None:
    assert score("The keeper") < score("The keeper of the lighthouse steps down.")


def test_what_a_reader_finds_before_a_colon_answers_with_what_stands_behind_it() -> None:
    lead, code = "The code is valid for half an hour:", "invite LAPTOP"
    text = f"{lead}\n\n{code}"
    unit = Unit(len(lead) + 2, len(text), "paragraph", 0, len(lead), len(lead) + 2, len(text))
    scored = ScoredUnit(unit=unit, coverage=0.5, cosine=0.5)
    passage = Passage(
        chunk=StoredChunk(1, 1, 1, "", "", text, ""),
        document=StoredDocument(1, "d1", "a.txt", "txt", "en", 1, ""),
        scores=Scores(),
        score=0.0,
        units=(scored,),
        spans=(Span(lead.index("half"), len(lead) - 1, 5.0),),
    )
    assert read_in(passage, scored) == 5.0


def test_an_item_of_a_list_that_a_passage_begins_with_stands_under_what_comes_before() -> None:
    assert score("8 GB disk", after="\n- 512 MB of memory") == score("8 GB of disk for the program")
