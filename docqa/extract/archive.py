"""ZIP-based documents (.pptx, .epub): what they are, and whether unpacking them is safe."""

import io
import zipfile

from docqa.errors import Unreadable

LARGEST = 1_000_000_000
SUSPICIOUS = 30_000_000
RATIO = 100
MEMBERS = 20_000


def kind(data: bytes) -> str:
    """`pptx` or `epub`. Raises Unreadable for other archives, damaged ones and decompression bombs."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _check_size(archive.infolist(), len(data))
            names = set(archive.namelist())
            if "META-INF/container.xml" in names or _mimetype(archive, names) == b"application/epub+zip":
                return "epub"
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError, RuntimeError, EOFError) as error:
        raise Unreadable("The file is damaged: its ZIP directory cannot be read. It may have been cut off on its way; upload it again.") from error
    if "ppt/presentation.xml" in names or any(name.startswith("ppt/slides/") for name in names):
        return "pptx"
    if any(name.startswith("word/") for name in names):
        raise Unreadable("Word documents are not supported. Save the document as PDF or RTF and upload that.")
    if any(name.startswith("xl/") for name in names):
        raise Unreadable("Excel workbooks are not supported. Save the sheet as CSV and upload that.")
    raise Unreadable("The file is a ZIP archive, but neither a .pptx presentation nor an .epub book. Unpack it and upload the documents in it.")


def _mimetype(archive: zipfile.ZipFile, names: set[str]) -> bytes:
    return archive.read("mimetype")[:64].strip() if "mimetype" in names else b""


def _check_size(members: list[zipfile.ZipInfo], packed: int) -> None:
    """The declared sizes bound what zipfile unpacks; they are held against the whole file because members may overlap."""
    unpacked = sum(member.file_size for member in members)
    if unpacked > LARGEST or unpacked > SUSPICIOUS and unpacked > RATIO * packed or len(members) > MEMBERS:
        raise Unreadable(
            f"The file unpacks to {unpacked // 1_000_000:,} MB in {len(members):,} parts from {packed / 1e6:.1f} MB: it is refused as a decompression bomb."
        )
