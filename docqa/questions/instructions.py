"""What a message says of the answer rather than of what it asks: "Answer in USD millions.", "Assume that you are an
analyst." It is read for the answer's length (`scope.size_of`), and neither searched nor looked up."""

from docqa.questions.wording import asks, spaced_pattern, unspaced
from docqa.text.sentences import sentences

_LONGEST_PREFIX = 250  # characters before the colon of "answer the following question:"


def without_instructions(text: str, language: str) -> str:
    """The text without its sentences that only say how to answer; as it is where nothing that asks is left."""
    if unspaced(text):
        return text
    instructs, prefix = (spaced_pattern(name, language) for name in ("instructing", "before_question"))
    whole = [text[start:end] for start, end in sentences(text)]
    kept = [sentence for sentence in whole if sentence.endswith(("?", "？")) or not instructs.match(sentence)]
    left = text if len(kept) == len(whole) else " ".join(kept)
    colon = left.find(":", 0, _LONGEST_PREFIX)
    if colon > 0 and prefix.search(left[:colon]) and left[colon + 1 :].strip():
        left = left[colon + 1 :].strip()
    return left if left.endswith(("?", "？")) or asks(left, language) else text
