"""Questions about things that hardly any document speaks of, in 16 languages: what should be refused.

Whether a document does speak of them is not known here; `make_controls` leaves out those whose words stand in it.
"""

CONTROLS = {
    "en": (
        "How many steps lead up to the old lighthouse?",
        "Which wood are violin bows carved from?",
        "How long do hedgehogs hibernate?",
        "When does the cherry tree blossom?",
    ),
    "ar": (
        "كم درجة تؤدي إلى قمة المنارة القديمة؟",
        "من أي خشب يصنع قوس الكمان؟",
        "كم يدوم سبات القنافذ؟",
        "متى تزهر شجرة الكرز؟",
    ),
    "zh": (
        "登上古老的灯塔要走多少级台阶？",
        "小提琴的琴弓用什么木材制作？",
        "刺猬冬眠多长时间？",
        "樱桃树什么时候开花？",
    ),
    "ja": (
        "古い灯台には階段が何段ありますか？",
        "バイオリンの弓はどんな木で作られますか？",
        "ハリネズミはどのくらい冬眠しますか？",
        "桜の花はいつ咲きますか？",
    ),
    "fr": (
        "Combien de marches mènent en haut du vieux phare ?",
        "Dans quel bois taille-t-on les archets de violon ?",
        "Combien de temps les hérissons hibernent-ils ?",
        "Quand fleurit le cerisier ?",
    ),
    "de": (
        "Wie viele Stufen führen auf den alten Leuchtturm?",
        "Aus welchem Holz werden Geigenbögen geschnitzt?",
        "Wie lange halten Igel Winterschlaf?",
        "Wann blüht der Kirschbaum?",
    ),
    "es": (
        "¿Cuántos peldaños tiene el viejo faro?",
        "¿De qué madera se tallan los arcos de violín?",
        "¿Cuánto tiempo hibernan los erizos?",
        "¿Cuándo florece el cerezo?",
    ),
    "ko": (
        "오래된 등대에는 계단이 몇 개 있습니까?",
        "바이올린 활은 어떤 나무로 만듭니까?",
        "고슴도치는 얼마나 오래 겨울잠을 잡니까?",
        "벚나무는 언제 꽃이 핍니까?",
    ),
    "pt": (
        "Quantos degraus tem o velho farol?",
        "De que madeira são talhados os arcos de violino?",
        "Quanto tempo hibernam os ouriços?",
        "Quando floresce a cerejeira?",
    ),
    "he": (
        "כמה מדרגות מובילות אל ראש המגדלור הישן?",
        "מאיזה עץ מגלפים קשתות של כינורות?",
        "כמה זמן ישנים הקיפודים בחורף?",
        "מתי פורח עץ הדובדבן?",
    ),
    "it": (
        "Quanti gradini portano in cima al vecchio faro?",
        "Con quale legno si intagliano gli archetti dei violini?",
        "Per quanto tempo vanno in letargo i ricci?",
        "Quando fiorisce il ciliegio?",
    ),
    "ru": (
        "Сколько ступеней ведёт на старый маяк?",
        "Из какого дерева вырезают скрипичные смычки?",
        "Сколько длится зимняя спячка ежей?",
        "Когда цветёт вишня?",
    ),
    "nl": (
        "Hoeveel treden leiden naar de top van de oude vuurtoren?",
        "Van welk hout worden strijkstokken gesneden?",
        "Hoe lang houden egels een winterslaap?",
        "Wanneer bloeit de kersenboom?",
    ),
    "tr": (
        "Eski deniz fenerine kaç basamakla çıkılır?",
        "Keman yayları hangi ağaçtan oyulur?",
        "Kirpiler ne kadar süre kış uykusuna yatar?",
        "Kiraz ağacı ne zaman çiçek açar?",
    ),
    "pl": (
        "Ile stopni prowadzi na szczyt starej latarni morskiej?",
        "Z jakiego drewna struga się smyczki do skrzypiec?",
        "Jak długo jeże śpią zimą?",
        "Kiedy kwitnie wiśnia?",
    ),
    "hi": (
        "पुराने प्रकाशस्तंभ तक कितनी सीढ़ियाँ जाती हैं?",
        "वायलिन का गज किस लकड़ी से तराशा जाता है?",
        "कांटाचूहे कितने समय तक शीतनिद्रा में रहते हैं?",
        "चेरी का पेड़ कब खिलता है?",
    ),
}
