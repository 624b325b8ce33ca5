"""The packages that write the files; they are an extra."""

from __future__ import annotations

import importlib
from types import ModuleType

from tabrag.errors import missing_extra

_NAMES = {"docx": "python-docx", "pptx": "python-pptx"}


def require(module: str) -> ModuleType:
    """Import a module of one of them.

    Raises:
        UserError: It is not installed; the message names the extra.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.split(".")[0]
        if str(error.name).split(".")[0] != package:
            raise
        raise missing_extra(_NAMES.get(package, package), "synthetic-documents") from error
