"""How long a summary is: by the option `length`, by what the question asks for, and by how many documents there are."""

from dataclasses import dataclass

from docqa.questions.question import Question

# (sentences, words) that sum up one document, and each of several.
_ALONE = {"SHORT": (4, 110), "LONG": (10, 180)}
_WITH_PARTS = (3, 80)  # where the parts of the document are named beside them
_EACH = {"SHORT": (1, 40), "LONG": (3, 90)}
_TOPIC = {"SHORT": (4, 110), "LONG": (12, 200)}  # what is said in one place is said whole
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


def length_of(question: Question, documents: int, *, names_parts: bool = False, of_topic: bool = False) -> Length:
    """The length of a summary of so many documents; `names_parts`: beside the sentences it names their parts."""
    sentences, words = (_ALONE if documents == 1 else _EACH)[question.options.length]
    if of_topic:
        sentences, words = _TOPIC[question.options.length]
    if names_parts and documents == 1:
        sentences, words = min(sentences, _WITH_PARTS[0]), min(words, _WITH_PARTS[1])
    size = question.size
    if size.sentences:
        sentences = min(size.sentences, _MOST_SENTENCES)
        words = _A_SENTENCE * sentences
    elif size.brief or size.detailed:
        factor = _BRIEF if size.brief else _DETAILED
        sentences, words = max(1, round(factor * sentences)), round(factor * words)
    return Length(sentences, words, paragraphs=sentences > _ONE_PARAGRAPH)
