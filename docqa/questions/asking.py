"""How people ask about a document as a whole: for each kind of question its patterns, and the words that are not its topic.

Each entry is a language, in the order English, German, French, Spanish, Portuguese, Italian, Dutch, Polish, Turkish, Russian, Arabic,
Hebrew, Chinese, Japanese, Korean, Hindi. They are the usual ways of asking, not all.
"""

# How many pages there are.
PAGES = (
    r"\bhow many pages\b|\bnumber of pages\b|\bpage count\b",
    r"\bwie ?viele? seiten\b|\bseitenzahl\b|\b(?:an)?zahl der seiten\b",
    r"\bcombien de pages\b|\bnombre de pages\b",
    r"\bcuántas páginas\b|\bnúmero de páginas\b",
    r"\bquantas páginas\b|\bnúmero de páginas\b",
    r"\bquante pagine\b|\bnumero di pagine\b",
    r"\bhoeveel (?:pagina|bladzijde)|\baantal (?:pagina|bladzijde)",
    r"\bile (?:\w+ )?stron\b|\bliczb\w stron\b",
    r"\bkaç sayfa|\bsayfa sayısı",
    r"\bсколько (?:\w+ )?страниц|\bколичество страниц",
    r"كم (?:عدد )?(?:ال)?صفح|عدد (?:ال)?صفحات",
    r"כמה (?:עמודים|דפים)|מספר (?:ה)?(?:עמודים|דפים)",
    r"(?:多少|几|幾)[页頁]|[页頁][数數]",
    r"何(?:ページ|頁)|(?:ページ|頁)数",
    r"몇 ?(?:쪽|페이지)|(?:페이지|쪽) ?수",
    r"कितने (?:पृष्ठ|पेज|पन्ने)|पृष्ठ(?:ों)? (?:की )?संख्या",
)
# The table of contents.
CONTENTS = (
    r"\btable of contents\b|\b(?:list|name|which|what|how many|show)\b.{0,30}\b(?:chapters|sections|headings)\b",
    r"\binhaltsverzeichnis|\bgliederung\b|\b(?:liste|nenne|welche|wie ?viele|zeige)\b.{0,30}\b(?:kapiteln?|abschnitten?|überschriften)\b",
    r"\btable des matières\b|\bsommaire\b|\b(?:listez?|énumère[rz]?|quel(?:le)?s|combien)\b.{0,30}\b(?:chapitres|sections|titres)\b",
    r"\bíndice\b|\btabla de contenidos?\b|\b(?:lista|enumera|qué|cuáles|cuánt[oa]s)\b.{0,30}\b(?:capítulos|secciones|apartados)\b",
    r"\bsumário\b|\b(?:liste|enumere|quais|que|quant[oa]s)\b.{0,30}\b(?:capítulos|seções|secções)\b",
    r"\bindice\b|\bsommario\b|\b(?:elenca|quali|quant[ie])\b.{0,30}\b(?:capitoli|sezioni)\b",
    r"\binhoudsopgave\b|\b(?:noem|welke|hoeveel)\b.{0,30}\b(?:hoofdstukken|paragrafen|secties)\b",
    r"\bspis treści\b|\b(?:wymień|wypisz|jakie|które|ile)\b.{0,30}\b(?:rozdział\w*|sekcj\w+)\b",
    r"\biçindekiler\b|\b(?:kaç|hangi)\b.{0,20}\bbölüm",
    r"\bоглавлени|\b(?:перечисли\w*|какие|сколько)\b.{0,30}\b(?:глав[аы]?|раздел(?:ы|ов|а)?)\b",
    r"جدول المحتويات|فهرس|(?:كم|ما هي|اذكر|عدد) .{0,20}(?:فصول|فصلا|أقسام|قسما|الفصول|الأقسام)",
    r"תוכן (?:ה)?עניינים|(?:כמה|אילו|מהם) (?:ה)?(?:פרקים|סעיפים)",
    r"目[录錄]|(?:多少|几|幾|哪些)[个個]?(?:章|节|節|小节)",
    r"目次|(?:何|いくつの?)(?:章|節|セクション)|章(?:は|が)いくつ|章立て",
    r"목차|차례|몇 ?(?:개의 ?)?(?:장|절)(?:으로|이|가|은)|(?:어떤|몇 개의) ?(?:장|섹션)",
    r"विषय[- ]?सूची|(?:कितने|कौन[- ]से) (?:अध्याय|खंड|अनुभाग)",
)
# A summary.
GIST = (
    (
        r"\bsummar(?:y|ies|i[sz]\w+)\b|\btl;?dr\b|\b(?:main|key|most important|central) (?:points?|ideas?|takeaways?|messages?|topics?|themes?)\b"
        r"|\boverview\b|\bsynopsis\b|\bgist\b|\bwhat(?:'s| is| are)\b.{1,60}\babout\W*$|\bwhat do(?:es)?\b.{1,40}\b(?:deal with|cover)\b"
    ),
    (
        r"\bzusammen(?:fass|gefasst)|\bfass\w*\b.{0,60}\bzusammen\b|\bworum (?:geht|handelt)|\bwovon handel|\bkern(?:aussage|punkt)"
        r"|\bhaupt(?:punkt|aussage|thema|themen)|\b(?:wichtigst|wesentlich|zentral)\w* (?:punkte?n?|aussagen?|themen|inhalte?)\b|\bkurzfassung"
        r"|\binhaltsangabe|\büberblick\b"
    ),
    (
        r"\brésum|\bde quoi (?:parle|traite|s'agit|est-il question)|\b(?:points|idées|thèmes) (?:principa|essentiel|clés?\b)"
        r"|\b(?:principa|grand)\w+ (?:points|idées|thèmes|lignes)\b|\bvue d.ensemble|\bsynthè"
    ),
    (
        r"^\W*resume\b|\bres[uú]m(?:a|en|ir|[ae]me|[ei]lo|ela|enes)\b|\b(?:de|sobre) qué (?:trata|va|habla)"
        r"|\b(?:puntos|ideas|temas) (?:principales|clave|más importantes)|\bprincipales (?:puntos|ideas|temas)\b|\bvisión general|\bsíntesis\b"
    ),
    (
        r"\bresum[aoi]\w*\b|\b(?:do|de|sobre o) que (?:se )?(?:trata|fala)|\b(?:pontos|ideias|temas) (?:principais|centrais|mais importantes)"
        r"|\bprincipais (?:pontos|ideias|temas)\b|\bvisão geral|\bsíntese\b"
    ),
    (
        r"\briassu|\bsintesi\b|\bdi (?:che )?cosa (?:parla|tratta|si tratta)|\b(?:punti|idee|temi) (?:principali|chiave|più importanti|salienti)"
        r"|\bprincipali (?:punti|idee|temi)\b|\bpanoramica"
    ),
    (
        r"\bsamenvat|\bvat\b.{0,60}\bsamen\b|\bwaar (?:gaat|handelt)\b.{0,60}\bover\b|\bwaarover (?:gaat|handelt)"
        r"|\b(?:belangrijkste|voornaamste) (?:punten|ideeën|onderwerpen)|\bhoofdpunten|\boverzicht\b"
    ),
    (
        r"\bstre(?:ść|szcz)|\bpodsumuj|\bpodsumowani|\bo czym (?:jest|są|mówi|traktuje)"
        r"|\b(?:główne|najważniejsze|kluczowe) (?:punkty|tezy|myśli|wnioski|tematy)"
    ),
    r"\bözet|\bne (?:hakkında|ile ilgili|anlatıyor)|\bneyi anlatıyor|\bkonusu ne|\b(?:ana|temel|önemli) (?:nokta|fikir|konu|başlık)|\bgenel bakış",
    (
        r"\bкратк\w+ (?:содержани|изложени|пересказ)|\bрезюм|\bсуммируй|\bобобщи|\bподытож|\bперескаж|\bо ч[её]м\b"
        r"|\b(?:основн|главн|ключев)\w+ (?:мысл|иде|пункт|тезис|вывод|тем)"
    ),
    (
        r"لخص|ملخص|تلخيص|خلاصة|موجز|(?:عم|عن ماذا|عما) (?:ي|ت)تحدث|ما (?:هو )?موضوع|(?:النقاط|الأفكار) (?:الرئيسية|الأساسية|المهمة)|أهم (?:النقاط|الأفكار)"
        r"|نظرة عامة"
    ),
    r"סכם|סכמ|סיכום|תקציר|תמצית|על מה (?:ה|מדבר)|במה עוסק|(?:הנקודות|הרעיונות) (?:ה)?(?:עיקרי|מרכזי)|סקירה כללית",
    r"总结|總結|摘要|概括|概述|归纳|歸納|概要|(?:讲|講|说|說|谈|談)(?:了|的是)?什[么麼]|(?:关于|關於)什[么麼]|主要(?:内容|內容|观点|觀點|要点|要點)|要[点點]|大意",
    r"要約|まとめ(?:て|る)|概要|要旨|何について|何の(?:文書|資料|本|話)|(?:主な|主要な|重要な)(?:ポイント|点|内容|論点|テーマ)|要点",
    r"요약|개요|무엇에 (?:대한|관한)|(?:무슨|어떤) 내용|(?:주요|핵심) (?:내용|사항|요점|포인트|주제)|요점",
    r"सारांश|संक्षेप|किस(?:के)? बारे में|(?:मुख्य|प्रमुख|महत्वपूर्ण) (?:बातें|बिंदु|विचार|विषय)|अवलोकन",
)
# All places where something is spoken of.
PLACES = (
    (
        r"^\W*(?:please |can you |could you )*(?:list|enumerate)\b|\b(?:list|name|enumerate|show|give|find|extract)\b(?: me)? (?:all|every|each)\b"
        r"|\bwhat are all\b|\b(?:every|all|each) (?:mention|occurrence|place)s?\b"
        r"|\b(?:which|what|how many|how often)\b.{1,80}\b(?:are|is|were|get)\b.{0,60}\b(?:mentioned|listed|named)\b(?! after)"
        r"|\bwhat are the\b.{1,60}\b(?:mentioned|listed|named)\b|\bhow often\b.{1,80}\b(?:appear|occur|mentioned)\b"
    ),
    (
        r"\b(?:listen?|nennen?|nenn|zeigen?|zeig|finden?|gib|zählen?|führen?)\b.{0,30}\b(?:alle[rns]?|sämtliche[rns]?|jede[rns]?)\b|\bliste\b.{1,80}\bauf\b"
        r"|\b(?:welche[rns]?|wie ?viele|wie oft)\b.{1,80}\b(?:erwähnt|genannt|aufgeführt|aufgelistet)\b"
    ),
    (
        r"\b(?:liste[rz]?|énum[eè]re[rz]?|cite[rz]?|donne[rz]?|nomme[rz]?|trouve[rz]?|relève[rz]?)\b.{0,30}\b(?:tous|toutes|chaque)\b"
        r"|\b(?:liste[rz]?|énum[eè]re[rz]?) (?:les|des|moi)\b|\b(?:quel(?:le)?s|combien)\b.{1,80}\b(?:mentionné|cité|nommé|énuméré)e?s?\b"
    ),
    (
        r"\b(?:enumera|lista|menciona|nombra|indica|muestra|muéstrame|dame|encuentra)\b.{0,30}\b(?:tod[oa]s|cada)\b"
        r"|\b(?:enumera|lista|haz una lista de) (?:los|las)\b|\b(?:qué|cuáles|cuánt[oa]s)\b.{1,80}\bse (?:mencionan?|citan?|nombran?|enumeran?)\b"
    ),
    (
        r"\b(?:liste|listar|enumere|cite|nomeie|mostre|indique|encontre)\b.{0,30}\b(?:tod[oa]s|cada)\b|\b(?:liste|enumere) (?:os|as)\b"
        r"|\b(?:quais|que|quant[oa]s)\b.{1,80}\b(?:mencionad|citad|nomead|listad)[oa]s?\b"
    ),
    (
        r"\b(?:elenca|elencare|enumera|cita|nomina|mostra|indica|trova)(?:mi)?\b.{0,30}\b(?:tutt[ie]|ogni)\b|\belenca(?:mi)? (?:i|gli|le)\b"
        r"|\b(?:quali|quant[ie])\b.{1,80}\b(?:menzionat|citat|nominat|elencat)[ie]\b"
    ),
    r"\b(?:noem|geef|toon|vind|som|lijst)\b.{0,30}\b(?:alle|elke)\b|\bsom\b.{1,80}\bop\b|\b(?:welke|hoeveel)\b.{1,80}\b(?:genoemd|vermeld|opgesomd)\b",
    (
        r"\b(?:wymień|wypisz|wylicz)\b|\b(?:podaj|znajdź|pokaż)\b.{0,30}\b(?:wszystkie|wszystkich|każd\w+)\b"
        r"|\b(?:jakie|jacy|ile|które)\b.{1,80}\b(?:wymienion|wspomnian)\w+"
    ),
    (
        r"\b(?:tüm|bütün|her)\b.{1,80}\b(?:listele|sırala|say|göster|bul|yaz)\w*|\blistele\w*"
        r"|\b(?:hangi|kaç)\b.{1,80}\b(?:geçiyor|bahsedil\w+|belirtil\w+|anıl\w+)"
    ),
    (
        r"\bперечисли\w*|\b(?:назови|покажи|найди|выпиши|приведи|дай)(?:те)?\b.{0,30}\b(?:все|всех|каждый)\b"
        r"|\b(?:какие|сколько)\b.{1,80}\b(?:упомина|упомян|перечислен|назван)\w*"
    ),
    r"(?:اذكر|عدد|أدرج|اسرد|استخرج|أعطني|اعرض).{0,30}(?:جميع|كل|كافة)|(?:ما|كم).{1,80}(?:المذكورة|مذكورة|المذكورين|ذكرت|وردت)",
    r"(?:רשום|רשמי|מנה|מני|ציין|הצג|מצא|תן|פרט).{0,30}\bכל\b|(?:אילו|כמה).{1,80}(?:מוזכר|נזכר|מצוינ)",
    r"(?:列出|列举|列舉|罗列|羅列)(?![一1])|(?:提到|提及)了?(?:哪些|多少|几|幾)|有哪些.{0,20}(?:被提|提到)|所有.{1,30}(?:有哪些|是什[么麼])",
    r"(?:すべて|全て|全部|一覧).{0,40}(?:挙げ|列挙|リスト|教え|示し|抽出)|列挙|リストアップ|一覧|(?:どの|どんな|いくつの?).{1,60}(?:言及|記載|挙げられ)",
    r"(?:모든|모두|전부).{0,60}(?:나열|열거|알려|찾아|목록|말해)|나열해|열거해|(?:어떤|몇).{1,60}언급",
    r"(?:सभी|सारे|सारी|प्रत्येक).{1,60}(?:सूची|बता|गिना|दिखा|लिख)|सूची (?:बना|दें|दो|दीजिए)|(?:कौन|कितन).{1,60}उल्लेख",
)
# What such a question is made of besides its topic: asking, all, the document, its length, politeness. Whole words.
FILLERS = (
    (
        r"please|can|could|would|you|i|me|us|need|want|give|make|write|tell|list|enumerate|name|show|find|identify|extract|provide|create|get|all|every|each"
        r"|any|there|it|its|has|have|had|does|contain(?:s|ed)?|this|that|these|those|what|which|whole|entire|full|complete|document|documents|file|files"
        r"|text|texts|paper|papers|book|report|reports|article|articles|pdf|slides?|presentation|manual|contract|knowledge|base|page|pages|chapters?"
        r"|sections?|headings?|table|contents|summary|summaries|summari[sz]\w*|tl;?dr|overview|synopsis|gist|about|deal|cover|main|key|most|important"
        r"|central|points?|ideas?|takeaways?|messages?|topics?|themes?|short|brief(?:ly)?|concise|quick|detailed|long|executive|general|good|in|into|\d+|one"
        r"|two|three|four|five|ten|few|words?|sentences?|paragraphs?|bullets?|bullet|lines?|english|simple|terms|mention(?:s|ed)?|occurrences?|places?"
        r"|listed|named|appear(?:s|ed)?|occurs?|found|times|often|where|number|count|s"
    ),
    (
        r"bitte|kannst|können|könntest|du|sie|mir|uns|ich|möchte|brauche|gib|geben|schreibe?|erstelle|liste|listen|nennen?|zeigen?|finden?|zählen?|führen?"
        r"|alle[rns]?|sämtliche[rns]?|jede[rns]?|auf|diese[rnsm]?|dokuments?|dokumente[ns]?|datei(?:en)?|textes?|texte|berichts?|berichte|buch(?:es)?"
        r"|artikels?|unterlagen?|seiten?|seitenzahl|kapiteln?|abschnitten?|überschriften|gliederung|inhaltsverzeichnis|zusammen\w*|fass(?:e|en|t)?|worum"
        r"|wovon|handelt|geht|es|kern\w+|haupt\w+|wichtigst\w*|wesentlich\w*|zentral\w*|punkten?|punkte|aussagen?|themen|inhalte?s?|kurz(?:e|en|er)?"
        r"|kurzfassung|überblick|knapp\w*|ausführlich\w*|sätzen?|worten|stichpunkten?|zwei|drei|fünf|erwähnt|genannt|aufgeführt|aufgelistet|gibt|oft|viele?"
        r"|hat|anzahl|zahl|über"
    ),
    (
        r"s'il|vous|plaît|te|peux|tu|pouvez|fais|faites|donne[rz]?|moi|nous|écri[st]|liste[rz]?|énum[eè]re[rz]?|cite[rz]?|nomme[rz]?|trouve[rz]?|relève[rz]?"
        r"|tous|toutes|tout|chaque|cet?|cette|ces|documents?|fichiers?|textes?|rapports?|livre|articles?|pages?|chapitres|sections|titres|table|matières"
        r"|sommaire|nombre|résum\w*|parle|traite|s'agit|est-il|question|points|idées|thèmes|principa\w*|essentiel\w*|clés?|grand\w*|lignes|vue|d.ensemble"
        r"|synthè\w*|bref|brève|court\w*|phrases?|mots|deux|trois|cinq|combien|quel(?:le)?s|quoi|mentionné\w*|cité\w*|nommé\w*|énuméré\w*|il|y|a-t-il|compte"
        r"|contient|d|l|c|qu"
    ),
    (
        r"por|favor|puedes|podrías|dame|haz|hacer|hazme|escribe|enumera|lista|menciona|nombra|indica|muestra|muéstrame|encuentra|tod[oa]s?|cada|est[aeo]s?"
        r"|documentos?|archivos?|textos?|informes?|libro|artículos?|páginas?|capítulos|secciones|apartados|índice|tabla|contenidos?|número|res[uú]m\w*|trata"
        r"|va|habla|puntos|ideas|temas|principales|clave|más|importantes|visión|general|síntesis|breve|cort[oa]|frases?|palabras|dos|tres|cinco|cuánt[oa]s"
        r"|qué|cuáles|mencionan?|citan?|nombran?|enumeran?|sobre|hay|tiene|tienen|me|nos|una"
    ),
    (
        r"pode|poderia|você|faça|dê|escreva|liste|listar|enumere|cite|nomeie|mostre|indique|encontre|tod[oa]s?|cada|est[ae]s?|desse|deste|neste|documentos?"
        r"|arquivos?|ficheiros?|textos?|relatórios?|livro|artigos?|seções|secções|sumário|trata|fala|pontos|ideias|principais|centrais|mais|visão|geral"
        r"|síntese|frases?|palavras|duas|três|cinco|quant[oa]s|quais|mencionad[oa]s?|citad[oa]s?|nomead[oa]s?|listad[oa]s?|há|tem|têm"
    ),
    (
        r"per|favore|puoi|potresti|fai|fammi|dammi|scrivi|elenca\w*|enumera|cita|nomina|mostra(?:mi)?|indica|trova|tutt[ieoa]|ogni|quest[oaie]|documenti?"
        r"|documento|file|testi?|testo|rapporto|relazione|libro|articol[oi]|pagin[ae]|capitoli|sezioni|indice|sommario|numero|riassu\w*|sintesi|cosa|parla"
        r"|tratta|punti|idee|temi|principali|chiave|importanti|salienti|panoramica|breve|frasi|parole|due|tre|cinque|quant[ie]|quali|menzionat[ie]|citat[ie]"
        r"|nominat[ie]|elencat[ie]|ci|sono|ha|hanno|si|mi"
    ),
    (
        r"alstublieft|alsjeblieft|graag|kun|kunt|je|u|mij|geef|maak|schrijf|noem|toon|vind|som|lijst|alle|elke|deze|dit|document(?:en)?|bestand(?:en)?"
        r"|tekst(?:en)?|rapport(?:en)?|boek|artikel(?:en)?|pagina's|pagina|bladzijden|hoofdstukken|paragrafen|secties|inhoudsopgave|aantal|samen\w*|vat|gaat"
        r"|handelt|over|waarover|belangrijkste|voornaamste|punten|ideeën|onderwerpen|hoofdpunten|overzicht|kort|korte|zinnen|woorden|twee|drie|vijf|genoemd"
        r"|vermeld|opgesomd|heeft|hebben|worden|hoeveel"
    ),
    (
        r"proszę|czy|możesz|mi|nam|napisz|zrób|wymień|wypisz|wylicz|podaj|znajdź|pokaż|wszystkie|wszystkich|każd\w+|ten|tego|tym|tych|dokument\w*|plik\w*"
        r"|tekst\w*|raport\w*|książk\w*|artykuł\w*|stron\w*|rozdział\w*|sekcj\w+|spis|treści|liczb\w|stre\w+|podsum\w+|czym|mówi|traktuje|są|główne"
        r"|najważniejsze|kluczowe|punkty|tezy|myśli|wnioski|tematy|krótk\w*|zdania\w*|dwóch|trzech|pięciu|wymienion\w+|wspomnian\w+|ma|ich|jakie|jacy|które"
    ),
    (
        r"lütfen|bana|bize|bu|tüm|bütün|her|listele\w*|sırala\w*|say|göster\w*|bul|yaz|ver|çıkar|belge\w*|dosya\w*|metn?in\w*|metin\w*|rapor\w*|kitap\w*"
        r"|kitab\w*|makale\w*|sayfa\w*|bölüm\w*|içindekiler|sayısı|özet\w*|hakkında|ilgili|anlatıyor|neyi|konusu|ana|temel|önemli|nokta\w*|fikir\w*|konu\w*"
        r"|başlık\w*|genel|bakış|kısa\w*|cümle\w*|iki|üç|beş|geçiyor|bahsedil\w+|belirtil\w+|anıl\w+|nelerdir|kaç|içinde"
    ),
    (
        r"пожалуйста|можешь|можете|мне|нам|дай(?:те)?|сделай(?:те)?|напиши(?:те)?|составь(?:те)?|перечисли\w*|назови(?:те)?|покажи(?:те)?|найди(?:те)?"
        r"|выпиши(?:те)?|приведи(?:те)?|все|всех|всё|каждый|эт\w{1,3}|документ\w*|файл\w*|текст\w*|отч[её]т\w*|книг\w*|стать\w*|страниц\w*|глав[аы]?"
        r"|раздел\w*|оглавлени\w*|количество|кратк\w+|содержани\w*|изложени\w*|пересказ\w*|резюм\w*|суммируй\w*|обобщи\w*|подытож\w*|перескаж\w*|ч[её]м"
        r"|говорится|ид[её]т|речь|основн\w+|главн\w+|ключев\w+|мысл\w+|иде[яи]\w*|пункт\w*|тезис\w*|вывод\w*|тем[аы]?|сколько|какие|упомина\w*|упомян\w*"
        r"|перечислен\w*|назван\w*|в|и|о|об|на|этом|для|из|по|двух|тр[её]х|пяти|предложени\w+"
    ),
    (
        r"من فضلك|هل|يمكنك|اذكر|عدد|أدرج|اسرد|استخرج|أعطني|اعطني|اعرض|جميع|كل|كافة|كم|ما|ماذا|هي|هو|هذا|هذه|في|من|عن|عم|عما|على|لي|لنا"
        r"|(?:ال|لل|بال|و)?(?:مستند|وثيقة|ملف|نص|تقرير|كتاب|مقال)\w*|(?:ال)?(?:مستندات|وثائق|ملفات|نصوص|تقارير)|(?:ال)?صفح\w+|(?:ال)?فصول|فصلا|(?:ال)?أقسام"
        r"|قسما|جدول المحتويات|فهرس|ل?لخص\w*|(?:ال)?ملخص\w*|تلخيص|خلاصة|موجز\w*|[يت]تحدث|موضوع|(?:ال)?نقاط|(?:ال)?أفكار|(?:ال)?رئيسية|(?:ال)?أساسية"
        r"|(?:ال)?مهمة|أهم|نظرة|عامة|(?:ال)?مذكور\w*|ذكرت|وردت|قصير\w*|مختصر\w*|جمل|يحتوي|توجد|يوجد"
    ),
    (
        r"בבקשה|אנא|האם|תן|תני|לי|לנו|רשום|רשמי|מנה|מני|ציין|הצג|מצא|פרט|את|כל|כמה|אילו|מהם|מהן|מה|יש|של|על|ב?ה?(?:מסמך|מסמכים|קובץ|קבצים|טקסט|דוח|ספר|מאמר)"
        r"|במסמך|זה|הזה|האלה|ה?(?:עמודים|דפים|פרקים|סעיפים)|תוכן|ה?עניינים|מספר|סכם|סכמי|סיכום|תקציר|תמצית|מדבר|במה|עוסק|ה?(?:נקודות|רעיונות)"
        r"|ה?(?:עיקריות|עיקריים|מרכזיות|מרכזיים)|סקירה|כללית|קצר\w*|משפטים|מוזכר\w*|נזכר\w*|מצוינ\w*|בקובץ|בטקסט"
    ),
    (
        r"कृपया|मुझे|हमें|इस|यह|इन|सभी|सारे|सारी|प्रत्येक|की|के|का|को|में|से|है|हैं|क्या|कौन|कितन[ेीा]|दस्तावेज़?(?:ों)?|फ़?ाइल|पाठ|रिपोर्ट|किताब|पुस्तक|लेख"
        r"|सूची|बनाएँ|बनाएं|बनाओ|बना|बताएँ|बताएं|बताओ|बता|गिनाएँ|दिखाएँ|लिखें|दीजिए|दें|दो|सारांश|संक्षेप|किसके|किस|बारे|मुख्य|प्रमुख|महत्वपूर्ण|बातें|बिंदु"
        r"|विचार|विषय|पृष्ठ(?:ों)?|पेज|पन्ने|संख्या|अध्याय|खंड|उल्लेख|करें|करो|कीजिए"
    ),
)
# The same where words are not parted, or their endings hang on them: Chinese, Japanese, Korean.
DENSE_FILLERS = (
    (
        r"请|請|麻烦|帮我|幫我|给我|給我|列出|列举|列舉|罗列|羅列|总结|總結|摘要|概括|概述|归纳|歸納|概要|主要|要[点點]|大意|内容|內容|观点|觀點|[讲講说說谈談](?:了|的是)?什[么麼]|[关關][于於]什[么麼]|提到|提及|有哪些|哪些|多少"
        r"|[几幾](?=[个個页頁章节節])|什[么麼]|所有|全部|(?:这|這|该|該|本)?[篇份个個]?(?:文[档檔件章本]|报告|報告|资料|資料|文書)|[这這该該]本?[书書]|[这這][个個]?|[页頁][数數]?|目[录錄]|章[节節]|中的?|里的?|裡的?|一下|简短|簡短"
    ),
    (
        r"ください|下さい|この|これ|文書|資料|ドキュメント|ファイル|テキスト|文章|報告書|レポート|すべて|全て|全部|一覧|列挙|リストアップ|リスト|挙げ|教え|示し|抽出|要約|まとめ|要旨|について|書かれて|主な|主要な|重要な|ポイント|論点|テーマ|ページ数?|頁数?|目次"
        r"|セクション|見出し|章立て|いくつ|何|言及|記載|[ぁ-ん]+|短く|簡潔"
    ),
    (
        r"(?:해|하여|해서)?\s?(?:주세요|줘|주십시오)|(?<!\S)[이그한]\s|문서|파일|텍스트|보고서|자료|책|논문|모든|모두|전부|나열|열거|알려|찾아|목록|말해|요약|개요|정리|무엇|대한|관한|무슨|어떤|내용|주요|핵심|사항|요점|포인트|주제|언급된?"
        r"|되어|있는|있나요|있습니까|있어|몇\s?(?:개의?)?|쪽\s?수?|페이지\s?수?|목차|차례|(?<=[가-힣]{2})(?:에서|에|의|을|를|은|는|이|가|로|으로|와|과|하세요|해|나요)(?=[\s?.!,]|$)|인가요|입니까|간단히|짧게"
    ),
)
