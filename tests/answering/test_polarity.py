"""Yes or no, from what a document says."""

import pytest

from docqa.answering.polarity import is_affirmed
from docqa.models.reader import YesNo
from docqa.questions.question import Part

SAID = [
    ("en", "Can I keep a dog in the flat?", "Dogs may be kept in the flat.", True),
    ("en", "Can I keep a dog in the flat?", "No dogs may be kept in the flat.", False),
    ("en", "Does the app run on tablets?", "The app runs on telephones, but it does not run on tablets.", False),
    ("en", "Does the app run on telephones?", "The app runs on telephones, but it does not run on tablets.", True),
    ("en", "Is smoking allowed?", "Smoking is forbidden. A lodger may be taken in.", False),
    ("en", "Can I work 4 days from home?", "Staff may work from home for up to two days a week.", False),
    ("en", "Can I work 2 days from home?", "Staff may work from home for up to two days a week.", True),
    ("en", "Can someone poor get in?", "A visitor who cannot pay may ask for a free ticket.", True),
    ("en", "Can I take it with food?", "The drops can be taken with or without food.", True),
    ("en", "Do I get my money back?", "If you do not come, the fee is paid back.", True),
    ("en", "Do I get my money back?", "If you do not come, the fee is not paid back.", False),
    ("en", "Must I pay by 3 May?", "The deposit must be paid no later than 3 May.", True),
    ("en", "Is smoking forbidden?", "Smoking is forbidden in all rooms.", True),
    ("en", "Is smoking forbidden?", "Smoking is prohibited in all rooms.", True),
    ("en", "Is smoking forbidden?", "Smoking is not allowed in any room.", True),
    ("en", "Is smoking forbidden?", "Smoking is not forbidden in the yard.", False),
    ("en", "Is smoking forbidden?", "Smoking is allowed in the yard.", False),
    ("en", 'Is "deny from example.com" good?', "It is not good to deny by names.", False),
    ("en", "Was the claim rejected?", "The claim was rejected on 3 May.", True),
    ("en", "Is there a vegetarian menu?", "A menu without meat is there every day.", True),
    ("en", "Is there meat in the menu?", "The menu is without meat every day.", False),
    ("en", "Can I come in without a ticket?", "Entry without a ticket is possible on Mondays.", True),
    ("en", "Can I come in without a ticket?", "You need a ticket to come in.", False),
    ("en", "Can I come in without a ticket?", "Nobody may come in without a ticket.", False),
    ("fr", "Y a-t-il un menu végétarien ?", "Un menu sans viande est proposé chaque jour.", True),
    ("de", "Brauche ich eine Genehmigung?", "Kleine Hütten darf man ohne Genehmigung bauen.", False),
    ("de", "Ist Rauchen verboten?", "Rauchen ist im Haus verboten.", True),
    ("fr", "Les chiens sont-ils interdits ?", "Les chiens sont interdits dans le parc.", True),
    ("zh", "室内禁止吸烟吗？", "室内禁止吸烟。", True),
    ("en", "May I delete the logs?", "You may delete the logs because they are not needed.", True),
    ("en", "May I delete the logs?", "The logs must not be deleted because you may need them.", False),
    ("de", "Darf ich den Schlüssel kopieren?", "Den Schlüssel dürfen Sie kopieren, weil er nicht geschützt ist.", True),
    ("fr", "Puis-je jeter les fichiers ?", "Vous pouvez jeter les fichiers parce qu'ils ne servent pas.", True),
    ("es", "¿Se pueden cifrar las copias?", "Las copias se pueden cifrar para que nadie las lea.", True),
    ("de", "Bekomme ich Geld?", "Wer nicht kommt, bekommt sein Geld zurück.", True),
    ("fr", "Peut-on entrer ?", "Les visiteurs qui ne paient pas peuvent entrer le lundi.", True),
    ("es", "¿Se devuelve el dinero?", "Si no viene, se devuelve el dinero.", True),
    ("de", "Darf ich den Wagen privat fahren?", "Der Wagen darf auch privat genutzt werden, der Anhänger nicht.", True),
    (
        "de",
        "Darf ich den Anhänger privat nutzen?",
        "Der Wagen darf auch privat genutzt werden, der Anhänger nicht.",
        False,
    ),
    ("nl", "Mag een kat mee?", "Een kat mag mee, een hond niet.", True),
    ("nl", "Mag een hond mee?", "Een kat mag mee, een hond niet.", False),
    ("de", "Darf ich im Hof parken?", "Im Hof darf nicht geparkt werden.", False),
    ("de", "Kann ich in Raten zahlen?", "Eine Zahlung in bis zu vier Raten ist möglich.", True),
    ("fr", "Peut-on boire cette eau ?", "N'utilisez pas cette eau pour boire.", False),
    ("es", "¿Habrá mercado este año?", "Este año no habrá mercado.", False),
    ("de", "Kann ich die Probe zweimal wiederholen?", "Die Probe kann nur einmal wiederholt werden.", False),
    ("de", "Kann ich die Probe einmal wiederholen?", "Die Probe kann nur zweimal wiederholt werden.", True),
    ("de", "Kann ich die Probe zweimal wiederholen?", "Die Probe kann nicht nur einmal wiederholt werden.", True),
    ("es", "¿Puedo pescar en julio?", "La pesca se permite solo del 2 de octubre al 30 de mayo.", False),
    ("es", "¿Puedo pescar en enero?", "La pesca se permite solo del 2 de octubre al 30 de mayo.", True),
    ("fr", "La salle est-elle chauffée en mai ?", "La salle n'est chauffée qu'en janvier.", False),
    ("it", "La piscina è aperta a luglio?", "La piscina è aperta solo da giugno a settembre.", True),
    ("ru", "Можно подать жалобу дважды?", "Жалобу можно подать только один раз.", False),
    ("zh", "可以申请两次吗？", "每人只能申请一次。", False),
    ("zh", "滤网能用水洗吗？", "滤网不能水洗。", False),
    ("zh", "滤网能用水洗吗？", "滤网可以水洗。", True),
    # What a text bounds holds of the numbers within its bounds, and not of others.
    ("en", "May I bring 6 guests?", "Up to eight guests are admitted.", True),
    ("en", "May I bring 9 guests?", "Up to eight guests are admitted.", False),
    ("de", "Darf ich mit 15 mitfahren?", "Mitfahren darf man ab 14 Jahren.", True),
    ("de", "Darf ich mit 13 mitfahren?", "Mitfahren darf man ab 14 Jahren.", False),
    ("de", "Darf ich mehr als 4 Gäste mitbringen?", "Man darf bis zu 9 Gäste mitbringen.", False),
    ("fr", "je peux avoir 4 clés ?", "Nul ne peut avoir plus de trois clés.", False),
    ("fr", "je peux avoir 2 clés ?", "Nul ne peut avoir plus de trois clés.", True),
    ("zh", "能不能住5个人", "居住人数不得超过4人。", False),
    ("zh", "打8个孔要同意吗", "打孔不超过6处的，无须同意。", True),
    ("zh", "打4个孔要同意吗", "打孔不超过6处的，无须同意。", False),
    ("es", "¿Está abierto a las 15?", "Está abierto de 8 a 19, el sábado de 9 a 12.", None),
    # What is excepted is as what it is excepted from is not.
    ("en", "May cats come in?", "No animals may come in except cats.", True),
    (
        "en",
        "May I work for another firm?",
        "The employee may take other work, except for printing firms within ten miles.",
        True,
    ),
    (
        "es",
        "¿Puedo trabajar para otra empresa?",
        "Podrá realizar otras actividades, salvo para empresas de pintura de la comarca.",
        True,
    ),
    ("en", "May dogs come in?", "All animals may come in apart from dogs.", False),
    ("en", "Are dogs forbidden?", "All animals may come in apart from dogs.", True),
    ("en", "May dogs come in?", "All animals may come in, apart\nfrom dogs.", False),
    ("en", "May I bring 9 guests?", "A member may bring up\nto eight guests.", False),
    ("de", "Ist am Montag offen?", "Es ist täglich offen, ausgenommen am Montag.", False),
    (
        "fr",
        "un vélo dans la cour, c'est permis ?",
        "Aucun objet ne reste là, à l'exception d'un vélo dans la cour.",
        True,
    ),
    # Of clauses that have as much of the question, the one that completes it.
    (
        "fr",
        "Un poêle électrique est-il permis ?",
        "Les poêles à charbon sont interdits ; les électriques permis.",
        True,
    ),
    (
        "fr",
        "Un poêle à charbon est-il permis ?",
        "Les poêles à charbon sont interdits ; les électriques permis.",
        False,
    ),
]


@pytest.mark.parametrize(("language", "question", "said", "affirmed"), SAID)
def test_what_is_said_of_the_question_decides(language: str, question: str, said: str, affirmed: bool | None) -> None:
    assert is_affirmed(Part(question, language), said, language) is affirmed


@pytest.mark.parametrize(
    ("language", "question", "lead", "item", "affirmed"),
    [
        ("en", "Can I film in the sauna?", "What is not allowed:", "Filming in the sauna", False),
        ("en", "Is filming forbidden?", "What is not allowed:", "Filming in the sauna", True),
        ("en", "Am I insured if it was not locked?", "What is not insured?", "Theft if it was not locked", False),
        ("en", "Are races insured?", "Exclusions:", "Races", False),
        ("de", "Sind Rennen versichert?", "Nicht versichert sind:", "Rennen", False),
        ("fr", "Les boissons sont-elles comprises ?", "Non compris :", "Boissons", False),
        ("en", "Are towels included?", "The price includes:", "Towels", True),
        ("en", "Is yoga included?", "The price includes:", "All courses except yoga", None),
        ("en", "Can I bring a guest?", "The price includes:", "A guest once a month", None),
        ("en", "Can I log in?", "Why can I not log in?", "Check your password", None),
    ],
)
def test_what_a_list_is_of_says_whether_its_items_are_so(
    language: str, question: str, lead: str, item: str, affirmed: bool | None
) -> None:
    unsure = YesNo(0.5, 0.5)
    assert is_affirmed(Part(question, language), item, language, unsure, lead) is affirmed


def test_where_the_negations_of_a_language_are_not_known_nothing_is_decided() -> None:
    assert is_affirmed(Part("Is it so?"), "It is so.", "xx") is None


def test_what_the_verifier_makes_of_it_decides() -> None:
    asking, said = Part("Did the home know of the visit?"), "The visit was unannounced."
    assert is_affirmed(asking, said, "en", YesNo(-3.0, 2.0)) is False
    assert is_affirmed(asking, said, "en", YesNo(2.0, -3.0)) is True
    assert is_affirmed(asking, said, "en", YesNo(-1.5, -4.0)) is None, "it says neither"
    assert is_affirmed(asking, said, "en", YesNo(0.5, 1.0)) is None, "it may be either"
    assert is_affirmed(asking, "They did not know of the visit.", "en", YesNo(1.0, 0.5)) is None, (
        "words do not tell then"
    )
    no_words_known = is_affirmed(asking, said, "xx", YesNo(2.0, -3.0))
    assert no_words_known is True
    denied = Part("Do I get away without a permit?"), "No permit is needed for sheds."
    assert is_affirmed(*denied, "en", YesNo(2.0, -3.0)) is True


@pytest.mark.parametrize(
    ("language", "question", "said", "affirmed"),
    [
        ("en", "Can healthy people take part?", "Accepts healthy volunteers:\tNo", False),
        ("en", "Can healthy people take part?", "Accepts healthy volunteers: \xa0 | No", False),
        ("en", "Are dogs welcome?", "Pets allowed: yes", True),
        ("en", "May I bring a dog?", "No pets: Yes", False),
        ("de", "Darf man rauchen?", "Rauchen | nein", False),
        ("en", "Is smoking forbidden?", "Smoking: no", None),
        ("en", "Is it open?", "The porter said yes", None),
    ],
)
def test_yes_or_no_behind_a_label_is_the_answer(language: str, question: str, said: str, affirmed: bool | None) -> None:
    says_neither = YesNo(-3.0, -3.0)
    assert is_affirmed(Part(question, language), said, language, says_neither) is affirmed


@pytest.mark.parametrize(
    ("question", "said", "affirmed"),
    [
        ("Is it confidential?", "Confidential For Discussion Only", True),
        ("Is it confidential?", "Not confidential", False),
        ("Is it public?", "Confidential For Discussion Only", False),
        ("Is the sauna open?", "Sauna open from six to nine in the evening of every day but Sunday", False),
        ("Is the sauna open?", "The sauna was open.", False),
    ],
)
def test_a_line_that_names_all_that_is_asked_affirms_it(question: str, said: str, affirmed: bool) -> None:
    assert is_affirmed(Part(question, "en"), said, "en", YesNo(-4.0, 1.0)) is affirmed
