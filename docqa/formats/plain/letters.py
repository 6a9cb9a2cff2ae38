"""The letters that each language uses often: what a text must look like for its legacy encoding to be accepted.

A language that is not here is recognised by its relatives' letters, or not at all.
"""

MARKS_USED = "“”‘’„–—…«»€£©®°§·•№½¼¾±²³×µ\xa0"
# Each string holds a language's letters beyond ASCII, most frequent first.
_WEST = ("éèàêçùâîôûëïœæü", "üäöß", "óíáéñúü¿¡ªº", "ãçáéíóêõúâàôªº", "åäöøæé", "áíéóöúýæþð", "èàùòéì")
_CENTRAL = ("łęąóżćśńź", "íáéěřýčžšůúťňóďŕ", "áíéčžýúšťľňôóďäŕĺ", "éáöóőíüúű", "ăîşţâșț", "šžčćđ", "üäöß")
_TURKISH = ("ıişüçğöİâî",)
_BALTIC = ("āēīšūņļžčģķ", "ėšųžįąūęč", "äõüöšž")
_CYRILLIC = ("оеаинтсрвлкмдпуяыьгзбчйхжшющэцфёъ", "оанивіетрслкдмупяьзгбчйхцїжєщюшфґ", "аоиенрстувјдкмплзгбчшцћњжхљђџф")
_GREEK = ("αοιετσνηυρπκμλςωίόάέγδχήθβφξύώζψϊϋ",)
_HEBREW = ("יוהלארבתמםשנקעדחטפןגזצכסךץף",)
_ARABIC = (
    "ايلمنوترهبعدسقفكحجأشطصىةخضذزئءثغظؤإآ،؛؟\u064e\u0650\u064f\u0651\u0652\u064b\u064d\u064c",
    "ایرندمهوتبسشلکزفگخقپعچجحصطآذضغظثژئ،؛؟",
)
_THAI = ("านรอกเงมลยวดทสต่ะปบคหนแจพชขใ้็ีิัืุูโไไธณผษซศญภถฐฉฆฝ์ๆำึ๊",)
SIMPLIFIED = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心"
    "她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教"
)
TRADITIONAL = (
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心"
    "她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海通教"
)
KANA = "".join(chr(code) for code in (*range(0x3041, 0x3094), *range(0x30A1, 0x30F7))) + "ーの日本人年大国一中会者上"
HANGUL = (
    "이다는에의을가를은고하로도한지사기서어자시대리인스그정아나수부과해있으일제적전들"
    "와만보장주여라상원공구조비동성국세문선었된게되연화소경유것년오관위개도방신미용"
)
_CJK_MARKS = "、。，．？！：；「」『』（）“”‘’·…—　《》〈〉【】・"

# The letters of each encoding's languages; the most common encodings first.
LANGUAGES: dict[str, tuple[str, ...]] = {
    "cp1252": _WEST,
    "cp1250": _CENTRAL,
    "iso8859-2": _CENTRAL,
    "cp1254": _TURKISH,
    "cp1257": _BALTIC,
    "cp1251": _CYRILLIC,
    "koi8-r": _CYRILLIC,
    "koi8-u": _CYRILLIC,
    "iso8859-5": _CYRILLIC,
    "cp866": _CYRILLIC,
    "cp1253": _GREEK,
    "iso8859-7": _GREEK,
    "cp1255": _HEBREW,
    "cp1256": _ARABIC,
    "iso8859-6": _ARABIC,
    "cp874": _THAI,
    "gb18030": (SIMPLIFIED + _CJK_MARKS,),
    "big5": (TRADITIONAL + _CJK_MARKS,),
    "cp932": (KANA + _CJK_MARKS,),
    "euc_jp": (KANA + _CJK_MARKS,),
    "cp949": (HANGUL + _CJK_MARKS,),
    "iso2022_jp": (KANA + _CJK_MARKS,),
    "iso2022_kr": (HANGUL + _CJK_MARKS,),
    "hz": (SIMPLIFIED + _CJK_MARKS,),
    "mac-roman": _WEST,
    "cp850": _WEST,
    "cp437": _WEST,
    "cp852": _CENTRAL,
    "mac-latin2": _CENTRAL,
    "iso8859-16": _CENTRAL,
    "cp857": _TURKISH,
    "iso8859-4": _BALTIC,
    "cp775": _BALTIC,
    "mac-cyrillic": _CYRILLIC,
    "cp855": _CYRILLIC,
    "cp1125": _CYRILLIC,
    "cp737": _GREEK,
    "cp869": _GREEK,
    "mac-greek": _GREEK,
    "cp862": _HEBREW,
    "cp720": _ARABIC,
}
EAST_ASIAN = ("gb18030", "big5", "cp932", "euc_jp", "cp949", "iso2022_jp", "iso2022_kr", "hz")
LATIN = tuple(name for name, languages in LANGUAGES.items() if languages in (_WEST, _CENTRAL, _TURKISH, _BALTIC))
