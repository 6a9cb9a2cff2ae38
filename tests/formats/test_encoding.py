"""Which encoding a text has: exact round trips, of short texts too, and that binary data is refused."""

import random

import pytest

from docqa.errors import Unreadable
from docqa.formats.plain.encoding import decode, open_text

GERMAN = (
    "Die Straße führt über den Hügel zum Gehöft, wo früher Käse verkauft wurde. Außerdem wünscht sich "
    "jeder neue Brücken über die Flüsse."
)
FRENCH = (
    "Le dernier été, les élèves ont visité la forêt près du château où naquit un poète. Ils ont reçu des "
    "leçons et mangé des gâteaux à la crème."
)
POLISH = (
    "Wczoraj wieczorem mieszkańcy wsi spotkali się, żeby omówić budowę nowej drogi. Pieniądze są już "
    "przyznane, ale prace zaczną się później."
)
CZECH = (
    "Včera večer přišel starosta na náměstí a řekl, že nová škola bude otevřena příští měsíc. Děti se "
    "těší, protože stará budova nestačí."
)
HUNGARIAN = (
    "Tegnap este a község lakói összegyűltek, hogy megbeszéljék az új híd építését. A pénz már "
    "rendelkezésre áll, de a munka csak ősszel kezdődhet."
)
TURKISH = (
    "Dün akşam köylüler yeni okulun açılışı için toplandı. İnşaat iki yıl sürdü ve birçok işçi çalıştı. "
    "Şimdi öğretmenler bekleniyor."
)
LITHUANIAN = (
    "Vakar vakare miestelio gyventojai susirinko aptarti naujo tilto statybos. Darbai prasidės šį rudenį "
    "ir baigsis kitų metų vasarą. Žmonės džiaugiasi, nes senasis tiltas jau seniai pavojingas."
)
RUSSIAN = (
    "Вчера вечером жители посёлка собрались, чтобы обсудить строительство новой дороги. Деньги уже "
    "выделены, однако работы начнутся осенью."
)
UKRAINIAN = (
    "Учора ввечері мешканці села зібралися, щоб обговорити будівництво нової дороги. Гроші вже виділено, "
    "проте роботи почнуться лише восени."
)
GREEK = (
    "Χθες το βράδυ οι κάτοικοι του χωριού συγκεντρώθηκαν για να συζητήσουν την κατασκευή του νέου δρόμου. "
    "Άλλοι φοβούνται τον θόρυβο."
)
HEBREW = "אתמול בערב התאספו תושבי הכפר כדי לדון בבניית הכביש החדש. הכסף כבר אושר, אבל העבודות יתחילו רק בסתיו."
ARABIC = "اجتمع سكان القرية مساء أمس لمناقشة بناء الطريق الجديد. الأموال متوفرة الآن لكن العمل لن يبدأ قبل الخريف."
THAI = "เมื่อวานตอนเย็นชาวบ้านมาประชุมกันเพื่อพูดคุยเรื่องการสร้างถนนสายใหม่ แต่งานจะเริ่มในฤดูหนาว"
JAPANESE = "昨日の夕方、村の人々は新しい道路の建設について話し合うために集まった。お金はもう用意されているが、工事は秋まで始まらない。"
SIMPLIFIED = "昨天晚上，村民们聚在一起讨论新公路的建设。资金已经到位，但是工程要到秋天才能开始。有些人担心噪音和灰尘。"
TRADITIONAL = "昨天晚上，村民們聚在一起討論新公路的建設。資金已經到位，但是工程要到秋天才能開始。有些人擔心噪音和灰塵。"
KOREAN = (
    "어제 저녁 마을 사람들은 새 도로를 만드는 일을 의논하려고 모였다. 돈은 이미 마련되었지만 공사는 가을에야 시작된다."
)

LEGACY = [
    (GERMAN, "cp1252 cp850 cp437 mac-roman iso8859-1"),
    (FRENCH, "cp1252 cp850 mac-roman iso8859-15"),
    (POLISH, "cp1250 iso8859-2 cp852 mac-latin2"),
    (CZECH, "cp1250 iso8859-2 cp852 mac-latin2"),
    (HUNGARIAN, "cp1250 iso8859-2 cp852"),
    (TURKISH, "cp1254 iso8859-9 cp857"),
    (LITHUANIAN, "cp1257 iso8859-13 iso8859-4"),
    (RUSSIAN, "cp1251 koi8-r iso8859-5 cp866 mac-cyrillic cp855"),
    (UKRAINIAN, "cp1251 koi8-u iso8859-5 mac-cyrillic cp1125"),
    (GREEK, "cp1253 iso8859-7 cp737 cp869 mac-greek"),
    (HEBREW, "cp1255 iso8859-8 cp862"),
    (ARABIC, "cp1256 iso8859-6 cp720"),
    (THAI, "cp874 tis-620"),
    (JAPANESE, "cp932 euc_jp iso2022_jp"),
    (SIMPLIFIED, "gb2312 gbk gb18030 hz"),
    (TRADITIONAL, "big5 cp950"),
    (KOREAN, "euc_kr cp949 iso2022_kr"),
]


@pytest.mark.parametrize(("text", "name"), [(text, name) for text, names in LEGACY for name in names.split()], ids=str)
def test_legacy_encodings_are_recognised(text: str, name: str) -> None:
    assert decode(text.encode(name)) == text


@pytest.mark.parametrize("text", [text for text, _ in LEGACY])
@pytest.mark.parametrize(
    "name", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]
)
def test_unicode_with_and_without_a_mark(text: str, name: str) -> None:
    assert decode(f"{text}\n".encode(name)) == f"{text}\n"


def test_wide_text_without_any_ascii() -> None:
    assert (
        decode("私たちはこの国の新しい道について話した".encode("utf-16-le")) == "私たちはこの国の新しい道について話した"
    )


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("It’s the council’s café", "cp1252"),
        ("It costs £12, or €14", "cp1252"),
        ("„Größe“ – 5 €", "cp1252"),
        ("naïve", "cp1252"),
        ("Prix : 20 €, à côté", "iso8859-15"),
        ("cœur", "iso8859-15"),
        ("½ cup, 20 °C", "cp1252"),
    ],
)
def test_a_few_letters_are_enough(text: str, name: str) -> None:
    assert decode(text.encode(name)) == text


def test_a_long_english_beginning_does_not_hide_the_encoding() -> None:
    text = "Plain words in a line.\n" * 20_000 + RUSSIAN
    assert decode(text.encode("koi8-r")) == text


def test_broken_bytes_do_not_turn_utf8_into_something_else() -> None:
    assert decode("Über größere Flüsse".encode() + b" f\xfchren") == "Über größere Flüsse f\ufffdhren"
    assert decode(GERMAN.encode() + "ß".encode()[:1]) == GERMAN + "\ufffd"
    assert decode("Grüße".encode()[:-2]) == "Grü\ufffd"


def test_line_ends_are_unified() -> None:
    assert decode(b"a\r\nb\rc\nd") == "a\nb\nc\nd"


def test_a_declared_charset_is_used_only_if_the_text_fits_it() -> None:
    assert decode("größer".encode("cp1250"), "windows-1250") == "größer"
    assert decode("größer".encode(), "windows-1250") == "größer"
    assert decode("größer".encode("cp1252"), "no-such-charset") == "größer"


def test_text_is_decoded_lazily() -> None:
    stream = open_text(("Größe\n" * 2_000_000).encode())
    assert stream.readline() == "Größe\n"
    assert stream.buffer.tell() < 100_000


@pytest.mark.parametrize(
    "data",
    [
        bytes(range(256)) * 40,
        random.Random(1).randbytes(3000),
        b"\x89PNG\r\n\x1a\n" + random.Random(2).randbytes(500),
        b"\0" * 900 + b"a",
        b"\1\2\3words" * 50,
    ],
)
def test_binary_data_is_refused(data: bytes) -> None:
    with pytest.raises(Unreadable, match="not text"):
        decode(data)
