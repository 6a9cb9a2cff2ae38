"""Questions about the rows of a table in the words that people choose, which name no column."""

import httpx
import pytest

from conftest import upload

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
        ("quel pourcentage des ventes est réglé par carte", "Part de ventes (Paiement = Carte): 40,0 % (2 sur 5)."),
        ("quel mois a fait le meilleur chiffre", "mars 2024: 29,00 €"),
        ("combien de ventes ont été remboursées ?", "Je n'ai pas compris “remboursées”."),
        ("combien de ventes ont été encaissées ?", "Je n'ai pas compris “encaissées”."),
    ],
)
async def test_verbs_of_paying_mean_the_money_or_how_it_was_paid(
    client: httpx.AsyncClient, question: str, start: str
) -> None:
    assert (await ask(client, MARCHE, "marche.csv", question)).startswith(start)
