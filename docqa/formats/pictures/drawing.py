"""A page of a picture file as a picture."""

from docqa.formats.drawn.painting import MOST_PIXELS, Drawn, factor
from docqa.formats.pictures.decode import decoded, open_picture, scaled
from docqa.formats.pictures.picture import page_frame


def draw(data: bytes, page_number: int, width: int, *, with_letters: bool) -> Drawn:
    """The frame that is this page, from 1, in its colours, `width` pixels wide at most. Raises Unreadable."""
    picture = open_picture(data)
    frame = page_frame(picture, page_number)
    image = decoded(picture, frame, MOST_PIXELS, in_colours=True)
    image = scaled(image, min(1.0, factor(*image.size, width)))
    return Drawn(image, 1.0, (), lambda: decoded(picture, frame))
