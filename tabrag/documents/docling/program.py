"""PDF files and pictures through the program ``docling`` (extra program of the user; MIT), which finds layout
and tables by models on the same machine. Its answer, a ``DoclingDocument``, is read like any other."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from functools import partial
from pathlib import Path

from PIL import Image

from tabrag.documents.docling.parse import parse_docling
from tabrag.documents.isolate import die_with
from tabrag.documents.parsed import Parsed, ParseOptions, Pictures
from tabrag.errors import UserError

_SHARE = 0.95
"""Of the time for a file after which the program is ended, so that the reason can still be told."""
_MAX_SAID = 300
_NO_MODELS = re.compile(
    r"offline|LocalEntryNotFound|artifacts|snapshot|hugging ?face|models?\b.*not found|no such file",
    re.IGNORECASE,
)
_NO_MEMORY = re.compile(
    r"MemoryError|bad_alloc|can(?:no|')t (?:allocate|start new thread)|not enough memory", re.IGNORECASE
)
_FRAME = re.compile(r"[\s\u2500-\u257f]+")


def check_program(options: ParseOptions) -> None:
    """Convert an empty page, to see that program and models are there before any file is read.

    Raises:
        UserError: The program, its folder of models or one of the models is missing, or it does not work.
    """
    if shutil.which(options.docling) is None:
        raise UserError(
            f"the program '{options.docling}' is not there: install it in an environment of its own "
            "(pip install docling) and name it by --docling=PROGRAM"
        )
    if options.docling_models and not Path(options.docling_models).is_dir():
        raise UserError(
            f"{options.docling_models}: no such folder of models; make it by  docling-tools models download"
        )
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.pdf"
        Image.new("L", (100, 100), 255).save(page, "PDF")
        try:
            _run(page, Path(folder), options)
        except UserError as error:
            raise UserError(f"docling does not work: {str(error).removeprefix(f'{page}: ')}") from error


def convert(path: Path, document_id: str, *, pictures: Pictures, options: ParseOptions) -> Parsed:
    """Have the program convert a file, and read what it wrote.

    It reads the words of scans only where ``options.ocr`` says so, and is kept from the network by the
    variables that its libraries heed (``HF_HUB_OFFLINE``) unless the user has set them otherwise.

    Args:
        path: A PDF file or a picture.
        document_id: Id of the document.
        pictures: Takes up its pictures, and those of its pages.
        options: Program, models, password, time; whether scans are read and pages kept as pictures.

    Raises:
        UserError: The program fails, ends without a document, takes too long, or found nothing.
    """
    with tempfile.TemporaryDirectory() as folder:
        written = _run(Path(path).resolve(), Path(folder), options)
        try:
            return parse_docling(written, document_id, pictures=pictures, options=options)
        except UserError as error:
            raise UserError(str(error).replace(str(written), str(path))) from error


def _run(path: Path, folder: Path, options: ParseOptions) -> Path:
    """Run the program on a file; returns the JSON file that it wrote into the folder."""
    command = [options.docling, str(path), "--to", "json", "--output", str(folder)]
    command += ["--image-export-mode", "embedded" if options.page_images else "placeholder"]
    command += ["--ocr", "--ocr-engine", options.ocr] if options.ocr != "none" else ["--no-ocr"]
    command += ["--artifacts-path", options.docling_models] if options.docling_models else []
    command += ["--pdf-password", options.password] if options.password else []
    environment = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", **os.environ}
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_SHARE * options.timeout,
            env=environment,
            preexec_fn=partial(die_with, os.getpid()),  # a worker whose time is over is killed
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UserError(
            f"{path}: docling took longer than {_SHARE * options.timeout:g} seconds; give more with --timeout"
        ) from None
    except OSError as error:
        raise UserError(f"{path}: '{options.docling}' cannot be run ({error.strerror})") from error
    written = sorted(folder.glob("*.json"))
    if done.returncode or len(written) != 1:
        raise UserError(f"{path}: {_reason(done, options)}")
    return written[0]


def _reason(done: subprocess.CompletedProcess[bytes], options: ParseOptions) -> str:
    """Why there is no document, as far as the program said."""
    output = done.stdout.decode("utf-8", "replace")
    lines = [line for text in output.splitlines() if (line := _FRAME.sub(" ", text).strip())]
    said = " ".join(lines)[-_MAX_SAID:]
    ending = (
        f"docling ended with status {done.returncode}" if done.returncode else "docling wrote no document"
    )
    if done.returncode < 0 or _NO_MEMORY.search(output):
        return f"{ending}; it may need more than {options.memory_mb} MB (--memory-mb): {said}"
    if _NO_MODELS.search(output):
        return (
            f"{ending}; are its models on disk? Fetch them by  docling-tools models download  and name their "
            f"folder by --docling-models=FOLDER: {said}"
        )
    return f"{ending}: {said}"
