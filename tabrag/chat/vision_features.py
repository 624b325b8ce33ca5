"""What a vision tower makes of pictures, computed once: stored beside an index, taken in place of the tower.

Features are kept under a digest of what the tower is given of a picture (pixel values, sizes). So they serve
wherever that picture is shown, alone or with others, and never for another picture or another processor. A
folder of features belongs to one vision tower with its projector, in one number format; the language model
behind them may be another one, so that a reranker whose adapters leave the tower alone shares its base's.

Shapes: T positions of a picture, D width of the language model.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import logging
import shutil
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from tabrag.errors import UserError
from tabrag.files import atomic_write, read_json, write_json
from tabrag.from_json import from_json
from tabrag.models.towers import FAMILIES, within
from tabrag.models.weights import add_weights

logger = logging.getLogger(__name__)

MANIFEST = "manifest.json"
FORMAT_VERSION = 1
Features = tuple[Tensor, ...]
"""Of one picture: what takes the place of its tokens ``Tensor[T, D]``, then what further layers of the
language model add to them (Qwen3-VL). For Idefics3 and SmolVLM one tile stands for a picture here."""
_SETTINGS = (
    "vision_feature_layer",
    "vision_feature_select_strategy",
    "image_grid_pinpoints",
    "scale_factor",
    "projector_hidden_act",
)
"""Settings beside those of the tower itself that change features without changing a weight."""
_NOT_SEEN = ("dtype", "torch_dtype", "transformers_version", "architectures", "model_type")


@dataclass(frozen=True, kw_only=True)
class TowerIdentity:
    """What made features.

    Attributes:
        kind: transformers' ``model_type`` of the image-text model.
        fingerprint: 32 hex digits of the weights of vision tower and projector, adapters on them included,
            and of their settings.
        dtype: Number format of the model.
    """

    kind: str
    fingerprint: str
    dtype: str


def identity_of(model: Any, name: str) -> TowerIdentity:
    """The vision tower of an open model; ``name`` stands for the model in messages.

    Raises:
        UserError: It reads text alone, or its kind is none of :data:`tabrag.models.towers.FAMILIES`.
    """
    config = model.config
    if config.model_type not in FAMILIES:
        raise UserError(
            f"{name}: vision features of a model of the kind {config.model_type} cannot be stored; "
            f"there are {', '.join(FAMILIES)}"
        )
    towers = FAMILIES[config.model_type]
    parts = (*towers.vision, *towers.projector)
    settings = {key: value for key, value in config.to_dict().items() if key in _SETTINGS}
    tower = {
        key: value
        for key, value in config.vision_config.to_dict().items()
        if not key.startswith("_") and key not in _NOT_SEEN
    }
    scales = {
        key: sorted(module.scaling.items())  # of adapters: strength over rank, which no weight tells
        for key, module in model.named_modules()
        if within(key, parts) and hasattr(module, "lora_A")
    }
    digest = hashlib.sha256(repr([sorted(some.items()) for some in (settings, tower, scales)]).encode())
    add_weights(digest, {key: tensor for key, tensor in model.state_dict().items() if within(key, parts)})
    return TowerIdentity(
        kind=config.model_type,
        fingerprint=digest.hexdigest()[:32],
        dtype=str(model.dtype).removeprefix("torch."),
    )


class VisionFeatures:
    """A folder of features: safetensors files of some pictures each, and a manifest that says what made them.

    Of the features only the digests are held in memory.

    Args:
        folder: The folder.

    Raises:
        UserError: A file is broken.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._places: dict[str, tuple[Path, int]] = {}
        """Of each digest the file, and how many tensors it has there."""
        for path in sorted(folder.glob("*.safetensors")):
            self._note(path)

    @classmethod
    def open(cls, index: str | Path, identity: TowerIdentity) -> VisionFeatures:
        """The features beside an index.

        Raises:
            UserError: There are none, they are broken, or another model or number format made them.
        """
        folder = folder_of(index)
        path = folder / MANIFEST
        if not path.is_file():
            raise UserError(
                f"{index}: no vision features beside it ({path} is missing): make them with  infer/index.py "
                "... --vision_features=CHECKPOINT"
            )
        found = _read(path)
        if (found.kind, found.dtype) == (identity.kind, identity.dtype) and found != identity:
            raise UserError(
                f"{folder}: made by another vision tower or projector (fingerprint {found.fingerprint}, this "
                f"model has {identity.fingerprint}): name the model that made them, or make them again"
            )
        if found != identity:
            raise UserError(
                f"{folder}: made by a model of the kind {found.kind} in {found.dtype}, this one is "
                f"{identity.kind} in {identity.dtype}: set the same dtype, or make them again"
            )
        return cls(folder)

    @classmethod
    def begin(cls, index: str | Path, identity: TowerIdentity) -> VisionFeatures:
        """Those features beside an index that this model made; others there are removed.

        Raises:
            UserError: The folder holds other things, or features of another format version.
        """
        folder = folder_of(index)
        path = folder / MANIFEST
        if folder.exists() and not (path.is_file() and _read(path) == identity):
            if not path.is_file() and any(folder.iterdir()):
                raise UserError(f"{folder} exists and holds no vision features: name another index")
            logger.info("%s: made by another model or in another number format, starting anew", folder)
            shutil.rmtree(folder)
        if not path.is_file():
            write_json(path, {"format_version": FORMAT_VERSION, **asdict(identity)})
        return cls(folder)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, digest: str) -> bool:
        return digest in self._places

    def __getitem__(self, digest: str) -> Features:
        """Features by digest, on the CPU, in the number format they were computed in.

        Raises:
            KeyError: There are none.
            UserError: The file is broken or has gone.
        """
        from safetensors import SafetensorError, safe_open

        path, count = self._places[digest]
        try:
            with safe_open(path, framework="pt") as file:
                return tuple(file.get_tensor(f"{digest}.{number}") for number in range(count))
        except (SafetensorError, OSError) as error:
            raise _broken(path, error) from error

    def add(self, features: Mapping[str, Features]) -> None:
        """Keep features by digest, in one more file, which is whole or absent.

        Raises:
            UserError: NaN or infinity among them.
        """
        from safetensors.torch import save

        from tabrag.models.io import check_tensors

        tensors = {
            f"{digest}.{number}": tensor.detach().cpu().contiguous()
            for digest, some in features.items()
            for number, tensor in enumerate(some)
        }
        if not tensors:
            return
        check_tensors(tensors)
        name = hashlib.sha256(" ".join(sorted(features)).encode()).hexdigest()[:32]
        path = self.folder / f"{name}.safetensors"  # by content: processes that write at once do not collide
        with atomic_write(path, binary=True) as file:
            file.write(save(tensors))
        self._places.update({digest: (path, len(some)) for digest, some in features.items()})

    def drop_files_without(self, digests: Collection[str]) -> None:
        """Remove the files that hold none of these pictures."""
        used = {self._places[digest][0] for digest in digests if digest in self._places}
        for path in {path for path, _ in self._places.values()} - used:
            path.unlink(missing_ok=True)
        self._places = {digest: place for digest, place in self._places.items() if place[0] in used}

    def _note(self, path: Path) -> None:
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path, framework="pt") as file:
                counts = Counter(name.split(".")[0] for name in file.keys())  # noqa: SIM118
        except (SafetensorError, OSError) as error:
            raise _broken(path, error) from error
        self._places.update({digest: (path, count) for digest, count in counts.items()})


def folder_of(index: str | Path) -> Path:
    """Where the features of an index lie: beside it, since an index folder is replaced as a whole."""
    index = Path(index).absolute()
    return index.with_name(f"{index.name}.vision_features")


def _read(path: Path) -> TowerIdentity:
    values = read_json(path)
    version = values.pop("format_version", None) if isinstance(values, dict) else None
    if version != FORMAT_VERSION:
        raise UserError(
            f"{path}: format version {version}, this tabrag reads {FORMAT_VERSION}: remove the folder and "
            "make the features again"
        )
    return from_json(TowerIdentity, values, where=path)


def _broken(path: Path, error: Exception) -> UserError:
    return UserError(f"{path}: cannot be read ({error}): remove it and make the features again")


def take(model: Any, index: str | Path, *, name: str) -> VisionFeatures:
    """Let an open model take the features beside an index in place of running its vision tower.

    A picture that is not among them is computed as ever, with all that stand in the same prompt; the first
    time a warning says so.

    Args:
        model: An image-text model of transformers, as :func:`tabrag.chat.loading.load` gives it; it is
            changed in place.
        index: The index folder.
        name: What stands for the model in messages.

    Raises:
        UserError: See :func:`identity_of` and :meth:`VisionFeatures.open`.
    """
    features = VisionFeatures.open(index, identity_of(model, name))
    compute = model.model.get_image_features
    signature = inspect.signature(compute)
    is_told = False

    @functools.wraps(compute)
    def get_image_features(*args: Any, **kwargs: Any) -> Any:
        nonlocal is_told
        given = signature.bind(*args, **kwargs).arguments
        rows = digests_of(given)
        if rows and all(row and all(digest in features for digest in row) for row in rows):
            return _output([[features[digest] for digest in row] for row in rows], given)
        if not is_told:
            logger.warning("%s: a picture is not among them, the vision tower runs", features.folder)
            is_told = True
        return compute(*args, **kwargs)

    model.model.get_image_features = get_image_features
    return features


def compute_features(model: Any, given: Mapping[str, Any]) -> dict[str, Features]:
    """Run the vision tower over the pictures of one prompt.

    Args:
        model: See :func:`take`.
        given: What the tower is given (:func:`picture_inputs`).

    Returns:
        Features by digest, on the model's device.
    """
    with torch.inference_mode():
        output = model.model.get_image_features(**given, return_dict=True)
    layers = [output.pooler_output, *(getattr(output, "deepstack_features", None) or ())]
    features: dict[str, Features] = {}
    for number, row in enumerate(digests_of(given)):
        # The tiles of a prompt have as many positions each.
        parts = [layer[number].chunk(len(row)) for layer in layers]
        features |= {digest: tuple(part[place] for part in parts) for place, digest in enumerate(row)}
    return features


def picture_inputs(model: Any, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Those tensors of a prompt that the vision tower is given, on the model's device."""
    accepts = inspect.signature(model.model.get_image_features).parameters
    return {key: tensor.to(model.device) for key, tensor in inputs.items() if key in accepts}


def digests_of(given: Mapping[str, Any]) -> list[list[str]]:
    """Digests of the pictures of one call of the tower: one list for each output that the call gives.

    An output is a picture's, or of Idefics3 and SmolVLM a prompt's with all its tiles.

    Args:
        given: ``pixel_values`` with ``image_sizes``, ``image_grid_thw`` or ``pixel_attention_mask``, as the
            model's kind has them.
    """
    pixels: Tensor = given["pixel_values"]
    sizes, grid, mask = (given.get(key) for key in ("image_sizes", "image_grid_thw", "pixel_attention_mask"))
    if grid is not None:  # Qwen-VL: the patches of all pictures behind each other
        parts = pixels.split(grid.prod(-1).tolist())
        return [[_digest(part, shape)] for part, shape in zip(parts, grid, strict=True)]
    if pixels.ndim == 5 and sizes is None:  # Idefics3 and SmolVLM: the model drops empty tiles, too
        return [
            [
                _digest(tile, None if mask is None else mask[row, place])
                for place, tile in enumerate(tiles)
                if tile.any()
            ]
            for row, tiles in enumerate(pixels)
        ]
    return [
        [_digest(_filled(picture), None if sizes is None else sizes[row])]
        for row, picture in enumerate(pixels)
    ]


def _filled(picture: Tensor) -> Tensor:
    """A picture without the empty tiles that bring it to the number of the one with the most (LLaVA-NeXT)."""
    if picture.ndim < 4:
        return picture
    filled = picture.flatten(1).any(dim=1).nonzero()
    return picture[: int(filled.max()) + 1] if len(filled) else picture


def _digest(*tensors: Tensor | None) -> str:
    """32 hex digits of shapes and values."""
    digest = hashlib.sha256()
    for tensor in tensors:
        if tensor is not None:
            values = (tensor.float() if tensor.is_floating_point() else tensor).cpu().contiguous()
            digest.update(f"{tuple(values.shape)} {values.dtype}".encode())
            digest.update(values.numpy().data)
    return digest.hexdigest()[:32]


def _output(rows: Sequence[Sequence[Features]], given: Mapping[str, Any]) -> Any:
    """Features as ``get_image_features`` gives them."""
    from transformers.modeling_outputs import BaseModelOutputWithPooling

    device = given["pixel_values"].device
    layers = [
        [torch.cat([picture[layer] for picture in row]).to(device) for row in rows]
        for layer in range(len(rows[0][0]))
    ]
    output = BaseModelOutputWithPooling(pooler_output=layers[0])
    if layers[1:]:
        output.deepstack_features = layers[1:]
    return output
