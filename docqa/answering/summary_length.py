"""How long a summary is: by the option `length`, by what the question asks for, and by how many documents there are."""

from dataclasses import dataclass

from docqa.questions.question import Question

# (sentences, words) that sum up one document, and each of several.
_ALONE = {"SHORT": (3, 80), "LONG": (8, 150)}
_EACH = {"SHORT": (1, 40), "LONG": (3, 90)}
_MOST_SENTENCES = 20
_A_SENTENCE = 45  # words, where the question asks for so many sentences
_ONE_PARAGRAPH = 4  # sentences
_BRIEF, _DETAILED = 0.6, 1.6


@dataclass(frozen=True)
class Length:
    """How many sentences at most, of how many words together; `paragraphs`: enough to be divided."""

    sentences: int
    words: int
    paragraphs: bool


def length_of(question: Question, documents: int) -> Length:
    """The length of a summary of so many documents."""
    sentences, words = (_ALONE if documents == 1 else _EACH)[question.options.length]
    size = question.size
    if size.sentences:
        sentences = min(size.sentences, _MOST_SENTENCES)
        words = _A_SENTENCE * sentences
    elif size.brief or size.detailed:
        factor = _BRIEF if size.brief else _DETAILED
        sentences, words = max(1, round(factor * sentences)), round(factor * words)
    return Length(sentences, words, paragraphs=sentences > _ONE_PARAGRAPH)
