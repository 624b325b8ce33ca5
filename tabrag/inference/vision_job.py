"""The pictures of a data set folder through a vision tower, once, for the chat models that will be shown
them."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path

from tabrag import distributed
from tabrag.chat.config import LocalChatConfig
from tabrag.chat.vision_features import (
    Features,
    VisionFeatures,
    compute_features,
    digests_of,
    folder_of,
    identity_of,
    picture_inputs,
)
from tabrag.data.folder import DataFolder
from tabrag.documents.whole import Item, WholeDocument
from tabrag.errors import UserError
from tabrag.files import remove_leftovers
from tabrag.inference.show_items import own_pictures, page_pictures

logger = logging.getLogger(__name__)

FILE_BYTES = 64 * 2**20
"""Features that are held before they are written as one file: so much is lost at most by a kill."""


def store_features(
    chat: LocalChatConfig, index: str | Path, pictures: Sequence[str], *, file_bytes: int = FILE_BYTES
) -> dict[str, int]:
    """Compute the features of pictures and keep them beside an index; those that are there are not computed.

    Every process of a group calls this alike. Features of pictures that are none of these go as far as a file
    holds no others.

    Args:
        chat: The image-text model.
        index: The index folder, which need not exist yet.
        pictures: Paths.
        file_bytes: Bytes of features a file, about.

    Returns:
        ``pictures``, ``new_pictures``, and ``failed``: those that do not open.

    Raises:
        UserError: There are no pictures, or the model's features cannot be stored.
    """
    from tabrag.chat.loading import load
    from tabrag.chat.prompt_encoder import PromptEncoder

    if not pictures:
        raise UserError(
            f"{index}: no item has a picture to compute vision features of: leave vision_features out, or "
            "make pictures with  scripts/prepare_data.py ... --render"
        )
    model, tokenizer, processor = load(chat)
    identity = identity_of(model, chat.model)
    with distributed.main_first():
        if distributed.is_main():
            remove_leftovers(folder_of(index))
        features = VisionFeatures.begin(index, identity)
    encoder = PromptEncoder(tokenizer, processor, max_length=chat.max_length, num_positions=chat.max_length)

    def work(part: Sequence[str]) -> list[tuple[bool, list[str] | None]]:
        """Of each picture whether it is new, and its digests; None where it does not open."""
        from tqdm import tqdm

        waiting: dict[str, Features] = {}
        done: list[tuple[bool, list[str] | None]] = []
        for path in tqdm(part, desc="vision", unit=" pictures", disable=not distributed.is_main()):
            try:
                inputs = encoder.encode(encoder.placeholder, [path])
            except UserError as error:
                logger.warning("%s", error)
                done.append((False, None))
                continue
            given = picture_inputs(model, inputs)
            digests = [one for row in digests_of(given) for one in row]
            is_new = not all(one in features or one in waiting for one in digests)
            if is_new:
                made = compute_features(model, given)
                # Copies: a part of a larger tensor would hold the whole of it.
                waiting |= {one: tuple(tensor.cpu().clone() for tensor in some) for one, some in made.items()}
                if sum(tensor.nbytes for some in waiting.values() for tensor in some) >= file_bytes:
                    features.add(waiting)
                    waiting = {}
            done.append((is_new, digests))
        features.add(waiting)
        return done

    done = distributed.shared(work, pictures)
    if distributed.is_main():
        kept = VisionFeatures(features.folder)
        kept.drop_files_without({one for _, digests in done for one in digests or ()})
    distributed.barrier()
    return {
        "pictures": len(pictures),
        "new_pictures": sum(is_new for is_new, _ in done),
        "failed": sum(digests is None for _, digests in done),
    }


def pictures_of(folder: DataFolder, items: Iterable[Item]) -> list[str]:
    """Paths of the pictures by which a folder's items are shown, each once, in the items' order.

    A document is shown by those of its pages, or by those in it that tell something where its pages have
    none.
    """
    found: list[str] = []
    for item in items:
        if isinstance(item, WholeDocument):
            found += map(folder.picture_path, page_pictures(item) or own_pictures(item))
        elif item.image is not None:
            found.append(str(folder.image_path(item)))
    return list(dict.fromkeys(found))
