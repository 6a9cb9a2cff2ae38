"""Every fixed sentence that a reader is told, by language."""

from collections.abc import Iterable

NOT_FOUND = {
    "en": "The documents do not say anything about this.",
    "ar": "لا تتضمن المستندات أي معلومات عن هذا.",
    "zh": "文档中没有与此相关的内容。",
    "ja": "文書にはこれに関する記載がありません。",
    "fr": "Les documents ne disent rien à ce sujet.",
    "de": "Die Dokumente sagen dazu nichts.",
    "es": "Los documentos no dicen nada al respecto.",
    "ko": "문서에는 이에 대한 내용이 없습니다.",
    "pt": "Os documentos não dizem nada sobre isso.",
    "he": "המסמכים אינם אומרים דבר על כך.",
    "it": "I documenti non dicono nulla al riguardo.",
    "ru": "В документах об этом ничего не сказано.",
    "nl": "De documenten zeggen hier niets over.",
    "tr": "Belgelerde bununla ilgili bir bilgi yok.",
    "pl": "Dokumenty nic o tym nie mówią.",
    "hi": "दस्तावेज़ों में इसके बारे में कुछ नहीं है।",
}
NEAREST = {
    "en": "Nearest pages: {pages}.",
    "ar": "أقرب الصفحات: {pages}.",
    "zh": "最接近的页面：{pages}。",
    "ja": "最も近いページ：{pages}。",
    "fr": "Pages les plus proches : {pages}.",
    "de": "Am nächsten kommen die Seiten: {pages}.",
    "es": "Páginas más cercanas: {pages}.",
    "ko": "가장 가까운 페이지: {pages}.",
    "pt": "Páginas mais próximas: {pages}.",
    "he": "העמודים הקרובים ביותר: {pages}.",
    "it": "Pagine più vicine: {pages}.",
    "ru": "Ближайшие страницы: {pages}.",
    "nl": "Dichtstbijzijnde pagina's: {pages}.",
    "tr": "En yakın sayfalar: {pages}.",
    "pl": "Najbliższe strony: {pages}.",
    "hi": "निकटतम पृष्ठ: {pages}।",
}
UNFOUNDED = {
    "en": "(not in the documents)",
    "ar": "(غير وارد في المستندات)",
    "zh": "（文档中没有）",
    "ja": "（文書に記載なし）",
    "fr": "(absent des documents)",
    "de": "(steht nicht in den Dokumenten)",
    "es": "(no consta en los documentos)",
    "ko": "(문서에 없음)",
    "pt": "(não consta nos documentos)",
    "he": "(לא מופיע במסמכים)",
    "it": "(non presente nei documenti)",
    "ru": "(нет в документах)",
    "nl": "(staat niet in de documenten)",
    "tr": "(belgelerde yok)",
    "pl": "(brak w dokumentach)",
    "hi": "(दस्तावेज़ों में नहीं है)",
}
SOURCES = {
    "en": "Sources",
    "ar": "المصادر",
    "zh": "来源",
    "ja": "出典",
    "fr": "Sources",
    "de": "Quellen",
    "es": "Fuentes",
    "ko": "출처",
    "pt": "Fontes",
    "he": "מקורות",
    "it": "Fonti",
    "ru": "Источники",
    "nl": "Bronnen",
    "tr": "Kaynaklar",
    "pl": "Źródła",
    "hi": "स्रोत",
}
PAGE = {
    "en": "page",
    "ar": "صفحة",
    "zh": "页",
    "ja": "ページ",
    "fr": "page",
    "de": "Seite",
    "es": "página",
    "ko": "쪽",
    "pt": "página",
    "he": "עמוד",
    "it": "pagina",
    "ru": "стр.",
    "nl": "pagina",
    "tr": "sayfa",
    "pl": "strona",
    "hi": "पृष्ठ",
}
ENGLISH_NAMES = {
    "en": "English",
    "ar": "Arabic",
    "zh": "Chinese",
    "ja": "Japanese",
    "fr": "French",
    "de": "German",
    "es": "Spanish",
    "ko": "Korean",
    "pt": "Portuguese",
    "he": "Hebrew",
    "it": "Italian",
    "ru": "Russian",
    "nl": "Dutch",
    "tr": "Turkish",
    "pl": "Polish",
    "hi": "Hindi",
}


def phrase(table: dict[str, str], language: str) -> str:
    """The phrase in this language, in English where we have no other."""
    return table.get(language, table["en"])


def refusal(nearest: Iterable[tuple[str, int]], language: str) -> str:
    """That nothing was found, and the nearest (document name, page number), each once and by document; without any, only the first."""
    pages: dict[str, list[int]] = {}
    for name, page_number in dict.fromkeys(nearest):
        pages.setdefault(name, []).append(page_number)
    listed = ", ".join(f"{name} ({', '.join(map(str, sorted(numbers)))})" for name, numbers in pages.items())
    said = phrase(NOT_FOUND, language)
    return f"{said} {phrase(NEAREST, language).format(pages=listed)}" if listed else said


def sources_block(sources: list[tuple[int, str, int, str]], language: str) -> str:
    """The closing block of a plain text stream; each source is (id, document name, page number, passage)."""
    if not sources:
        return ""
    page = phrase(PAGE, language)
    lines = [
        f"[{number}] {name}, {page} {page_number}: {' '.join(text.split())}"
        for number, name, page_number, text in sources
    ]
    return f"\n\n{phrase(SOURCES, language)}:\n" + "\n".join(lines) + "\n"
