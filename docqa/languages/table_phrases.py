"""What a reader is told of a table, by language: `{0}` is the name of a column, or a phrase of these itself. Used as docqa/languages/phrases.py's are."""

_LANGUAGES = ["en", "ar", "zh", "ja", "fr", "de", "es", "ko", "pt", "he", "it", "ru", "nl", "tr", "pl", "hi"]


def _by_language(*phrases: str) -> dict[str, str]:
    return dict(zip(_LANGUAGES, phrases, strict=True))


MEASURES = {
    "rows": _by_language(
        *(
            "Number of rows",
            "عدد الصفوف",
            "行数",
            "行数",
            "Nombre de lignes",
            "Anzahl der Zeilen",
            "Número de filas",
            "행 수",
        ),
        *(
            "Número de linhas",
            "מספר השורות",
            "Numero di righe",
            "Количество строк",
            "Aantal rijen",
            "Satır sayısı",
            "Liczba wierszy",
            "पंक्तियों की संख्या",
        ),
    ),
    "different": _by_language(
        *(
            "Number of different values of {0}",
            "عدد القيم المختلفة في {0}",
            "{0}的不同值数量",
            "{0}の異なる値の数",
            "Nombre de valeurs différentes de {0}",
        ),
        *(
            "Anzahl verschiedener Werte von {0}",
            "Número de valores distintos de {0}",
            "{0}의 서로 다른 값의 수",
            "Número de valores diferentes de {0}",
        ),
        *(
            "מספר הערכים השונים של {0}",
            "Numero di valori diversi di {0}",
            "Количество различных значений {0}",
            "Aantal verschillende waarden van {0}",
        ),
        *(
            "{0} sütunundaki farklı değerlerin sayısı",
            "Liczba różnych wartości w kolumnie {0}",
            "{0} के अलग-अलग मानों की संख्या",
        ),
    ),
    "sum": _by_language(
        *(
            "Sum of {0}",
            "مجموع {0}",
            "{0}的总和",
            "{0}の合計",
            "Somme de {0}",
            "Summe von {0}",
            "Suma de {0}",
            "{0}의 합계",
        ),
        *(
            "Soma de {0}",
            "סכום {0}",
            "Somma di {0}",
            "Сумма {0}",
            "Som van {0}",
            "{0} toplamı",
            "Suma w kolumnie {0}",
            "{0} का योग",
        ),
    ),
    "mean": _by_language(
        *(
            "Average of {0}",
            "متوسط {0}",
            "{0}的平均值",
            "{0}の平均",
            "Moyenne de {0}",
            "Durchschnitt von {0}",
            "Promedio de {0}",
            "{0}의 평균",
        ),
        *(
            "Média de {0}",
            "ממוצע {0}",
            "Media di {0}",
            "Среднее значение {0}",
            "Gemiddelde van {0}",
            "{0} ortalaması",
            "Średnia w kolumnie {0}",
            "{0} का औसत",
        ),
    ),
    "median": _by_language(
        *(
            "Median of {0}",
            "وسيط {0}",
            "{0}的中位数",
            "{0}の中央値",
            "Médiane de {0}",
            "Median von {0}",
            "Mediana de {0}",
            "{0}의 중앙값",
        ),
        *(
            "Mediana de {0}",
            "חציון {0}",
            "Mediana di {0}",
            "Медиана {0}",
            "Mediaan van {0}",
            "{0} medyanı",
            "Mediana w kolumnie {0}",
            "{0} की माध्यिका",
        ),
    ),
    "highest": _by_language(
        *(
            "Highest value of {0}",
            "أعلى قيمة في {0}",
            "{0}的最大值",
            "{0}の最大値",
            "Valeur la plus élevée de {0}",
            "Höchster Wert von {0}",
            "Valor más alto de {0}",
        ),
        *(
            "{0}의 최댓값",
            "Valor mais alto de {0}",
            "הערך הגבוה ביותר של {0}",
            "Valore più alto di {0}",
            "Наибольшее значение {0}",
            "Hoogste waarde van {0}",
        ),
        *("{0} için en yüksek değer", "Najwyższa wartość w kolumnie {0}", "{0} का अधिकतम मान"),
    ),
    "lowest": _by_language(
        *(
            "Lowest value of {0}",
            "أدنى قيمة في {0}",
            "{0}的最小值",
            "{0}の最小値",
            "Valeur la plus basse de {0}",
            "Niedrigster Wert von {0}",
            "Valor más bajo de {0}",
        ),
        *(
            "{0}의 최솟값",
            "Valor mais baixo de {0}",
            "הערך הנמוך ביותר של {0}",
            "Valore più basso di {0}",
            "Наименьшее значение {0}",
            "Laagste waarde van {0}",
        ),
        *("{0} için en düşük değer", "Najniższa wartość w kolumnie {0}", "{0} का न्यूनतम मान"),
    ),
}
# {0} is one of the above, {1} the name of the column that it is given for each value of.
GROUPED = _by_language(
    *("{0} by {1}", "{0} حسب {1}", "按{1}：{0}", "{1}別の{0}", "{0} par {1}", "{0} je {1}", "{0} por {1}", "{1}별 {0}"),
    *(
        "{0} por {1}",
        "{0} לפי {1}",
        "{0} per {1}",
        "{0} по {1}",
        "{0} per {1}",
        "{1} bazında {0}",
        "{0} według {1}",
        "{1} के अनुसार {0}",
    ),
)
# {0} are the names of documents.
WHICH = _by_language(
    *(
        "Several tables fit this question: {0}. Which one do you mean?",
        "تنطبق على هذا السؤال عدة جداول: {0}. أيها تقصد؟",
        "有多个表格符合这个问题：{0}。您指的是哪一个？",
    ),
    *(
        "この質問には複数の表が当てはまります：{0}。どの表についてお尋ねですか？",
        "Plusieurs tableaux correspondent à cette question : {0}. Duquel s’agit-il ?",
    ),
    *(
        "Zu dieser Frage passen mehrere Tabellen: {0}. Welche ist gemeint?",
        "Varias tablas corresponden a esta pregunta: {0}. ¿A cuál se refiere?",
    ),
    *(
        "이 질문에 해당하는 표가 여러 개 있습니다: {0}. 어느 표를 말씀하시나요?",
        "Várias tabelas correspondem a esta pergunta: {0}. A qual delas se refere?",
    ),
    *(
        "כמה טבלאות מתאימות לשאלה זו: {0}. לאיזו מהן הכוונה?",
        "Più tabelle corrispondono a questa domanda: {0}. Quale intende?",
    ),
    *(
        "Этому вопросу соответствуют несколько таблиц: {0}. Какую из них вы имеете в виду?",
        "Meerdere tabellen passen bij deze vraag: {0}. Welke bedoelt u?",
    ),
    *(
        "Bu soruya birden fazla tablo uyuyor: {0}. Hangisini kastediyorsunuz?",
        "Do tego pytania pasuje kilka tabel: {0}. O którą chodzi?",
    ),
    "इस प्रश्न से कई तालिकाएँ मेल खाती हैं: {0}। आपका आशय किस तालिका से है?",
)
FULL_STOPS = {"en": ".", "zh": "。", "ja": "。", "hi": "।"}
# The marks of thousands and decimals.
NUMBER_MARKS = {
    "en": ",.",
    "de": ".,",
    "es": ".,",
    "it": ".,",
    "nl": ".,",
    "pt": ".,",
    "tr": ".,",
    "fr": "\u202f,",
    "pl": "\u00a0,",
    "ru": "\u00a0,",
}
