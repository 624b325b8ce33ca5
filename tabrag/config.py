"""Settings: YAML files and dotted overrides into typed dataclasses, on jsonargparse.

A component owns its config dataclass; an entry point nests them in one and calls :func:`main`. An unknown
or mistyped key is an error that names the key and the file.
"""

from __future__ import annotations

import dataclasses
import json
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from tabrag.errors import UserError
from tabrag.files import json_bytes

ConfigT = TypeVar("ConfigT")

RUN_RECORD = "run.yaml"
"""Where a run keeps its ``settings`` and its ``environment``."""


def parse(
    config_class: type[ConfigT], arguments: list[str] | None = None, *, description: str = ""
) -> ConfigT:
    """Parse ``--config FILE`` and dotted overrides (``--train.lr=2e-5``) into ``config_class``.

    The file may also be the ``run.yaml`` of a run: its settings are taken.

    Args:
        config_class: A dataclass, with dataclasses nested in it.
        arguments: Command line without the program's name; ``sys.argv[1:]`` where None.
        description: First line of ``--help``.

    Raises:
        UserError: An unknown key, a value of a wrong type, a missing required key or file.
    """
    from jsonargparse import ActionConfigFile, ArgumentParser

    arguments = sys.argv[1:] if arguments is None else arguments
    parser = ArgumentParser(exit_on_error=False, description=description)
    parser.add_argument(
        "--config", action=ActionConfigFile, help="YAML file; may be given several times, the last wins"
    )
    parser.add_class_arguments(config_class)
    try:
        namespace = parser.parse_args(_unwrap(arguments))
        values = vars(parser.instantiate(namespace))
    except Exception as error:  # jsonargparse raises several kinds; each message names the key
        raise UserError(_explain(str(error), arguments)) from error
    return config_class(**{f.name: values[f.name] for f in dataclasses.fields(config_class)})  # type: ignore[arg-type]


def load(config_class: type[ConfigT], path: str | Path) -> ConfigT:
    """Read one YAML file into ``config_class``; the errors are those of :func:`parse`."""
    return parse(config_class, ["--config", str(path)])


def to_dict(config: Any) -> dict[str, Any]:
    """The config as plain, JSON-serialisable values (tuples become lists)."""
    return json.loads(json.dumps(dataclasses.asdict(config)))


def main(
    run: Callable[[ConfigT], dict[str, Any] | None], config_class: type[ConfigT], *, description: str = ""
) -> None:
    """Run an entry point: parse the command line, call ``run``, print its figures as one JSON line.

    Progress and logs go to standard error; the last line of standard output is the JSON object that ``run``
    returns. A :class:`UserError` is printed without a traceback and exits with status 2; figures that count
    something as ``failed`` or ``partial`` exit with 3 once they are printed; Ctrl-C exits with 130.
    """
    guard(lambda: run(parse(config_class, description=description)))


def guard(run: Callable[[], dict[str, Any] | None]) -> None:
    """Call ``run`` under the rules that every entry point follows (see :func:`main`)."""
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S", stream=sys.stderr
    )
    for noisy in ("httpx", "faiss", "bm25s", "accelerate.utils.other"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    try:
        figures = run()
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        sys.exit(130)
    if (
        figures is not None and os.environ.get("RANK", "0") == "0"
    ):  # of several processes the first one speaks
        print(json_bytes(figures).decode(), flush=True)
    if figures is not None and (figures.get("failed") or figures.get("partial")):
        sys.exit(3)


def _unwrap(arguments: list[str]) -> list[str]:
    """The arguments with the settings themselves in place of a file that records a run."""
    import yaml

    result = list(arguments)
    for place, argument in enumerate(arguments):
        follows = place > 0 and arguments[place - 1] == "--config"
        path = Path(argument if follows else argument.removeprefix("--config="))
        if path.name != RUN_RECORD or not (follows or argument.startswith("--config=")) or not path.is_file():
            continue
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        if isinstance(content, dict) and content.keys() == {"settings", "environment"}:
            text = json.dumps(content["settings"])
            result[place] = text if follows else f"--config={text}"
    return result


def _explain(message: str, arguments: list[str]) -> str:
    """The parser's message with the config files that were read, so that the reader knows where to look."""
    files = [
        following for flag, following in zip(arguments, arguments[1:], strict=False) if flag == "--config"
    ]
    files += [argument.split("=", 1)[1] for argument in arguments if argument.startswith("--config=")]
    where = f" (config file: {', '.join(files)})" if files else ""
    return f"{message.strip()}{where}; see --help for the keys"
