"""What a search is made in."""

from dataclasses import dataclass

from docqa.models.encoders import Encoders
from docqa.store.database import Database


@dataclass(frozen=True)
class Index:
    """The database, the models that encode and read questions, and whether sentences decide the final order."""

    db: Database
    encoders: Encoders
    rerank: bool
