"""How a statement becomes the question that it answers, in 16 languages: patterns for sentences, and the questions made with them.

The patterns know the commonest ways to define something, to state an amount and to date an event. They know no grammar: in languages that ask
with another order of words, only those statements are taken whose own words can be asked with.
"""

import re
from functools import cache

DEFINITION, NUMBER, DATE, ROW, HEADING = "definition", "number", "date", "row", "heading"

# What a statement may say after its number to be understood alone: "in 2018", "am 1. Mai".
_PLACES = "in|on|at|as of|for|im|am|für|zum|en|au|à la fin de|pour|no|na|em|nel|nell'|alla fine di|per|op|eind|w|na koniec|в|на|в конце|في|عام|سنة|ב|בשנת"
_ROUGHLY = (
    "about|approximately|around|nearly|almost|over|more than|only|just|less than|etwa|rund|ungefähr|circa|ca\\.|knapp|über|mehr als|nur|environ|près de"
    "|plus de|presque|unos|unas|cerca de|casi|alrededor de|más de|aproximadamente|quase|mais de|quasi|oltre|più di|ongeveer|bijna|meer dan"
    "|ruim|około|prawie|ponad|около|почти|более|примерно|حوالي|نحو|أكثر من|כ-|בערך|כמעט|יותר מ-"
)
_PARTS = {
    "S": r"(?P<subject>[^\W\d_][^,;:،؛()\n\t\"“”„«»]{1,90}?)",
    "V": r"(?P<value>[^\n\t]{10,300}?)[.!।؟]?",
    "N": rf"(?:(?:{_ROUGHLY})\s?)?(?P<value>(?:[A-Z]{{0,3}}[$€£¥₹]\s?)?\d(?:[\d.,\u00a0\u202f']*\d)?(?: \d{{3}})*(?:\s?%)?)(?![\d-])",
    "D": r"(?P<value>[^\W\d_]+ \d{1,2},? \d{4}|\d{1,2}\.? (?:de )?[^\W\d_]+ (?:de )?\d{4}|\d{4})(?!\d)",
    # A unit, then where or when it holds (no number but a date), then whatever the sentence adds after a mark.
    "U": rf"(?:\s[^\W\d_]+(?:['’][^\W\d_]+)?){{0,3}}?(?P<tail>\s(?:{_PLACES})\s(?:[^,;:.()\n\t\d]|\d{{1,2}}(?=,? \d{{4}}| [^\W\d]+ \d{{4}})|\d{{4}}){{1,40}}?(?:, \d{{4}})?)?(?:[,;.(](?!\d).*)?",
    "Z": r"(?P<value>\d(?:[\d.,]*\d)?)",
    "Y": r"(?P<value>\d{4})",
}

_FORMS = {
    "en": (
        (
            DEFINITION,
            "{S} (?P<verb>is|are) (?P<value>(?:an?|the|any|one of|defined as) [^\n\t]{10,300}?)[.]?",
            "What {verb} {subject}?",
        ),
        (DEFINITION, "{S} (?:means|refers to) (?!that){V}", "What is {subject}?"),
        (
            NUMBER,
            "{S} (?P<verb>is|are|was|were) (?=[^\\d]*[$€£¥₹%]|\\S+ (?:[mb]illion|percent)){N}{U}",
            "How much {verb} {subject}{tail}?",
        ),
        (NUMBER, "{S} (?P<verb>is|are|was|were) {N}(?! years old){U}", "What {verb} {subject}{tail}?"),
        (NUMBER, "{S} (?:amounted to|totall?ed) {N}{U}", "How much did {subject} amount to{tail}?"),
        (NUMBER, "{S} has {N} (?P<noun>[^\\W\\d_]+s)\\b.*", "How many {noun} does {subject} have?"),
        (
            DATE,
            "{S} (?P<verb>is|are|was|were) (?P<rest>[a-z]+(?:ed|ght|lt|ken|nt|ten|wn))(?: (?:in|on|by))? {D}.*",
            "When {verb} {subject} {rest}?",
        ),
        (DATE, "{S} (?P<verb>is|was) (?:on )?{D}.*", "When {verb} {subject}?"),
    ),
    "de": (
        (DEFINITION, "{S} ist (?P<value>(?:eine?|jede[rs]?) [^\n\t]{10,300}?)[.]?", "Was ist {subject}?"),
        (NUMBER, "{S} (?P<verb>beträgt|betragen|betrug|betrugen) {N}{U}", "Wie viel {verb} {subject}{tail}?"),
        (NUMBER, "{S} hat {N} (?P<noun>[A-ZÄÖÜ]\\w+)\\b.*", "Wie viele {noun} hat {subject}?"),
        (DATE, "{S} (?P<verb>wurden?) (?:am|im|im Jahre?) {D} (?P<rest>\\w+)[.]", "Wann {verb} {subject} {rest}?"),
    ),
    "fr": (
        (DEFINITION, "{S} est (?P<value>une? [^\n\t]{10,300}?)[.]?", "Qu'est-ce que c'est, {subject} ?"),
        (NUMBER, "{S} (?P<verb>est|était|sont|étaient) de {N}{U}", "De combien {verb} {subject}{tail} ?"),
        (NUMBER, "{S} (?P<verb>s['’]élève|s['’]élèvent|s['’]élevait) à {N}{U}", "À combien {verb} {subject}{tail} ?"),
        (
            DATE,
            "{S} (?P<verb>a été|ont été|est|sont) (?P<rest>\\w+[éits]e?s?) (?:en|le) {D}.*",
            "Quand est-ce que {subject} {verb} {rest} ?",
        ),
    ),
    "es": (
        (DEFINITION, "{S} es (?P<value>una? [^\n\t]{10,300}?)[.]?", "¿Qué es {subject}?"),
        (NUMBER, "{S} (?P<verb>es|era|fue|son|fueron) de {N}{U}", "¿De cuánto {verb} {subject}{tail}?"),
        (NUMBER, "{S} (?P<verb>asciende|ascienden|ascendió|ascendieron) a {N}{U}", "¿A cuánto {verb} {subject}{tail}?"),
        (
            DATE,
            "{S} (?P<verb>fue|fueron) (?P<rest>\\w+[dts][oa]s?) (?:en|el) {D}.*",
            "¿Cuándo {verb} {rest} {subject}?",
        ),
    ),
    "pt": (
        (DEFINITION, "{S} é (?P<value>uma? [^\n\t]{10,300}?)[.]?", "O que é {subject}?"),
        (NUMBER, "{S} (?P<verb>é|era|foi|são|foram) de {N}{U}", "De quanto {verb} {subject}{tail}?"),
        (
            DATE,
            "{S} (?P<verb>foi|foram) (?P<rest>\\w+[dts][oa]s?) (?:em|no dia|a) {D}.*",
            "Quando {verb} {rest} {subject}?",
        ),
    ),
    "it": (
        (DEFINITION, "{S} è (?P<value>un(?:a |o |'|’| )[^\n\t]{10,300}?)[.]?", "Che cos'è {subject}?"),
        (NUMBER, "{S} (?P<verb>è|era|sono|erano) (?:di|pari a) {N}{U}", "Di quanto {verb} {subject}{tail}?"),
        (NUMBER, "{S} (?P<verb>ammonta|ammontano|ammontava) a {N}{U}", "A quanto {verb} {subject}{tail}?"),
        (DATE, "{S} (?P<verb>(?:è|fu) (?:stat[oa] )?\\w+[aeiou]t[oa]) (?:nel|il) {D}.*", "Quando {verb} {subject}?"),
    ),
    "nl": (
        (DEFINITION, "{S} is (?P<value>een [^\n\t]{10,300}?)[.]?", "Wat is {subject}?"),
        (NUMBER, "{S} (?P<verb>bedraagt|bedragen|bedroeg|bedroegen) {N}{U}", "Hoeveel {verb} {subject}{tail}?"),
        (DATE, "{S} (?P<verb>werd|werden|is|zijn) (?:in|op) {D} (?P<rest>\\w+)[.]", "Wanneer {verb} {subject} {rest}?"),
    ),
    "pl": (
        (DEFINITION, "{S} (?:[—–-] )?(?:jest )?to {V}", "Co to jest {subject}?"),
        (
            NUMBER,
            "{S} (?P<verb>wynosi|wynoszą|wynosił[aoy]?|wyniósł|wyniosł[aoy]) {N}{U}",
            "Ile {verb} {subject}{tail}?",
        ),
        (DATE, "{S} (?P<verb>został[aoy]? \\w+) (?:w|dnia|w dniu|w roku) {D}.*", "Kiedy {subject} {verb}?"),
    ),
    "ru": (
        (DEFINITION, "{S} [—–-] это {V}", "Что такое {subject}?"),
        (NUMBER, "{S} (?P<verb>составля[ею]т|составил[аои]?) {N}{U}", "Сколько {verb} {subject}{tail}?"),
        (DATE, "{S} (?P<verb>был[аои]? \\w+[нт][аоы]?) (?:в )?{D}.*", "Когда {verb} {subject}?"),
    ),
    "tr": (
        (DEFINITION, "{S}, (?P<value>[^\n\t,]{10,300}[dt][ıiuü]r)[.]", "{subject} nedir?"),
        (
            NUMBER,
            "(?P<subject>[^,.;:()\n\t]{4,60}) {Z}(?P<rest> ?[^\\d,.;:()]{1,25}[dt][ıiuü]r)[.]",
            "{subject} kaç{rest}?",
        ),
        (
            DATE,
            "(?P<subject>[^,.;:()\n\t]{4,60}) {Y} yılında (?P<rest>[^\\d,.;:()]{3,40})[.]",
            "{subject} ne zaman {rest}?",
        ),
    ),
    "hi": (
        (DEFINITION, "{S} एक (?P<value>[^\n\t]{10,300}) (?:है|हैं)।", "{subject} क्या है?"),
        (
            NUMBER,
            "(?P<subject>[^,;:।()\n\t]{4,60}) {Z} (?P<rest>[^\\d,;:।()]{1,30} (?:है|हैं|था|थी|थे))।",
            "{subject} कितने {rest}?",
        ),
        (DATE, "(?P<subject>[^,;:।()\n\t]{2,60}) {Y} में (?P<rest>[^\\d,;:।()]{2,40})।", "{subject} कब {rest}?"),
    ),
    "ar": (
        (DEFINITION, "(?P<subject>ال[^\\s،,]+(?: ال[^\\s،,]+){0,3}) (?P<verb>هو|هي) {V}", "ما {verb} {subject}؟"),
        (NUMBER, "(?P<verb>[يت]?بلغت?) {S} {N}{U}", "كم {verb} {subject}{tail}؟"),
        (
            DATE,
            "(?P<verb>تأسست?|أنشئت?|ولدت?|بدأت?|افتتحت?|وقعت?|انتهى|انتهت|توفيت?) {S} (?:في )?(?:عام|سنة|في) {D}.*",
            "متى {verb} {subject}؟",
        ),
    ),
    "he": (
        (DEFINITION, "{S} (?:הוא|היא) {V}", "מה זה {subject}?"),
        (NUMBER, "{S} (?P<verb>עומדת?|עמדה?) על {N}{U}", "על כמה {verb} {subject}{tail}?"),
        (
            DATE,
            "{S} (?P<verb>נוסדה?|הוקמה?|נבנה|נבנתה|נחתמה?|נפתחה?|נולדה?) (?:בשנת |ב-?){D}.*",
            "מתי {verb} {subject}?",
        ),
    ),
    "zh": (
        (
            DEFINITION,
            "(?P<subject>[^，。；：、（）\\s]{2,20}?)(?:是指|指的是|是一[种種个個项項类類款部座家所]) ?(?P<value>[^\n]{6,200})。",
            "{subject}是什么？",
        ),
        (
            NUMBER,
            "(?:[^。；\n]*[，；])?(?P<subject>[^，。；：（）\n]{3,40}?[为為是达達到共约約有]){Z}(?P<rest>(?![年月日])[^，。；\\d]{1,12})[，。；].*",
            "{subject}多少{rest}？",
        ),
        (
            DATE,
            "(?P<subject>[^，。；：（）\n\\d]{2,30}?[于於在]){Y}年(?:\\d+月)?(?:\\d+日)?(?P<rest>[^，。；\\d]{2,20})[，。；].*",
            "{subject}哪一年{rest}？",
        ),
    ),
    "ja": (
        (
            NUMBER,
            "(?P<subject>[^、。（）()\n]{1,40}?[^、。でにへともら]は約?){Z}(?P<rest>(?![年月日])[^、。\\d]{1,8}?)(?:である|です|だ)?。",
            "{subject}何{rest}ですか？",
        ),
        (
            DEFINITION,
            "(?P<subject>[^、。（）()\\s]{1,24}?[^、。（）\\sでにへともらは])(?:とは、?|は、)(?P<value>[^\n]{6,200})(?:である|です|をいう|を指す)。",
            "{subject}とは何ですか？",
        ),
        (
            DATE,
            "(?P<subject>[^、。（）\n\\d]{2,30}?[はが]、?){Y}年(?:\\d+月)?(?:\\d+日)?に(?P<rest>[^、。\\d]{1,20}[ただ])。",
            "{subject}いつ{rest}か？",
        ),
    ),
    "ko": (
        (
            NUMBER,
            "(?P<subject>[^,.()\n]{2,50}[은는이가](?: 약)?) {Z} ?(?P<rest>(?!년)[^\\d,.]{1,10}?)(?:이다|입니다)[.]",
            "{subject} 몇 {rest}입니까?",
        ),
        (
            DEFINITION,
            "(?P<subject>[^,.()\n]{1,30}(?:란|은|는)) (?P<value>[^\n]{8,200})(?:이다|입니다|말한다|의미한다|뜻한다)[.]",
            "{subject} 무엇입니까?",
        ),
        (
            DATE,
            "(?P<subject>[^,.()\n\\d]{2,40}[은는이가]) {Y}년(?: \\d+월)?(?: \\d+일)?에? (?P<rest>[^,.\\d]{0,25}[았었였됐했졌])다[.]",
            "{subject} 언제 {rest}습니까?",
        ),
    ),
}

# Words that point back to the sentence before: a subject that begins with one is understood by nobody who reads the question alone.
_BACK = {
    "en": "this that these those there they then it its he she we you i here his her our my their such each both one another if but because although while all"
    " some so no none following below above also many most few several first second third fourth last other another full",
    "de": "dies diese dieser dieses es sie er wir ich ihr ihre sein seine jene jener jenes solche hier da dort dabei damit man auch so heute jetzt dann"
    " deshalb daher zudem außerdem",
    "fr": "ce cet cette ces c'est il ils elle elles nous vous on son sa ses leur leurs cela ça celui celle ici là ainsi aussi ceci notre votre",
    "es": "este esta esto estos estas ese esa eso esos esas él ella ellos ellas ello su sus aquel aquella nuestro nuestra aquí así también hoy otro otra",
    "pt": "este esta isto estes estas esse essa isso esses essas ele ela eles elas seu sua seus suas nosso nossa aqui assim também hoje outro outra",
    "it": "questo questa questi queste quello quella esso essa egli ella lui lei loro suo sua suoi sue nostro nostra qui così anche oggi ciò altro altra",
    "nl": "deze dit die dat hij zij ze we wij haar zijn hun er hier daar zo ook dan nu",
    "pl": "ten ta to te ci on ona ono oni one jego jej ich nasz nasza tu tam tak też wtedy teraz",
    "ru": "это этот эта эти он она оно они его её их наш наша тут там так также тогда теперь такой такая",
    "tr": "bu şu o bunlar şunlar onlar onun bizim burada orada ayrıca sonra",
    "hi": "यह वह ये वे इस उस इसका उसका इनका उनका हमारा यहाँ वहाँ",
    "ar": "هذا هذه ذلك تلك هو هي هم كما وهو وهي",
    "he": "זה זו זאת הוא היא הם הן אלה אלו כאן שם",
}
_BACK_DENSE = {
    "zh": "[这那它他她我你此其该這該]|当中|其中|随后|同年",
    "ja": "[こそあ][れの]|そこ|ここ|彼|同",
    "ko": "(?:이|그|저|이것|그것|이는|그는|이곳|그곳) ",
}
ARTICLES = {
    "en": "the a an",
    "de": "der die das ein eine",
    "fr": "le la les un une",
    "es": "el la los las un una",
    "pt": "o a os as um uma",
    "it": "il lo la i gli le un uno una",
    "nl": "de het een",
}
_NONE = "(?!)"
# A subject with one of these is a sentence of its own: "the report says that the roof".
_CLAUSES = {
    "en": "is are was were whether if that says said",
    "de": "ist sind war waren dass ob wenn",
    "fr": "est sont était que si",
    "es": "es son era fue que si",
    "pt": "é são era foi que se",
    "it": "è sono era che se",
    "nl": "is zijn was dat of als",
    "pl": "jest są był była że czy",
    "ru": "является что если",
}

# A cell of a table, and a section.
ROWS = {
    "en": "What is the value for {subject}, {column}?",
    "ar": "ما القيمة المذكورة لـ {subject}، {column}؟",
    "zh": "{subject}的{column}是多少？",
    "ja": "{subject}の{column}の値は何ですか？",
    "fr": "Quelle est la valeur indiquée pour {subject}, {column} ?",
    "de": "Welcher Wert steht bei {subject}, {column}?",
    "es": "¿Qué valor figura para {subject}, {column}?",
    "ko": "{subject}, {column}의 값은 무엇입니까?",
    "pt": "Que valor consta para {subject}, {column}?",
    "he": "מה הערך של {subject}, {column}?",
    "it": "Che valore è indicato per {subject}, {column}?",
    "ru": "Какое значение указано для «{subject}», {column}?",
    "nl": "Welke waarde staat bij {subject}, {column}?",
    "tr": "{subject}, {column} için hangi değer verilmiştir?",
    "pl": "Jaka wartość jest podana dla „{subject}”, {column}?",
    "hi": "{subject}, {column} का मान क्या है?",
}
HEADINGS = {
    "en": "What is said about “{subject}”?",
    "ar": "ماذا قيل عن «{subject}»؟",
    "zh": "关于“{subject}”说了什么？",
    "ja": "「{subject}」について何と書かれていますか？",
    "fr": "Qu'est-il dit de « {subject} » ?",
    "de": "Was steht über „{subject}“?",
    "es": "¿Qué se dice sobre «{subject}»?",
    "ko": "“{subject}”에 대해 무엇이라고 쓰여 있습니까?",
    "pt": "O que se diz sobre “{subject}”?",
    "he": "מה נאמר על „{subject}”?",
    "it": "Che cosa si dice di «{subject}»?",
    "ru": "Что сказано о разделе «{subject}»?",
    "nl": "Wat staat er over “{subject}”?",
    "tr": "“{subject}” hakkında ne deniyor?",
    "pl": "Co napisano na temat „{subject}”?",
    "hi": "“{subject}” के बारे में क्या कहा गया है?",
}


@cache
def forms(language: str) -> tuple[tuple[str, re.Pattern[str], str], ...]:
    """(kind, pattern for a whole sentence on one line, question) of a language; none where we have none.

    A pattern names `value`, what is asked for, and the groups that its question is filled with.
    """
    return tuple((kind, re.compile(_filled(pattern)), question) for kind, pattern, question in _FORMS.get(language, ()))


def _filled(pattern: str) -> str:
    for name, part in _PARTS.items():
        pattern = pattern.replace(f"{{{name}}}", part)
    return pattern


@cache
def dependent(language: str) -> re.Pattern[str]:
    """Matches the beginning of a subject, from its start or after its article, that says nothing alone, and of one that is a sentence."""
    articles = "|".join(f"{word} " for word in ARTICLES.get(language, "").split())
    back = "|".join(rf"{word}\b" for word in _BACK.get(language, "").split())
    clauses = "|".join(rf".*\b{word}\b" for word in _CLAUSES.get(language, "").split())
    return re.compile(
        f"(?:{articles})?(?:{back or _BACK_DENSE.get(language, _NONE)})|{clauses or _NONE}", re.IGNORECASE
    )
