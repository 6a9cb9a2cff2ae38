"""Control questions, which a document does not answer."""

from docqa.evaluation.controls import FOREIGN, OTHER, make_controls
from docqa.ingest.made_questions import MadeQuestion, make_questions
from docqa.languages import entry
from docqa.store.chunks import StoredChunk
from docqa.text.words import terms
from eval_samples import ORCHARD, QUAY


def stored(text: str, *, id_: int = 1, document: int = 1) -> StoredChunk:
    return StoredChunk(id_, document, 1, "", "", text, " ".join(terms(text)))


def test_control_questions_are_about_things_that_the_document_never_mentions() -> None:
    about_quay = make_questions([stored(QUAY)], "en")
    chunks = [stored(ORCHARD + " The length of the row is 80 metres.", id_=2, document=2)]
    controls = make_controls(about_quay, 2, "en", chunks)
    others = [control.text for control in controls if control.kind == OTHER]
    assert "What is a quay?" in others
    assert "What is the length of the quay?" in others
    assert all(control.is_control and control.document == 2 for control in controls)
    cherries = ORCHARD + " The cherry tree blossoms in May; a cherry tree will blossom again in June."
    foreign = [control.text for control in make_controls([], 2, "en", [stored(cherries, document=2)])]
    assert foreign and "When does the cherry tree blossom?" not in foreign
    assert make_controls(about_quay, 1, "en", [stored(QUAY)]) == [
        MadeQuestion(FOREIGN, text, "en", 1) for text in entry("evaluation.controls", "en")
    ]
