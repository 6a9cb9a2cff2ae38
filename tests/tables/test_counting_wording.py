"""Questions about the rows of a table in the words that people choose, which name no column."""

import httpx
import pytest

from conftest import upload
from docqa.tables.counting.times import minutes_at
from docqa.tables.phrases import key_words

pytestmark = pytest.mark.anyio

MARCHE = """N° vente;Date;Stand;Vendeur;Article;Quantité;Montant (€);Paiement
A1;2024-03-02;Fromages;Odile;Tomme;2;18,00;Carte
A2;2024-03-09;Fruits;Marius;Prunes;9;11,00;Espèces
A3;2024-04-06;Fruits;Odile;Poires;4;9,00;Chèque
A4;2024-04-13;Fromages;Odile;Brebis;1;14,00;Carte
A5;2024-04-20;Fruits;Marius;Prunes;3;4,50;Espèces
"""


async def ask(client: httpx.AsyncClient, content: str, name: str, *questions: str) -> str:
    """The answer to the last of the questions."""
    doc_id = await upload(client, content, name)
    messages: list[dict[str, str]] = []
    for question in questions:
        messages.append({"sender": "user", "message": question})
        response = await client.post(f"/v1/chat/{doc_id}", json=messages)
        assert response.status_code == 200, response.text
        messages.append({"sender": "bot", "message": response.json()["answer"]["message"]})
    return messages[-1]["message"]


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("on a encaissé combien en avril", "Somme de Montant (Date = avril): 27,50 €."),
        ("quel stand rapporte le plus ?", "Fromages: 32,00 € (somme de Montant par Stand)."),
        ("combien de ventes ont été payées en espèces ?", "Nombre de ventes (Paiement = Espèces): 2."),
        ("combien ont été payées en espèces ?", "Nombre de lignes (Paiement = Espèces): 2."),
        ("quel pourcentage des ventes est réglé par carte", "Part de ventes (Paiement = Carte): 40,0 % (2 sur 5)."),
        ("quel est le chiffre d'avril ?", "Somme de Montant (Date = avril): 27,50 €."),
        ("quel est le chiffre d'affaires d'avril ?", "Somme de Montant (Date = avril): 27,50 €."),
        ("la vente la plus petite", "Valeur la plus basse de Montant: 4,50 €."),
        ("c'est quoi la plus grosse vente", "Valeur la plus élevée de Montant: 18,00 €."),
        ("y a-t-il des ventes de plus de 15 euros ?", "Oui: Lignes (Montant (€) > 15,00):"),
        ("quel mois a fait le meilleur chiffre", "mars 2024: 29,00 €"),
        ("quel article s'est vendu au plus d'unités ?", "Prunes: 12 (somme de Quantité par Article)."),
        ("odile a vendu plus que marius ?", "Non: Somme de Quantité par Vendeur (Vendeur = Odile / Marius):"),
        ("odile a encaissé plus que marius ?", "Oui: Somme de Montant par Vendeur (Vendeur = Odile / Marius):"),
        ("combien de ventes ont été remboursées ?", "Je n'ai pas compris “remboursées”."),
        ("combien de ventes ont été encaissées ?", "Je n'ai pas compris “encaissées”."),
    ],
)
async def test_verbs_of_paying_mean_the_money_or_how_it_was_paid(
    client: httpx.AsyncClient, question: str, start: str
) -> None:
    assert (await ask(client, MARCHE, "marche.csv", question)).startswith(start)


RECHNUNGEN = """Rechnungsnr;Rechnungsdatum;Kunde;Ort;Leistung;Betrag netto;Status;bezahlt am
R-01;02.05.2024;Hof Lerche;Ulm;Reinigung;80,00;bezahlt;03.06.2024
R-02;09.05.2024;Bad Seeblick;Jena;Beratung;400,00;offen;
R-03;11.06.2024;Hof Lerche;Ulm;Reinigung;120,00;bezahlt;20.06.2024
R-04;18.06.2024;Imkerei Roth;Jena;Beratung;60,00;bezahlt;29.06.2024
"""


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("wie hoch ist eine reinigungsrechnung im schnitt?", "Durchschnitt von Betrag netto (Leistung = Reinigung): 100,00"),
        ("wieviele beratungsrechnungen gibt es", "Anzahl rechnungen (Leistung = Beratung): 2."),
        ("größte rechnung? nr, kunde und ort", "Höchster Wert von Betrag netto: 400,00.\n- Rechnungsnr: R-02;"),
        ("wieviel geld brutto kam aus ulm", "Nicht verstanden: “brutto”. Davon abgesehen:"),
        ("wer ist der kunde von R-02 und ist sie bezahlt?", "Zeilen (Rechnungsnr = R-02):\n- Rechnungsnr: R-02;"),
        ("wieviel geld insgesamt, offene mitgezählt?", "Summe von Betrag netto: 660,00."),
        ("summe netto in ulm inklusive mwst", "Nicht verstanden: “mwst”."),
        ("wer hat am meisten bezahlt?", "Hof Lerche: 200,00 (Summe von Betrag netto je Kunde (Status = bezahlt))."),
        ("in welchem monat wurde am meisten abgerechnet", "Mai 2024: 480,00 (Summe von Betrag netto je Monat)"),
        ("welche rechnung war am höchsten und von wem", "Höchster Wert von Betrag netto: 400,00.\n- Rechnungsnr: R-02;"),
    ],
)  # fmt: skip
async def test_compounds_shortened_names_and_the_date_that_every_row_has(
    client: httpx.AsyncClient, question: str, start: str
) -> None:
    assert (await ask(client, RECHNUNGEN, "rechnungen.csv", question)).startswith(start)


VISITS = """Date,Client ID,Nurse,Kind of visit,Duration (min),Fee (GBP),Outcome
2024-01-05,C-1,Ida Holm,New client,40,60.00,done
2024-01-19,C-2,Jon Berg,Check,15,90.00,missed
2024-02-02,C-1,Ida Holm,Check,95,120.50,done
2024-02-20,C-3,Ida Holm,New client,20,35.00,done
2024-03-04,C-1,Jon Berg,Check,10,80.00,missed
"""


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("which visit was the dearest one, and who did it?", "Highest value of Fee: 120.50 GBP.\n- Date: 2024-02-02;"),
        ("how long does a new client take on average?", "Average of Duration (Kind of visit = New client): 30.00 min."),
        ("how long does a check take?", "Average of Duration (Kind of visit = Check): 40.00 min."),
        ("is there any visit longer than an hour and a half?", "Yes: Rows (Duration (min) > 90):"),
        ("how many visits took less than 0.5 hours?", "Number of visits (Duration (min) < 30): 3."),
        ("how many visits took at least a quarter of an hour?", "Number of visits (Duration (min) >= 15): 4."),
        ("which teacher had the most visits?", "Ida Holm: 3 (number of visits by Nurse)."),
        ("who did the most visits?", "Ida Holm: 3 (number of visits by Nurse)."),
        ("who paid the most?", "C-1: 260.50 GBP (sum of Fee by Client ID)."),
        ("how many visits were there, including the missed ones?", "Number of visits: 5."),
        ("what is the revenue in January?", "Sum of Fee (Date = January): 150.00 GBP."),
        ("how many visits were there before 10?", "I did not understand “10”."),
        ("how many times has somebody missed a visit?", "Number of visit (Outcome = missed): 2."),
        ("how much did clients pay in January?", "Sum of Fee (Date = January): 150.00 GBP."),
    ],
)
async def test_what_a_rank_is_of_and_who_is_nobody_in_particular(
    client: httpx.AsyncClient, question: str, start: str
) -> None:
    assert (await ask(client, VISITS, "visits.csv", question)).startswith(start)


@pytest.mark.parametrize(
    ("questions", "start"),
    [
        (("wie hoch ist rechnung R-03?", "und wann wurde die bezahlt?"), "bezahlt am (Rechnungsnr = R-03, Status = bezahlt): 2024-06-20."),
        (("wie viele rechnungen gingen nach Ulm?", "welche davon war die höchste?"), "Höchster Wert von Betrag netto (Ort = Ulm): 120,00.\n- "),
        (("wie hoch ist rechnung R-03?", "und von wann ist die?"), "Rechnungsdatum (Rechnungsnr = R-03): 2024-06-11."),
    ],
)  # fmt: skip
async def test_when_something_was_is_asked_of_the_row_before(
    client: httpx.AsyncClient, questions: tuple[str, ...], start: str
) -> None:
    assert (await ask(client, RECHNUNGEN, "rechnungen.csv", *questions)).startswith(start)


async def test_who_and_when_are_told_of_the_rows_with_a_code(client: httpx.AsyncClient) -> None:
    answer = await ask(client, VISITS, "visits.csv", "who saw client C-1 and on what day")
    rows = [line for line in answer.splitlines() if line.startswith("- ")]
    assert len(rows) == 3 and rows[0].startswith("- Date: 2024-01-05; Client ID: C-1; Nurse: Ida Holm; ")


LAGER = """Artikelnr;Artikel;Preis (EUR);Bestand;Mindestbestand
L-1;Zange;21,00;4;12
L-2;Nagel;0,10;900;400
L-3;Leim;6,50;30;10
"""


async def test_a_row_has_the_most_by_how_many_there_are(client: httpx.AsyncClient) -> None:
    answer = await ask(client, LAGER, "lager.csv", "von welchem artikel haben wir am meisten da")
    assert answer.startswith("Höchster Wert von Bestand: 900.\n- Artikelnr: L-2;")


@pytest.mark.parametrize(
    ("time", "minutes", "language"),
    [
        ("an hour and a half", 90, "en"),
        ("half an hour", 30, "en"),
        ("2 hours 15 minutes", 135, "en"),
        ("anderthalb stunden", 90, "de"),
        ("une heure et demie", 90, "fr"),
        ("media hora", 30, "es"),
        ("un quart d'heure", 15, "fr"),
        ("hour", None, "en"),
        ("2 and 3 hours", None, "en"),
        ("half an hour and an hour", None, "en"),
        ("2 h", 120, "en"),
        ("a half", None, "en"),
        ("the two hours", None, "en"),
        ("visits and 2 hours", None, "en"),
    ],
)
def test_spans_of_time_in_words_and_digits(time: str, minutes: float | None, language: str) -> None:
    assert minutes_at(key_words(time, language), language) == minutes


@pytest.mark.parametrize("question", ["quel client a acheté le plus de livres ?", "quel patient a le plus dépensé ?"])
async def test_those_who_are_served_are_none_who_serve(client: httpx.AsyncClient, question: str) -> None:
    assert "Odile:" not in await ask(client, MARCHE, "marche.csv", question)


GUESTS = """Member no.,City,Fee (GBP),Joined,Trainer
M-1,Leith,60.00,2024-01-05,Una Ross
M-2,Leith,30.00,2024-02-05,Una Ross
M-3,Oban,45.00,2024-02-19,Una Ross
"""


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("how many members in Leith are over 50?", "I did not understand “50”. Leaving that aside:"),
        ("who has the most members?", "Una Ross: 3 (number of members by Trainer)."),
        ("who pays the highest fee?", "Highest value of Fee: 60.00 GBP.\n- Member no.: M-1;"),
        ("how many members pay over 50 pounds?", "Number of members (Fee (GBP) > 50.00): 1."),
    ],
)
async def test_where_a_row_is_a_person_who_is_one_of_them_and_a_number_is_an_age(
    client: httpx.AsyncClient, question: str, start: str
) -> None:
    assert (await ask(client, GUESTS, "members.csv", question)).startswith(start)


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("was ist der durchschnittspreis?", "Durchschnitt von Preis: 9,20 EUR."),
        ("was ist alles zusammen wert?", "Summe von Preis × Bestand: 369,00 EUR."),
        ("welcher artikel wurde am längsten nicht geliefert", "Es wurde keine klare Antwort gefunden."),
    ],
)
async def test_prices_are_no_sums_of_money(client: httpx.AsyncClient, question: str, start: str) -> None:
    assert (await ask(client, LAGER, "lager.csv", question)).startswith(start)


VENTAS = """Factura;Fecha;Cliente;Importe (€)
F-1;2024-10-02;Lonja Sur;40,00
F-2;2024-10-09;Bar Tilo;25,50
F-3;2024-11-04;Bar Tilo;10,00
"""


@pytest.mark.parametrize("verb", ["facturamos", "se cobró", "hemos ingresado"])
async def test_verbs_of_paying_are_known_in_their_persons_and_tenses(client: httpx.AsyncClient, verb: str) -> None:
    answer = await ask(client, VENTAS, "ventas.csv", f"¿cuánto {verb} en octubre?")
    assert answer.startswith("Suma de Importe (Fecha = octubre): 65,50 €.")


@pytest.mark.parametrize("name", ["#", "%", "…", "$", ""])
async def test_a_column_may_have_a_name_without_words(client: httpx.AsyncClient, name: str) -> None:
    trips = f"Driver;{name};Distance (km);Time (min)\nAda;3;12;30\nBo;4;15;90\nAda;5;8;20\n"
    answer = await ask(client, trips, "trips.csv", "how many kilometres did Ada drive?")
    assert answer.startswith("Sum of Distance (Driver = Ada): 20 km")
    answer = await ask(client, trips, "trips.csv", "which trips took longer than an hour?")
    assert "Bo" in answer and "Ada" not in answer
