"""The check boxes of the forms in a Word document ([MS-DOC] 2.9.78)."""

_CHECK_BOX, _BY_DEFAULT = 1, 25


def box_state(data: bytes, offset: int) -> str:
    """Whether a box is ticked: its settings lie in the data stream, after the header of a picture."""
    head = int.from_bytes(data[offset + 4 : offset + 6], "little")
    settings = data[offset + head : offset + int.from_bytes(data[offset : offset + 4], "little")]
    flags = int.from_bytes(settings[4:6], "little")
    if flags & 3 != _CHECK_BOX:
        return "☐"
    state = flags >> 2 & 0x1F
    if state == _BY_DEFAULT:
        at = 10 + 2 * int.from_bytes(settings[10:12], "little") + 4  # after the name of the field
        state = int.from_bytes(settings[at : at + 2], "little")
    return "☒" if state == 1 else "☐"
