"""How well and how fast text recognition reads: python tests/torture/ocr.py [CODE...]

Texts of our own in several languages are drawn as pictures of a page, upright and sharp, small, on their side, and as a
photograph with a shadow and noise, and read as an upload is, with all the data there are. Shown for each language of
which there are data (ISO 639-1; all by default): the share of its words that were recognised, of pairs of characters
where words are not separated, and the seconds it took. Times depend on the machine.
"""

import io
import sys
import time
from collections import Counter
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2])]

import pymupdf
from PIL import Image, ImageChops

from docqa.errors import Unreadable
from docqa.formats import reading
from docqa.formats.pictures.data import covered, languages
from docqa.text.words import is_dense

TEXTS = {
    "en": "The ferry to the northern islands leaves the old harbour at nine in the morning and comes back after sunset. "
    "Tickets cost 12.50 euros and are sold on board. Bicycles travel free of charge on every day but Sunday, when many "
    "visitors come from the city. In winter, from November to March, a smaller ship takes its place.",
    "de": "Die Fähre zu den nördlichen Inseln verlässt den alten Hafen um neun Uhr morgens und kehrt nach Sonnenuntergang "
    "zurück. Fahrkarten kosten 12,50 Euro und werden an Bord verkauft. Fahrräder fahren außer an Sonntagen kostenlos mit, "
    "wenn viele Gäste aus der Stadt kommen. Im Winter übernimmt ein kleineres Schiff die Überfahrten.",
    "fr": "Le bac pour les îles du nord quitte le vieux port à neuf heures du matin et revient après le coucher du soleil. "
    "Les billets coûtent 12,50 euros et sont vendus à bord. Les vélos voyagent gratuitement chaque jour sauf le dimanche, "
    "où de nombreux visiteurs viennent de la ville. En hiver, un navire plus petit prend sa place.",
    "es": "El transbordador a las islas del norte sale del puerto viejo a las nueve de la mañana y vuelve después de la "
    "puesta del sol. Los billetes cuestan 12,50 euros y se venden a bordo. Las bicicletas viajan gratis todos los días "
    "menos el domingo, cuando vienen muchos visitantes de la ciudad.",
    "ru": "Паром на северные острова отходит из старой гавани в девять часов утра и возвращается после заката. Билеты "
    "стоят 12,50 евро и продаются на борту. Велосипеды перевозят бесплатно каждый день, кроме воскресенья, когда из города "
    "приезжает много гостей. Зимой его заменяет судно поменьше.",
    "zh": "开往北方岛屿的渡轮每天上午九点从老港口出发，日落以后返回。船票每张十二元，在船上出售。除星期日以外，自行车可以免费携带，"
    "因为星期日有许多游客从城里来。冬天从十一月到三月，由一艘较小的船代替。",
    "ja": "北の島々へ行く船は、毎朝九時に古い港を出て、日が沈んだあとに戻ります。切符は一枚千二百円で、船の中で売っています。"
    "日曜日のほかは、自転車を無料で運ぶことができます。冬の間は、小さな船が代わりに走ります。",
    "ko": "북쪽 섬으로 가는 배는 매일 아침 아홉 시에 옛 항구를 떠나 해가 진 뒤에 돌아옵니다. 표는 한 장에 만 이천 원이며 배 안에서 "
    "팝니다. 일요일을 제외하고 자전거는 무료로 실을 수 있습니다. 겨울에는 더 작은 배가 대신 다닙니다.",
}
FONTS = {"zh": "china-s", "ja": "japan", "ko": "korea", "ru": "china-s"}  # those that PyMuPDF carries


def page(language: str, resolution: int) -> Image.Image:
    """A page with the text of a language, in dots per inch."""
    sheet = pymupdf.open().new_page(width=420, height=300)
    sheet.insert_textbox((40, 40, 380, 280), TEXTS[language], fontname=FONTS.get(language, "tiro"), fontsize=11)
    pixels = sheet.get_pixmap(dpi=resolution, colorspace=pymupdf.csGRAY)
    return Image.frombytes("L", (pixels.width, pixels.height), pixels.samples)


def photographed(sheet: Image.Image) -> Image.Image:
    """The page on the desk: lit from one side, a little turned, with the noise of a camera."""
    light = Image.linear_gradient("L").rotate(90).resize(sheet.size).point(lambda value: 90 + value * 0.6)
    noise = Image.effect_noise(sheet.size, 18)
    lit = ImageChops.multiply(sheet.rotate(1.2, fillcolor=255, resample=Image.Resampling.BICUBIC), light)
    return Image.blend(lit, noise, 0.08)


def variants(language: str) -> dict[str, Image.Image]:
    """The pictures of a language's page, by what is hard about them."""
    sharp = page(language, 200)
    return {
        "200 dpi": sharp,
        "90 dpi": page(language, 90),
        "on its side": sharp.rotate(90, expand=True),
        "photograph": photographed(sharp),
    }


def parts(text: str) -> Counter[str]:
    """The words of a text, or its pairs of characters where words are not separated."""
    if is_dense(text):
        run = "".join(filter(str.isalnum, text))
        return Counter(run[at : at + 2] for at in range(len(run) - 1))
    return Counter("".join(filter(str.isalnum, word)).casefold() for word in text.replace("-\n", "").split())


def recall(text: str, read: str) -> float:
    """The share of a text's parts that were read."""
    wanted = parts(text)
    return sum((wanted & parts(read)).values()) / sum(wanted.values())


def main(chosen: list[str]) -> None:
    """Print a line for each language."""
    known = languages()
    print(f"data for {', '.join(known)}")
    heads = list(variants("en"))
    print(f"{'':4}" + "".join(f"{head:>22}" for head in heads))
    for language in chosen or list(TEXTS):
        if not covered(known, language):
            print(f"{language:4}{'no data':>22}")
            continue
        cells = []
        for picture in variants(language).values():
            content = io.BytesIO()
            picture.save(content, "PNG")
            start = time.perf_counter()
            try:
                text = reading.read_whole(content.getvalue(), "page.png").pages[0].text
            except Unreadable:
                text = ""
            cells.append(f"{recall(TEXTS[language], text):12.2f} {time.perf_counter() - start:7.1f} s")
        print(f"{language:4}" + "".join(f"{cell:>22}" for cell in cells), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
