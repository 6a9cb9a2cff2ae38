"""What a sentence-transformers folder holds, as its files say. Nothing heavy is imported: the server looks here too."""

import json
from pathlib import Path

from docqa import COMMAND
from docqa.models.config import Config, OtherKind

MEAN, FIRST = "pooling_mode_mean_tokens", "pooling_mode_cls_token"
PACKAGE = "sentence-transformers"  # computes folders of other kinds than here; the group `torch` brings it
INSTALLED_BY = f"`{COMMAND} install torch`"


def pooling(model_dir: Path) -> str:
    """How vectors are made of the tokens' states, MEAN or FIRST. Raises OtherKind for other folders."""
    described = model_dir / "modules.json"
    modules = json.loads(described.read_text("utf-8")) if described.is_file() else []
    kinds = [module["type"].rpartition(".")[2] for module in modules]
    if kinds not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]) or modules[0]["path"]:
        raise OtherKind(f"{model_dir} consists of {kinds}")
    raw = json.loads((model_dir / modules[1]["path"] / "config.json").read_text("utf-8"))
    modes = [name for name, is_on in raw.items() if name.startswith("pooling_mode_") and is_on]
    if modes not in ([MEAN], [FIRST]) or not (model_dir / "tokenizer.json").is_file():
        raise OtherKind(f"{model_dir} pools by {modes}")
    return str(modes[0])


def needs_package(model_dir: Path) -> bool:
    """Whether PACKAGE alone can compute the model in a folder. What is wrong with a damaged one, loading it says."""
    try:
        pooling(model_dir)
        Config.of(model_dir)
    except OtherKind:
        return True
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return False
    return False
