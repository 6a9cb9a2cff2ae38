"""`doctor`: what this machine and the data lack, and the proof that nothing leaves."""

import click

from docqa.cli.options import with_data
from docqa.settings import Settings
from docqa.setup.doctor import examine, prove_offline


@click.command()
@click.option("--repair", is_flag=True, help="Mend what is wrong with the data, as far as it can be.")
@click.option(
    "--offline",
    is_flag=True,
    help="Start the service with temporary data, use every part of it, and prove that nothing leaves this machine.",
)
@with_data
def doctor(settings: Settings, repair: bool, offline: bool) -> int:
    """Show what this machine and the data lack, and what to do about it. Exits with 1 if it is needed."""
    return prove_offline() if offline else examine(settings, repair=repair)
