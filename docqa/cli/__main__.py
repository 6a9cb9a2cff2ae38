"""`python -m docqa.cli`: the same as `docqa`."""

from docqa.cli.main import console

if __name__ == "__main__":
    console()
