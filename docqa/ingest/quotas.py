"""How much one account may keep: documents, bytes of their files, knowledge bases."""

from dataclasses import dataclass

from docqa import store
from docqa.errors import TooLarge
from docqa.settings import Settings
from docqa.store.sql import Connection


@dataclass(frozen=True)
class Quotas:
    """The most that one account may keep; 0 is without limit. `megabytes` are of the files as they were uploaded."""

    documents: int = 0
    megabytes: int = 0
    knowledge_bases: int = 0

    @classmethod
    def of(cls, settings: Settings) -> "Quotas":
        """Those that the settings have."""
        return cls(settings.account_documents, settings.account_mb, settings.account_knowledge_bases)

    async def check_documents(self, conn: Connection, account: int, size: int) -> None:
        """Raises TooLarge unless the account may keep one more document of `size` bytes."""
        if self.documents and await store.accounts.count_documents(conn, account) >= self.documents:
            raise TooLarge(f"This account has {self.documents} documents, the most it may keep. Delete some first.")
        if self.megabytes and await store.accounts.count_bytes(conn, account) + size > self.megabytes << 20:
            raise TooLarge(
                f"With this file the account would keep more than {self.megabytes} MB, which is the most. "
                "Delete some documents first."
            )

    async def check_knowledge_bases(self, conn: Connection, account: int) -> None:
        """Raises TooLarge unless the account may keep one more knowledge base."""
        if self.knowledge_bases and await store.accounts.count_knowledge_bases(conn, account) >= self.knowledge_bases:
            raise TooLarge(
                f"This account has {self.knowledge_bases} knowledge bases, the most it may keep. Delete some first."
            )
