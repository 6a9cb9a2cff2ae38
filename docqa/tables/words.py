"""The words that questions about tables are made of besides the names of columns and values, in the languages that answers are given in.

Each stands here as it is written; it is found by its key (docqa/formats/columns.py). It does not know inflections that are not listed.
"""

from docqa.formats.columns import key

_WORDS = {
    "count": "how many, number of, total number of, the total number of, the number of, count, count of, count the, wie viele, wieviele, anzahl, anzahl der, gesamtzahl der, gesamtanzahl der, combien de, combien d, combien y a t il de,"
    " nombre de, nombre d, nombre total de, cuántos, cuántas, cuantos, cuantas, número de, cantidad de, quantos, quantas, número de, quantidade de, quanti,"
    " quante, numero di, numero delle, numero dei, quantità di, hoeveel, aantal, ile, ile jest, liczba, kaç, kaç tane, sayısı, сколько, количество, число,"
    " كم, كم عدد, عدد, כמה, מספר, מספר ה, कितने, कितनी, की संख्या, 有多少, 多少, 有几, 几, 数量, 有多少个, 有多少条, 多少个, 多少条, 多少行, いくつ, 何件, 何行, 何個, 件数, 個数, 行数, 몇, 몇 개, 몇 개의, 개수, 수는",
    "sum": "sum, sum of, total, total of, sum total, in total, altogether, combined, summe, summe der, gesamt, gesamte, gesamter, gesamten, gesamtes, insgesamt,"
    " gesamtsumme, somme, la somme, total, totale, totaux, au total, suma, suma de, total de, en total, soma, soma de, no total, somma, in totale, som, totaal,"
    " totale, suma, łączna, łączny, łącznie, razem, toplam, toplamı, сумма, сумму, общая, общий, общее, итого, всего, суммарная, суммарный, مجموع, إجمالي,"
    " المجموع, סכום, סך, סך הכל, योग, कुल, 总和, 总计, 合计, 总额, 总, 總和, 總計, 合計, 総計, 総額, 합계, 총합, 총",
    "mean": "average, averages, average of, mean, avg, on average, durchschnitt, durchschnittlich, durchschnittliche, durchschnittlicher, durchschnittlichen,"
    " durchschnittliches, im durchschnitt, mittelwert, moyenne, moyen, en moyenne, promedio, media, medio, en promedio, média, médio, em média, gemiddelde,"
    " gemiddeld, średnia, średni, średnią, średnio, ortalama, ortalaması, среднее, средний, средняя, среднюю, в среднем, среднее значение, متوسط, المتوسط,"
    " ממוצע, ממוצעת, הממוצע, הממוצעת, औसत, 平均, 平均值, 平均値, 평균",
    "median": "median, median of, médiane, mediana, mediaan, medyan, медиана, медиану, медианное, وسيط, الوسيط, חציון, माध्यिका, 中位数, 中位數, 中央値, 중앙값, 중위값",
    "highest": "highest, largest, biggest, greatest, maximum, max, most, maximal, latest, newest, höchste, höchsten, höchster, höchstes, größte, größten, größter,"
    " größtes, maximale, maximaler, meisten, neueste, neuesten, plus élevé, plus élevée, plus élevés, plus grand, plus grande, plus haut, plus haute,"
    " maximale, le plus de, más alto, más alta, mayor, mayores, máximo, máxima, más grande, mais alto, mais alta, maior, maiores, più alto, più alta,"
    " maggiore, massimo, massima, hoogste, grootste, meeste, najwyższa, najwyższy, największa, największy, najwyższą, największą, maksimum, en yüksek,"
    " en büyük, maksimum, en çok, самый высокий, самая высокая, наибольший, наибольшая, наибольшее, максимальный, максимальная, максимум, أعلى, أكبر, الأعلى,"
    " גבוה ביותר, הגבוה ביותר, הגבוהה ביותר, הגדול ביותר, הגדולה ביותר, सबसे अधिक, सबसे ज्यादा, अधिकतम, 最高, 最大, 最多, 最高的, 最大的, 最多的, 最高の, 最も高い, 最大の, 最も多い, 가장 높은, 가장 큰, 최고, 최대, 가장 많은",
    "lowest": "lowest, smallest, least, minimum, min, fewest, minimal, earliest, oldest, niedrigste, niedrigsten, niedrigster, niedrigstes, kleinste, kleinsten,"
    " kleinster, geringste, geringsten, wenigsten, minimale, älteste, ältesten, plus bas, plus basse, plus petit, plus petite, plus faible, minimale,"
    " más bajo, más baja, menor, menores, mínimo, mínima, mais baixo, mais baixa, più basso, più bassa, minore, minimo, minima, laagste, kleinste, minste,"
    " najniższa, najniższy, najmniejsza, najmniejszy, najniższą, en düşük, en küçük, en az, самый низкий, самая низкая, наименьший, наименьшая, минимальный,"
    " минимальная, минимум, أدنى, أقل, أصغر, הנמוך ביותר, הנמוכה ביותר, הקטן ביותר, सबसे कम, न्यूनतम, 最低, 最小, 最少, 最低的, 最小的, 最少的, 最低の, 最も低い, 最小の, 가장 낮은, 가장 작은, 최저, 최소",
    "top": "top, the top, 前, 上位, 상위, топ",
    "group": "by, per, for each, for every, in each, of each, each, grouped by, broken down by, je, pro, nach, für jede, für jeden, für jedes, par, pour chaque,"
    " de chaque, por, para cada, de cada, por cada, per ogni, di ogni, voor elke, voor elk, na, według, dla każdego, dla każdej, każdego, каждого, для каждого,"
    " для каждой, по, حسب, لكل, לפי, לכל, प्रति, के अनुसार, 按, 按照, 每个, 各, 各个, 每, 每個, ごと, ごとの, 別, 別の, 毎の, 별, 별로",
    "rows": "row, rows, records, record, entries, entry, lines, row count, zeilen, zeile, einträge, datensätze, lignes, ligne, enregistrements, filas, fila, registros,"
    " registro, linhas, linha, registos, righe, riga, record, rijen, rij, records, wiersze, wierszy, wiersz, rekordów, rekordy, satır, satırlar, kayıt,"
    " строк, строки, строка, записей, записи, صفوف, صف, الصفوف, سجلات, سجل, שורות, שורה, רשומות, पंक्तियाँ, पंक्तियां, पंक्ति, 行, 条, 条记录, 记录, 行数据, 件, レコード, 행, 줄, 개의 행, 레코드",
    "list": "which, what, list, show, display, welche, welcher, welches, welchen, zeige, liste, quels, quelles, quel, quelle, lister, montre, cuáles, cuál, qué, lista,"
    " muestra, quais, qual, mostre, liste, quali, quale, elenca, mostra, welke, toon, które, który, która, jaki, pokaż, wymień, hangi, hangisi, hangileri, listele,"
    " какой, какая, какие, покажи, перечисли, ما هي, أي, اعرض, איזה, אילו, הצג, कौन सा, कौन सी, कौन से, दिखाओ, 哪些, 哪个, 哪個, 列出, 显示, どの, どれ, どの地域, 表示して, 어느, 어떤, 보여줘",
    "different": "distinct, different, unique, verschiedene, verschiedenen, unterschiedliche, différents, différentes, distintos, distintas, diferentes, distinti,"
    " diversi, diverse, verschillende, różne, różnych, farklı, различных, разных, различные, مختلفة, שונים, שונות, अलग अलग, 不同的, 不同, 異なる, 서로 다른",
    ">": ">, greater than, more than, above, over, higher than, larger than, bigger than, exceeding, mehr als, größer als, über, höher als,"
    " supérieur à, supérieure à, supérieurs à, plus de, au dessus de, mayor que, mayor a, más de, superior a, por encima de,"
    " maior que, maior do que, mais de, acima de, maggiore di, più di, superiore a, meer dan, groter dan, boven, hoger dan, większy niż, większa niż,"
    " więcej niż, powyżej, wyższa niż, больше, больше чем, более, выше, أكثر من, أكبر من, יותר מ, גדול מ, से अधिक, से ज्यादा, 大于, 大於, 超过, 超過, 高于, 多于, より大きい, より高い, を超える, 보다 큰, 초과, 보다 높은",
    "<": "<, less than, below, under, lower than, smaller than, fewer than, weniger als, kleiner als, unter, niedriger als,"
    " inférieur à, inférieure à, inférieurs à, moins de, menor que, menor a, menos de, inferior a, menor do que, abaixo de, minore di, meno di,"
    " inferiore a, minder dan, kleiner dan, onder, lager dan, mniejszy niż, mniejsza niż, mniej niż, poniżej, меньше, меньше чем, менее, ниже,"
    " أقل من, أصغر من, פחות מ, קטן מ, से कम, 小于, 小於, 低于, 少于, 不到, より小さい, より低い, 未満, 보다 작은, 미만, 보다 낮은",
    ">=": ">=, ≥, at least, no less than, not less than, mindestens, au moins, al menos, por lo menos, como mínimo, pelo menos, no mínimo, almeno, minstens, co najmniej, en az,"
    " не менее, не меньше, على الأقل, לפחות, कम से कम, 至少, 不少于, 以上, 이상",
    "<=": "<=, ≤, at most, no more than, not more than, up to, höchstens, maximal bis, au plus, como máximo, no máximo, al massimo, hoogstens, co najwyżej, en fazla, не более, не больше,"
    " على الأكثر, לכל היותר, 至多, 不超过, 以下, 이하",
    "after": "after, later than, nach dem, après, después de, depois de, dopo, после, אחרי, 之后, 以降",
    "before": "before, earlier than, vor dem, avant, avant le, antes de, antes del, antes do, prima di, prima del, до, לפני, 之前, 以前",
    "since": "since, seit, seit dem, depuis, desde, dal, с начала, sinds, od, 自",
    "until": "until, bis, bis zum, jusqu au, hasta, até, fino a, tot",
    "=": "=, is, are, equals, equal to, equal, ist, gleich, est, égal à, es, é, igual a, igual, è, uguale a, is gelijk aan, jest, równa się, равно, равен, равна, يساوي, שווה ל, है, 是, 为, 等于, 等於, が, は, 인, 이",
    "or": "or, oder, ou, lub, veya, или, أو, או, या, 或, 或者, または, 또는",
    "filler": "what s, the, a, an, of, in, on, at, for, from, to, with, where, whose, that, who, do, does, did, there, have, has, having, had, was, were, been, and,"
    " all, me, please, tell, give, find, calculate, compute, get, can, could, you, i, my, this, these, it, its, value, values, column, table, csv, file, data, dataset,"
    " entry with, the row with, located, ones, their, overall, much, how much, be,"
    " der, die, das, den, dem, des, ein, eine, einen, und, mit, in, im, aus, von, vom, für, bei, zu, zur, zum, sind, gibt, es, hat, haben, was, wie, hoch, wie hoch, viel, bitte,"
    " tabelle, datei, spalte, wert, werte, alle, allen, deren, dessen, wo, wer, am,"
    " le, la, les, l, d, de, du, des, un, une, et, avec, dans, en, à, au, aux, sont, est, y, a, t, il, quelle est, quel est, qui, que, dont, où, tableau, fichier, colonne, valeur, valeurs, toutes,"
    " tous, c, ont,"
    " el, los, las, del, una, uno, y, con, hay, son, tiene, tienen, cuál es, que, donde, tabla, archivo, columna, valor, valores, todos, todas, todo, por favor, al,"
    " os, as, da, dos, nas, na, um, uma, e, com, há, são, tem, têm, existem, qual é, onde, tabela, arquivo, ficheiro, coluna, em, a,"
    " il, lo, gli, i, di, del, della, dello, dei, degli, delle, nel, nella, per la, con, ci, sono, è, c è, hanno, ha, qual è, tabella, colonna, valore, valori, tutti, tutte, dove, che, e,"
    " het, een, van, in, met, er, zijn, wat, is, de, en, heeft, hebben, tabel, bestand, kolom, waarde, alle, waar,"
    " w, we, z, ze, jest, są, i, ma, mają, tabeli, pliku, kolumny, wartość, gdzie, jaka, jaka jest, jaki jest,"
    " var, ve, ile, olan, nedir, ne, tabloda, içinde, de, da, kadar, bu,"
    " в, во, на, с, со, и, у, какова, каково, каков, есть, таблице, файле, столбце, значение, где, из, за, для,"
    " في, من, ما, هو, هي, مع, على, هناك, توجد, يوجد, التي, الذي, و, الجدول, الملف, العمود,"
    " מה, הוא, היא, יש, עם, של, ב, ה, את, בטבלה, בקובץ, ו, בעמודה,"
    " क्या, है, हैं, में, का, की, के, से, और, तालिका, फ़ाइल, को, वाला, वाली, वाले,"
    " 的, 在, 中, 里, 有, 是, 请, 请问, 问, 个, 表, 表格, 文件, 数据, 这, 这个, 该, 是多少, 为多少, 什么, 是什么, 所有, 和, 与, 值, 列, 那, 一行, 请列出, 对应,"
    " の, に, で, を, は, が, と, も, です, か, ですか, ます, あります, ありますか, ある, いくら, は何, 何, 何ですか, この, 表, ファイル, データ, 値, 列, は何ですか, は何件, は何行, 教えて, 教えてください, すべて, すべての, いくらですか, はいくら,"
    " 은, 는, 이, 가, 을, 를, 의, 에, 에서, 로, 와, 과, 입니까, 인가요, 있습니까, 있나요, 얼마, 얼마입니까, 얼마인가요, 무엇입니까, 표, 파일, 데이터, 값, 열, 모든, 전체",
}

# In this order: a word of two lists is taken as of the first.
VOCABULARY = {key(word): kind for kind, words in reversed(_WORDS.items()) for word in words.split(",")}
TWO_TO_TEN = (
    "two three four five six seven eight nine ten",
    "zwei drei vier fünf sechs sieben acht neun zehn",
    "deux trois quatre cinq six sept huit neuf dix",
    "dos tres cuatro cinco seis siete ocho nueve diez",
    "dois três quatro cinco seis sete oito nove dez",
    "due tre quattro cinque sei sette otto nove dieci",
)
NUMBERS = {key(word): number for words in TWO_TO_TEN for number, word in enumerate(words.split(), 2)}
