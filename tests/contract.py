"""The API's requests declared a second time, in FastAPI with pydantic 2: the judge of what `docqa.rules` answers."""

from datetime import date
from enum import Enum
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request, UploadFile
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import AfterValidator, BaseModel, Field, model_validator

MODELS = (
    "QUOTES",
    "GPT5_2",
    "GPT5",
    "GPT5_MINI",
    "GPT5_NANO",
    "GEMINI_FLASH",
    "GEMINI_PRO",
    "CLAUDE1",
    "CLAUDE2",
    "GPT3",
    "GPT4",
    "GPT4O_MINI",
)


class InAnyCase(str, Enum):
    @classmethod
    def _missing_(cls, value: object) -> "InAnyCase | None":
        return next(
            (member for member in cls if isinstance(value, str) and member.value.lower() == value.lower()), None
        )


Model = InAnyCase("Model", {name: name for name in MODELS})  # type: ignore[call-overload]
Length = InAnyCase("Length", {"LONG": "LONG", "SHORT": "SHORT"})  # type: ignore[call-overload]
LANGUAGES = (
    "ENGLISH",
    "ARABIC",
    "CHINESE",
    "JAPANESE",
    "FRENCH",
    "GERMAN",
    "SPANISH",
    "KOREAN",
    "PORTUGESE",
    "DEFAULT",
    "PORTUGUESE",
    "HEBREW",
    "ITALIAN",
    "RUSSIAN",
    "DUTCH",
    "TURKISH",
    "POLISH",
    "HINDI",
    "BENGALI",
    "BULGARIAN",
    "CATALAN",
    "CROATIAN",
    "CZECH",
    "DANISH",
    "ESTONIAN",
    "FINNISH",
    "GREEK",
    "HUNGARIAN",
    "INDONESIAN",
    "LATVIAN",
    "LITHUANIAN",
    "MARATHI",
    "NORWEGIAN",
    "PERSIAN",
    "ROMANIAN",
    "SERBIAN",
    "SLOVAK",
    "SLOVENIAN",
    "SWEDISH",
    "TAMIL",
    "TELUGU",
    "THAI",
    "UKRAINIAN",
    "URDU",
    "VIETNAMESE",
)
Language = InAnyCase("Language", {name: name for name in LANGUAGES})  # type: ignore[call-overload]


KINDS = (
    "csv",
    "doc",
    "docx",
    "eml",
    "epub",
    "html",
    "image",
    "json",
    "mbox",
    "md",
    "msg",
    "odp",
    "ods",
    "odt",
    "pdf",
    "ppt",
    "pptx",
    "rtf",
    "txt",
    "xls",
    "xlsx",
    "xml",
)
Kind = InAnyCase("Kind", {name: name for name in KINDS})  # type: ignore[call-overload]


class Sender(InAnyCase):
    user = "user"
    bot = "bot"
    assistant = "assistant"
    system = "system"


# A length, even of 0, makes pydantic look into the text: it then refuses half a surrogate pair, as the rules do.
Text = Annotated[str, Field(min_length=0)]
ShortText = Annotated[str, Field(min_length=0, max_length=32_768)]


class Message(BaseModel):
    sender: Sender
    message: ShortText


def ask_something(messages: list[Message]) -> list[Message]:
    questions = [message.message for message in messages if message.sender == Sender.user]
    if not questions:
        raise ValueError("at least one message needs the sender 'user'")
    if not any(map(str.strip, questions)):
        raise ValueError("a message of the sender 'user' must not be blank")
    return messages


def ask_something_or_nothing(messages: list[Message]) -> list[Message]:
    return ask_something(messages) if messages else messages


def not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be blank")
    return value


def fit_together(messages: list[Message]) -> list[Message]:
    if sum(len(message.message) for message in messages) > 262_144:
        raise ValueError("the messages should have at most 262144 characters together")
    return messages


Messages = Annotated[list[Message], AfterValidator(fit_together), AfterValidator(ask_something)]
MessagesOrNone = Annotated[list[Message], AfterValidator(fit_together), AfterValidator(ask_something_or_nothing)]


def known_language(value: str) -> str:
    if not (len(value) == 2 and value.isalpha() or value.upper() in LANGUAGES and value.upper() != "DEFAULT"):
        raise ValueError("must be an ISO 639-1 code such as 'de', or the name of a language such as GERMAN")
    return value


def day(value: str) -> str:
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        raise ValueError("must be a day such as 2027-03-31") from None


def tag(value: str) -> str:
    if not value.split() or "," in value:
        raise ValueError("a tag is a word or a few, without a comma")
    return value


LanguageFilter = Annotated[Text, AfterValidator(known_language)]
Day = Annotated[Text, AfterValidator(day)]
Tag = Annotated[str, Field(min_length=0, max_length=60), AfterValidator(tag)]


class Filters(BaseModel):
    language: LanguageFilter | None = None
    kind: Kind | None = None
    date_from: Day | None = None
    date_to: Day | None = None
    tag: Tag | None = None


class DocumentListChat(BaseModel):
    documents: list[Text]
    messages: MessagesOrNone | None = None
    filters: Filters | None = None


class KnowledgeChat(BaseModel):
    messages: Messages
    filters: Filters | None = None


class KnowledgeCreate(BaseModel):
    name: ShortText
    document_ids: list[Text]


class KnowledgeUpdate(BaseModel):
    name: ShortText | None = None
    document_ids: list[Text]


class Retrieve(BaseModel):
    query: Annotated[ShortText, AfterValidator(not_blank)]
    doc_ids: list[Text] | None = None
    knowledge_base_id: Text | None = None
    top_k: int = Field(5, ge=1, le=100)
    language: LanguageFilter | None = None
    kind: Kind | None = None
    date_from: Day | None = None
    date_to: Day | None = None
    tag: Tag | None = None

    @model_validator(mode="after")
    def one_place(self) -> "Retrieve":
        if self.doc_ids is not None and self.knowledge_base_id is not None:
            raise ValueError("give either 'doc_ids' or 'knowledge_base_id', or neither for all documents")
        return self


Page = Annotated[int, Query(ge=1)]
PageSize = Annotated[int, Query(ge=1, le=100)]
Temperature = Annotated[float, Query(ge=0.1, le=1.5)]

app = FastAPI(strict_content_type=False)


@app.exception_handler(RequestValidationError)
async def answer_faults(request: Request, error: RequestValidationError) -> JSONResponse:
    return JSONResponse(
        {"detail": [{key: fault[key] for key in ("loc", "msg", "type")} for fault in error.errors()]}, 422
    )


@app.get("/v1/api/download_pdf", status_code=201)
@app.post("/v1/api/download_pdf", status_code=201)
def download_pdf(url: str) -> None: ...


@app.post("/v1/api/upload", status_code=201)
def upload(file: UploadFile) -> None: ...


@app.post("/v1/chat/{doc_id}")
def chat(
    doc_id: str,
    body: Messages,
    stream: bool = False,
    model_name: Model = Model["GPT5_2"],
    agent_mode: bool = True,
    cite_source: bool = False,
    temperature: Temperature = 0.7,
    language: Language = Language["DEFAULT"],
    length: Length = Length["SHORT"],
) -> None: ...


@app.post("/v1/api/knowledge_base_chat")
def knowledge_base_chat(
    body: DocumentListChat,
    stream: bool = False,
    model_name: Model = Model["GPT5_2"],
    agent_mode: bool = True,
    cite_source: bool = False,
    temperature: Temperature = 0.7,
    language: Language = Language["DEFAULT"],
    length: Length = Length["SHORT"],
) -> None: ...


@app.get("/v1/api/documents")
def documents(
    page: Page = 1,
    page_size: PageSize = 10,
    language: LanguageFilter | None = None,
    kind: Kind | None = None,
    date_from: Day | None = None,
    date_to: Day | None = None,
    tag: Tag | None = None,
) -> None: ...


@app.get("/v1/api/documents/{doc_id}")
@app.delete("/v1/api/documents/{doc_id}")
def document(doc_id: str) -> None: ...


@app.get("/v1/api/knowledge")
def knowledge(page: Page = 1, page_size: PageSize = 10, order: str = "desc") -> None: ...


@app.post("/v1/api/knowledge", status_code=201)
def knowledge_create(body: KnowledgeCreate) -> None: ...


@app.get("/v1/api/knowledge/{knowledge_base_id}")
@app.delete("/v1/api/knowledge/{knowledge_base_id}")
def knowledge_base(knowledge_base_id: str) -> None: ...


@app.put("/v1/api/knowledge/{knowledge_base_id}")
def knowledge_update(knowledge_base_id: str, body: KnowledgeUpdate) -> None: ...


@app.get("/v1/api/search/knowledge")
def search(query: str) -> None: ...


@app.post("/v1/api/knowledge/{knowledge_base_id}/chat")
def knowledge_chat(
    knowledge_base_id: str,
    body: KnowledgeChat,
    stream: bool = False,
    model_name: Model = Model["GPT5_2"],
    agent_mode: bool = True,
    cite_source: bool = False,
    temperature: Temperature = 0.7,
    language: Language = Language["DEFAULT"],
    length: Length = Length["SHORT"],
) -> None: ...


@app.get("/v1/api/models")
@app.post("/v1/api/models")
def models() -> None: ...


@app.post("/v1/api/retrieve")
def retrieve(body: Retrieve) -> Any: ...
