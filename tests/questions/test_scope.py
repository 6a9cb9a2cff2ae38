"""Which questions are about documents as a whole, in the documented languages, and which are not."""

import pytest

from docqa.questions.scope import scope_of
from docqa.questions.wanted import Scope

GIST = [
    "Summarize this",
    "Please give me a short summary of the document in three sentences.",
    "Summarize the documents.",
    "What is this document about?",
    "What are the main points?",
    "TL;DR",
    "Fasse das Dokument bitte kurz zusammen",
    "Gib mir eine Zusammenfassung",
    "Worum geht es in diesem Dokument?",
    "Was sind die wichtigsten Punkte?",
    "Résume ce document",
    "De quoi parle ce texte ?",
    "Haz un resumen del documento",
    "¿De qué trata este documento?",
    "Faça um resumo deste documento",
    "Do que trata este documento?",
    "Riassumi il documento",
    "Di cosa parla questo documento?",
    "Geef een samenvatting van dit document",
    "Waar gaat dit document over?",
    "Streść ten dokument",
    "O czym jest ten dokument?",
    "Bu belgeyi özetle",
    "Bu belge ne hakkında?",
    "Сделай краткое содержание документа",
    "О чём этот документ?",
    "لخص هذا المستند",
    "عم يتحدث هذا المستند؟",
    "סכם את המסמך",
    "על מה המסמך?",
    "总结一下这份文档",
    "这份文件的主要内容是什么？",
    "この文書を要約してください",
    "この文書は何について書かれていますか？",
    "이 문서를 요약해 주세요",
    "इस दस्तावेज़ का सारांश दें",
]
CONTENTS = [
    "Show me the table of contents",
    "How many chapters does it have?",
    "List the sections of the document",
    "Wie viele Kapitel hat das Buch?",
    "Inhaltsverzeichnis",
    "Combien de chapitres y a-t-il ?",
    "¿Cuántos capítulos tiene?",
    "Quantos capítulos tem?",
    "Quanti capitoli ci sono?",
    "Hoeveel hoofdstukken heeft het?",
    "Ile rozdziałów ma ten dokument?",
    "Kaç bölüm var?",
    "Сколько глав в этой книге?",
    "اعرض جدول المحتويات",
    "כמה פרקים יש?",
    "这本书有多少章节？",
    "目次を教えてください",
    "목차를 알려줘",
    "कितने अध्याय हैं?",
]
PAGES = [
    "How many pages does it have?",
    "Wie viele Seiten hat das Dokument?",
    "Combien de pages y a-t-il ?",
    "¿Cuántas páginas tiene?",
    "Quantas páginas tem?",
    "Quante pagine ha?",
    "Hoeveel pagina's heeft het document?",
    "Ile stron ma ten dokument?",
    "Bu belge kaç sayfa?",
    "Сколько страниц в документе?",
    "كم عدد الصفحات؟",
    "כמה עמודים יש במסמך?",
    "这份文件有多少页？",
    "この文書は何ページありますか？",
    "이 문서는 몇 쪽인가요?",
    "इस दस्तावेज़ में कितने पृष्ठ हैं?",
]
PLACES = {
    "List all the deadlines in the document": ("deadlines",),
    "How many suppliers are mentioned?": ("suppliers",),
    "Which chemicals are listed in this manual?": ("chemicals",),
    "Where is the deadline mentioned?": ("deadline",),
    "Wo wird die Frist erwähnt?": ("Frist",),
    "Où est mentionnée l'échéance ?": ("échéance",),
    "¿Dónde se menciona el plazo?": ("plazo",),
    "哪里提到了期限？": ("期限",),
    "Liste alle Fristen auf": ("Fristen",),
    "Welche Lieferanten werden erwähnt?": ("Lieferanten",),
    "Liste toutes les échéances": ("échéances",),
    "Enumera todos los plazos": ("plazos",),
    "Liste todos os prazos": ("prazos",),
    "Elenca tutte le scadenze": ("scadenze",),
    "Noem alle termijnen": ("termijnen",),
    "Wymień wszystkie terminy": ("terminy",),
    "Tüm tarihleri listele": ("tarihleri",),
    "Перечисли все сроки": ("сроки",),
    "اذكر جميع المواعيد في المستند": ("المواعيد",),
    "ציין את כל המועדים": ("המועדים",),
    "列出所有截止日期": ("截止日期",),
    "期限をすべて挙げてください": ("期限",),
    "모든 마감일을 나열해 주세요": ("마감일",),
    "सभी समय-सीमाएँ बताएँ": ("समय-सीमाएँ",),
}
ORDINARY = [
    "How much is the rent?",
    "How many people does the company employ?",
    "How many stores were opened in the second year?",
    "How many pages did she write in the first year?",
    "What is the fee about which they quarrel?",
    "What is the captain worried about?",
    "What were the sailors complaining about?",
    "Who wrote the letter?",
    "When did version 4.1 come out?",
    "Wann erschien 2.0?",
    "How old do I have to be?",
    "How old must I be to hire a boat?",
    "When did the talks resume?",
    "What was the town named after?",
    "In what year did the orchestra first appear in the capital?",
    "Which section of the act was repealed in 1990?",
    "Wie viele Menschen arbeiten im Werk?",
    "Wer hat den Vertrag unterschrieben?",
    "Combien d'employés compte l'entreprise ?",
    "¿Quién firmó el contrato?",
    "Quantos funcionários trabalham na fábrica?",
    "Chi ha firmato il contratto?",
    "Hoeveel mensen werken er in de fabriek?",
    "Ilu pracowników zatrudnia firma?",
    "Şirkette kaç kişi çalışıyor?",
    "Сколько человек работает на заводе?",
    "كم عدد الموظفين في الشركة؟",
    "כמה עובדים יש בחברה?",
    "公司有多少员工？",
    "会社の従業員は何人ですか？",
    "회사의 직원은 몇 명입니까?",
    "कंपनी में कितने कर्मचारी हैं?",
]


@pytest.mark.parametrize("question", GIST)
def test_a_summary_is_asked_for(question: str) -> None:
    assert scope_of(question, "en") == Scope("summary", ())


@pytest.mark.parametrize("question", CONTENTS)
def test_the_contents_are_asked_for(question: str) -> None:
    assert scope_of(question, "en") == Scope("contents", ())


@pytest.mark.parametrize("question", PAGES)
def test_the_number_of_pages_is_asked_for(question: str) -> None:
    assert scope_of(question, "en") == Scope("page_count", ())


@pytest.mark.parametrize("question", PLACES)
def test_every_place_is_asked_for(question: str) -> None:
    assert scope_of(question, "en") == Scope("mentions", PLACES[question])


@pytest.mark.parametrize("question", ORDINARY)
def test_a_fact_is_asked_for(question: str) -> None:
    assert scope_of(question, "en").wanted == "passages"


def test_a_summary_of_something_names_it() -> None:
    assert scope_of("Summarize the risk factors", "en") == Scope("summary", ("risk", "factors"))
    assert scope_of("Worum geht es bei der Haftung?", "en") == Scope("summary", ("Haftung",))


def test_a_pronoun_is_no_topic() -> None:
    assert scope_of("Summarise what they say about pensions", "en") == Scope("summary", ("pensions",))
    assert scope_of("Where are they mentioned?", "en").wanted == "passages"


@pytest.mark.parametrize(
    ("language", "question", "wanted"),
    [
        ("en", "What was decided?", "outcome"),
        ("en", "So what did the jury decide in the end?", "outcome"),
        ("en", "what's the ruling", "outcome"),
        ("en", "What was decided on the roof?", "passages"),
        ("en", "Who decided?", "passages"),
        ("en", "Was it agreed?", "passages"),
        ("en", "What is the screen resolution?", "passages"),
        ("en", "Why did the court decide so?", "passages"),
        ("de", "Was wurde beschlossen?", "outcome"),
        ("de", "Wie hat das Gericht entschieden?", "outcome"),
        ("de", "Was wurde zum Dach beschlossen?", "passages"),
        ("fr", "Quelles décisions ont été prises ?", "outcome"),
        ("fr", "c'est quoi ce texte ?", "summary"),
        ("fr", "c'est quoi la caution ?", "passages"),
        ("de", "wie viele Seiten hat das Skript?", "page_count"),
        ("es", "¿Qué decisiones se tomaron?", "outcome"),
        ("it", "Quali decisioni sono state prese?", "outcome"),
        ("nl", "Wat heeft de raad besloten?", "outcome"),
        ("pt", "Que decisões foram tomadas?", "outcome"),
        ("zh", "法院最后决定了什么？", "outcome"),
        ("zh", "法院对租金决定了什么？", "passages"),
    ],
)
def test_what_was_decided_is_asked_of_the_whole_document_and_of_a_matter_of_passages(
    language: str, question: str, wanted: str
) -> None:
    assert scope_of(question, language).wanted == wanted


def test_a_long_task_is_no_question_about_the_whole() -> None:
    assert scope_of("Summarize this: " + "The tenant pays the rent. " * 20, "en") == Scope()


@pytest.mark.parametrize(
    ("question", "wanted", "kind", "first", "last"),
    [
        ("What is chapter 3 about?", "summary", "chapter", (3,), (3,)),
        ("Summarize pages 3-5", "summary", "page", (3,), (5,)),
        ("How many pages are in chapter 2?", "page_count", "chapter", (2,), (2,)),
        ("Give me a summary of section 4.2", "summary", "section", (4, 2), (4, 2)),
        ("Summarize chapter IV.", "summary", "chapter", (4,), (4,)),
        ("Summarize the last chapter", "summary", "chapter", (-1,), (-1,)),
        ("Worum geht es in Kapitel 3?", "summary", "chapter", (3,), (3,)),
        ("Fasse die Seiten 3 bis 5 zusammen", "summary", "page", (3,), (5,)),
        ("De quoi parle le chapitre 2 ?", "summary", "chapter", (2,), (2,)),
        ("第三章讲了什么？", "summary", "chapter", (3,), (3,)),
        ("What happens in chapter 7?", "summary", "chapter", (7,), (7,)),
        ("Was steht in Kapitel 7?", "summary", "chapter", (7,), (7,)),
        ("Who dies in chapter 12?", "passages", "chapter", (12,), (12,)),
    ],
)
def test_pages_chapters_and_sections_are_a_scope(
    question: str, wanted: str, kind: str, first: tuple[int, ...], last: tuple[int, ...]
) -> None:
    scope = scope_of(question, "en")
    assert [(scope.wanted, at.kind, at.first, at.last) for at in scope.places] == [(wanted, kind, first, last)]
    assert scope.topic == ()


@pytest.mark.parametrize(
    ("language", "question", "numbers"),
    [
        ("en", "Summarize chapters 2 and 3", [(2, 2), (3, 3)]),
        ("en", "Summarize pages 3, 5 and 7", [(3, 3), (5, 5), (7, 7)]),
        ("en", "Summarize pages 3-5 and 8", [(3, 5), (8, 8)]),
        ("en", "Summarize the first three pages", [(1, 3)]),
        ("en", "Summarize the last 2 chapters", [(-2, -1)]),
        ("fr", "Résume les trois premières pages", [(1, 3)]),
        ("de", "Fasse die letzten zwei Kapitel zusammen", [(-2, -1)]),
        ("de", "Fasse die Kapitel 2 und 4 zusammen", [(2, 2), (4, 4)]),
        ("fr", "Résume les chapitres 2 et 3", [(2, 2), (3, 3)]),
        ("es", "Resume los capítulos 2 y 3", [(2, 2), (3, 3)]),
        ("ru", "Кратко перескажи главы 2 и 3", [(2, 2), (3, 3)]),
        ("zh", "总结第二章和第三章", [(2, 2), (3, 3)]),
        ("en", "Summarize pages three to five", [(3, 5)]),
        ("en", "Summarize chapter twenty-one", [(21, 21)]),
        ("en", "What is the seventh chapter about?", [(7, 7)]),
        ("en", "Summarize the 12th chapter", [(12, 12)]),
        ("de", "Zusammenfassung von Kapitel drei", [(3, 3)]),
        ("de", "Worum geht es im sechsten Kapitel?", [(6, 6)]),
        ("de", "Worum geht es im 3. Kapitel?", [(3, 3)]),
        ("fr", "De quoi parle le sixième chapitre ?", [(6, 6)]),
        ("fr", "Résume le chapitre deux", [(2, 2)]),
        ("es", "¿De qué trata el capítulo tres?", [(3, 3)]),
        ("pt", "Do que trata o sétimo capítulo?", [(7, 7)]),
        ("it", "Riassumi il capitolo due", [(2, 2)]),
        ("nl", "Geef een samenvatting van hoofdstuk drie", [(3, 3)]),
        ("ru", "О чём третья глава?", [(3, 3)]),
        ("ar", "لخص الفصل الثالث", [(3, 3)]),
    ],
)
def test_places_are_named_in_lists_and_in_words(language: str, question: str, numbers: list[tuple[int, int]]) -> None:
    scope = scope_of(question, language)
    assert (scope.wanted, scope.topic) == ("summary", ())
    assert [(*at.first, *at.last) for at in scope.places] == numbers


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "What does the chapter on bees say?"),
        ("en", "Which section is due to be repealed?"),
        ("pt", "O que dizem as páginas dos anexos?"),
        ("en", "How many chapters and how many pages are there?"),
    ],
)
def test_words_that_are_numbers_elsewhere_name_no_place(language: str, question: str) -> None:
    assert scope_of(question, language).places == ()


@pytest.mark.parametrize(
    ("language", "question", "kind", "number"),
    [
        ("en", "whats on page 5", "page", (5,)),
        ("de", "Was steht in Paragraf 5?", "section", (5,)),
        ("fr", "Que dit le point 3 ?", "section", (3,)),
        ("es", "¿Qué dice la cláusula 4?", "section", (4,)),
        ("it", "Cosa dice l'articolo 2?", "section", (2,)),
        ("pt", "O que diz o artigo 3?", "section", (3,)),
        ("nl", "Wat staat er in artikel 4?", "section", (4,)),
        ("pl", "Co mówi artykuł 4?", "section", (4,)),
        ("ru", "Что сказано в статье 4?", "section", (4,)),
        ("ar", "ماذا تقول المادة 5؟", "section", (5,)),
    ],
)
def test_what_an_article_or_clause_says_is_asked_of_all_of_it(
    language: str, question: str, kind: str, number: tuple[int, ...]
) -> None:
    scope = scope_of(question, language)
    assert (scope.wanted, scope.topic) == ("summary", ())
    assert [(place.kind, place.first) for place in scope.places] == [(kind, number)]
