"""The small words by which a question asks, points back, opens or joins, by language; and where scripts write no spaces, as patterns.

Casefolded, with their accents: "él" points back and "el" does not. Words that as often say nothing of the kind ("es", "la", "there is") are left out.
"""

import re

ASKING = {
    "en": "who whom whose what which when where why how",
    "de": "wer wen wem wessen was welche welcher welches welchen welchem wann wo wohin woher warum wieso wie wieviel wofür womit worin wodurch",
    "fr": "qui que quoi quel quelle quels quelles quand où comment combien pourquoi",
    "es": "quién quiénes qué cuál cuáles cuándo dónde cómo cuánto cuánta cuántos cuántas",
    "pt": "quem que qual quais quando onde como quanto quanta quantos quantas porquê",
    "it": "chi che quale quali quando dove come quanto quanta quanti quante perché",
    "nl": "wie wat welk welke wanneer waar hoe waarom hoeveel",
    "ru": "кто кого кому кем что чего чему чем какой какая какое какие каких когда где куда откуда почему как сколько зачем",
    "pl": "kto kogo komu kim co czego jaki jaka jakie kiedy gdzie dlaczego jak ile skąd który która które",
    "tr": "kim kime kimi ne neyi hangi nerede nereye nasıl kaç neden niçin",
    "ar": "من ما ماذا متى أين كيف كم لماذا هل أي ومن وما وماذا ومتى وأين وكيف وكم ولماذا وهل وأي",
    "he": "מי מה מתי איפה היכן איך כמה למה מדוע איזה איזו ומי ומה ומתי ואיפה והיכן ואיך וכמה ולמה ומדוע",
    "hi": "कौन क्या कब कहाँ कहां कैसे कितना कितने कितनी क्यों किस किसने",
    "ko": "누가 누구 누구의 무엇 뭐 언제 어디 어디서 어떻게 얼마 얼마나 몇 왜 어느 어떤",
}
POINTING = {
    "en": "it its he him his she her hers they them their theirs this that these those there then",
    "de": "er sie ihn ihm ihr ihre ihren ihrem ihrer ihres seine seinen seinem seiner seines diese dieser dieses diesem diesen dort dafür davon darin",
    "fr": "il elle ils elles lui leur leurs son sa ses celui celle ceux celles cela ça",
    "es": "él ella ellos ellas su sus ello eso esto ese esa esos esas allí ahí",
    "pt": "ele ela eles elas seu sua seus suas dele dela deles delas isso isto nele nela ali lá",
    "it": "lui lei loro esso essa essi suo sua suoi sue ciò quello quella",
    "nl": "hij zij ze hem haar hun dit deze daar ervan erin",
    "ru": "он она оно они его её ее их ему ей им нём нем ней них этот эта эти там тогда",
    "pl": "on ona ono oni jego jej ich nim nią tam ten",
    "tr": "o onun ona onu onlar onların bunun orada",
    "ar": "هو هي هم هذا هذه ذلك تلك هناك فيه فيها له لها عنه عنها منه منها",
    "he": "הוא היא הם הן זה זאת שלו שלה שלהם",
    "hi": "वह वे उसका उसकी उसके उनका उनके उनकी इसका इसकी इसके वहाँ वहां",
    "ko": "그 그것 그것은 그는 그녀 그곳 거기 이것 그의",
}
OPENING = {
    "en": r"and|but|so|then|(?:and )?(?:what|how) about|what of",
    "de": r"und|aber|was ist mit|(?:und )?wie (?:ist|sieht|steht) es (?:mit|bei|in)",
    "fr": r"et|mais|et pour|qu['’]en est-il (?:de|du|des|pour)",
    "es": r"y|pero|(?:y )?qué (?:hay|pasa) (?:de|con)",
    "pt": r"e|mas|e quanto a",
    "it": r"e|ed|ma|che dire di",
    "nl": r"en|maar|hoe zit het met",
    "ru": r"а|и|но|(?:а )?(?:как|что) насчёт",
    "pl": r"a|i|ale|a co z",
    "tr": r"peki|peki ya|ya|ve",
    "ar": r"و?ماذا عن|و(?=في\b|عن\b|من أجل\b|ب)",
    "he": r"ו?מה לגבי|ו?מה עם",
    "hi": r"और|तो",
    "ko": r"그럼|그러면|그리고",
}
JOINING = {
    "en": "and or",
    "de": "und oder sowie",
    "fr": "et ou",
    "es": "y e o u",
    "pt": "e ou",
    "it": "e ed o",
    "nl": "en of",
    "ru": "и а или",
    "pl": "i oraz lub a",
    "tr": "ve veya ile",
    "hi": "और या",
}
COUNTING = {
    "en": r"when|(?:what|which) (?:year|date|day|percentage|amount|number)|how (?:many|much|long|old|far|high|large|big|tall|deep|heavy|fast|often)|what [\w ]* costs?",
    "de": r"wann|wie\s?(?:viele?|lange?|alt|weit|hoch|groß|tief|schwer|schnell|oft)|was kostet|welche[mns]? (?:jahr|datum|tag)",
    "fr": r"quand|combien|quelle (?:année|date|quantité|longueur|hauteur)",
    "es": r"cuándo|cuánt[oa]s?|qué (?:año|fecha|altura|longitud)",
    "pt": r"quando|quant[oa]s?|que (?:ano|data)",
    "it": r"quando|quant[oaie]|(?:che|quale) (?:anno|data)",
    "nl": r"wanneer|hoeveel|hoe (?:lang|oud|ver|hoog|groot|diep|snel|vaak)",
    "ru": r"когда|сколько|как(?:ой|ом) (?:год|году|дата)",
    "pl": r"kiedy|ile|którym roku",
    "tr": r"ne zaman|kaç|ne kadar",
    "ar": r"و?متى|و?كم",
    "he": r"ו?מתי|ו?כמה",
    "hi": r"कब|कितन[ाेी]",
    "ko": r"언제|얼마나?|몇",
}
# What only says that things are held against each other.
COMPARING = {
    "en": r"compare[ds]?|comparison|(?:what (?:is|are) )?the differences? (?:in|of|between)|differences?|between|both",
    "de": r"vergleich\w*|(?:was ist )?der unterschied|unterschiede?|zwischen",
    "fr": r"compare[rz]?|comparaison|(?:quelle est )?la différence|différences?|entre",
    "es": r"comparar?|comparación|(?:cuál es )?la diferencia|diferencias?|entre",
    "pt": r"compar[ae]r?|comparação|(?:qual é )?a diferença|diferenças?|entre",
    "it": r"confronta\w*|confronto|(?:qual è )?la differenza|differenze?|tra|fra",
    "nl": r"vergelijk\w*|(?:wat is )?het verschil|verschil(?:len)?|tussen",
    "ru": r"сравни\w*|сравнение|разниц[аыу]|отличи[ея]|между",
    "pl": r"porówna\w*|porównaj|różnic[aeęy]|między",
    "tr": r"karşılaştır\w*|farkı?|arasındaki",
    "ar": r"قارن|مقارنة|الفرق|بين",
}
# Little words besides those of docqa/text/detect.py that say nothing about a subject.
EMPTY = {
    "en": "has have had can could will would should been being about into than per any some",
    "ar": "في على عن الى إلى مع التي الذي كان كانت هو هي",
    "ru": "в на с о по для от до из у к не есть был была было были",
    "he": "של את על עם אל ב ל הוא היא",
    "hi": "का की के है हैं में से को पर था थी थे",
    "de": "es man kann gibt dieser diese dieses",
    "fr": "t on y se a ai ont sont etait",
    "es": "hay ha tiene",
}

DENSE_ASKING = re.compile(
    "谁|誰|什么|什麼|何|哪|几|幾|多少|多久|多大|多长|多長|怎|为什么|為什麼|いつ|どこ|どの|どれ|どう|いくら|いくつ|なぜ|どんな"
)
DENSE_COUNTING = re.compile(
    "何时|何時|什么时候|什麼時候|哪年|几|幾|多少|多久|多大|多长|多長|多高|いつ|いくら|いくつ|何(?:人|年|月|日|回|度|時|個|円|歳)"
)
DENSE_POINTING = re.compile(
    "(?<!其)[它他她](?!人)|这[个里些]|那[个里些]|這[個裡些]|那[個裡]|それ|そこ|その|彼|これ|ここ|この|あれ|あそこ"
)
DENSE_OPENING = re.compile("那么?|那麼|还有|還有|では|じゃあ|それでは|それなら")
DENSE_ELLIPSIS = re.compile("(?:呢|はどうですか|はどう|については|は)[？?。]*$")
DENSE_EMPTY = re.compile(
    f"{DENSE_ASKING.pattern}|{DENSE_POINTING.pattern}|时候|時候|[是的了在有吗嗎呢个個]|[\u3040-\u309f]+|[。、，？！]"
)
DENSE_COMPARED = re.compile(
    "(?:比较|比較)?(.+?)[和与與跟と](.+?)[的の]?(?:区别|區別|差别|不同|差异|差異|違い|差|を?比較)"
)


def words_of(table: dict[str, str], language: str) -> frozenset[str]:
    """The words of a table in this language; none where we know none."""
    return frozenset(table.get(language, "").split())
