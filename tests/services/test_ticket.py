"""The link that signs in: a ticket for the first key, good once."""

from pathlib import Path

import pytest

from docqa.errors import Unauthorized
from docqa.services.ticket import Ticket


@pytest.fixture
def ticket(tmp_path: Path) -> Ticket:
    (tmp_path / "api-key").write_text("dq-first\n")
    return Ticket(tmp_path / "api-key")


def test_a_ticket_is_good_once(ticket: Ticket) -> None:
    issued = ticket.issue()
    assert ticket.redeem(issued) == "dq-first"
    with pytest.raises(Unauthorized, match="has been used"):
        ticket.redeem(issued)


def test_the_one_before_is_void(ticket: Ticket) -> None:
    first, second = ticket.issue(), ticket.issue()
    with pytest.raises(Unauthorized):
        ticket.redeem(first)
    assert ticket.redeem(second) == "dq-first"


@pytest.mark.parametrize("given", ["", "guessed", "日本"])
def test_nothing_else_is_a_ticket(ticket: Ticket, given: str) -> None:
    with pytest.raises(Unauthorized):
        ticket.redeem(given)
    ticket.issue()
    with pytest.raises(Unauthorized):
        ticket.redeem(given)


def test_without_a_key_there_is_no_ticket(tmp_path: Path) -> None:
    assert Ticket(tmp_path / "api-key").issue() == ""
