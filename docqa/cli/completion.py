"""`completion`: what lets a shell complete commands, options and the names of documents."""

import click
from click.shell_completion import get_completion_class

from docqa.cli.terminal import put

PROGRAM, VARIABLE = "docqa", "_DOCQA_COMPLETE"
SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print what lets a shell complete `docqa`.

    \b
    bash:  docqa completion bash > ~/.local/share/bash-completion/completions/docqa
    zsh:   docqa completion zsh > a file _docqa in a folder of $fpath
    fish:  docqa completion fish > ~/.config/fish/completions/docqa.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None, "click has all of SHELLS"
    put(kind(context.find_root().command, {}, PROGRAM, VARIABLE).source())
