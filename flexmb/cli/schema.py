"""flexmb schema: keys of a model file, for editors and for readers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from flexmb.cli.options import Option


def schema(
    *,
    output: Annotated[Path | None, Option("--output", "-o")] = None,
    markdown: bool = False,
) -> int:
    """Write the JSON schema of model files: an editor then completes keys, shows their meaning and marks mistakes.

    With the extension "Even Better TOML" (taplo) put this line on top of a model file: #:schema ./flexmb.schema.json

    Parameters
    ----------
    output
        File to write: flexmb.schema.json, or reference.md with --markdown; default: the screen.
    markdown
        Write the reference of the model file in Markdown instead of the schema.
    """
    import json

    from flexmb.model.schema.json_schema import model_schema
    from flexmb.model.schema.reference_page import reference
    from flexmb.output_files import drafted

    text = reference() if markdown else json.dumps(model_schema(), indent=2, ensure_ascii=False) + "\n"
    if output is None:
        print(text, end="")
        return 0
    with drafted(output, ".md" if markdown else ".json") as draft:
        draft.write_text(text, encoding="utf-8")
    print(f"{output}: {len(text) / 1e3:.0f} kB")
    return 0
