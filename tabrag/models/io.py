"""Where a model lies, and how its tensors are read and written: strictly, so that nothing is lost without a
word.

Every model that tabrag reads goes through :func:`resolve` and :func:`load_backbone`, every one that it writes
through :func:`save_backbone` or :func:`save_tensors`. A missing or unexpected tensor, one of shape ``[0]`` or
one with NaN is an error that names it.
"""

from __future__ import annotations

import copy
import inspect
import logging
import os
import pickle
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from tabrag.errors import UserError

if TYPE_CHECKING:
    from transformers import PretrainedConfig, PreTrainedModel

logger = logging.getLogger(__name__)

UNUSED = (r"(^|\.)pooler\.", r"(^|\.)position_ids$")
"""Tensors of a base checkpoint that an embedder never uses: BERT's pooler and stored position numbers."""

PICTURE_PARTS = (
    r"^patch_embed\.",
    r"^pos_embed$",
    r"^cls_token$",
    r"^norm\.",
    r"^LayerNorm\.",
    r"^visual_bbox$",
)
"""Tensors of a LayoutLMv3 that only a picture reaches."""

_OTHER_FORMATS = ["*.bin", "*.h5", "*.msgpack", "*.onnx", "*.ot", "*.gguf", "*.pt", "*.pth"]
"""What a hub repository may hold beside safetensors; none of it is fetched where there are safetensors."""

_TRUST = "if the model brings its own code and you trust it, set trust_remote_code: true"


def resolve(name: str | Path, *, revision: str | None = None) -> Path:
    """The local folder of a model.

    Args:
        name: ``offline:NAME`` (see :mod:`tabrag.models.offline`), a folder, or a hub id ``owner/name``.
        revision: Branch, tag or commit of a hub id.

    Raises:
        UserError: The folder does not exist, or the hub's files are neither cached nor reachable.
    """
    text = str(name)
    if text.startswith("offline:"):
        from tabrag.models.offline import materialize

        return materialize(text.removeprefix("offline:"))
    path = Path(text).expanduser()
    if path.is_dir():
        return path
    if (
        isinstance(name, Path)
        or text.startswith((".", "/", "~", os.sep))
        or path.exists()
        or not _is_hub_id(text)
    ):
        raise UserError(f"folder not found: {text} (expected a folder with a model in it)")
    return _snapshot(text, revision)


def _is_hub_id(name: str) -> bool:
    return re.fullmatch(r"[\w.-]+(/[\w.-]+)?", name) is not None


def _snapshot(repo: str, revision: str | None) -> Path:
    """Find or download a hub repository; huggingface_hub honours its cache and HF_HUB_OFFLINE."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import (
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
        OfflineModeIsEnabled,
    )

    where = f"model '{repo}'" + (f" at revision '{revision}'" if revision else "")
    try:
        folder = Path(snapshot_download(repo, revision=revision, ignore_patterns=_OTHER_FORMATS))
        if not any(folder.rglob("model*.safetensors")):  # an older repository
            snapshot_download(repo, revision=revision, allow_patterns=["*.bin", "*.bin.index.json"])
        return folder
    except (LocalEntryNotFoundError, OfflineModeIsEnabled) as error:
        raise UserError(
            f"{where} is neither a local folder nor complete in the Hugging Face cache, and the hub cannot "
            "be reached (HF_HUB_OFFLINE, or no network): download it on a machine with network, or "
            "name a folder or 'offline:minilm'"
        ) from error
    except (HfHubHTTPError, HFValidationError, OSError) as error:
        raise UserError(f"{where} cannot be fetched from the hub: {str(error).splitlines()[0]}") from error


def load_config(folder: Path, *, trust_remote_code: bool = False) -> PretrainedConfig:
    """Read a model's ``config.json``.

    Raises:
        UserError: It is missing or broken, or it needs code of its own and ``trust_remote_code`` is off.
    """
    from transformers import AutoConfig

    if not (folder / "config.json").is_file():
        if (folder / "adapter_config.json").is_file():
            raise UserError(
                f"{folder}: adapters without their base model: merge them into it, and name the folder of the"
                " merged model"
            )
        raise UserError(f"{folder}: no config.json, so this is not a Hugging Face model folder")
    try:
        return AutoConfig.from_pretrained(folder, trust_remote_code=trust_remote_code, local_files_only=True)
    except (ValueError, KeyError, OSError) as error:
        raise UserError(
            f"{folder}: config.json names nothing that transformers knows ({str(error).splitlines()[0]}); "
            f"{_TRUST}"
        ) from error


def load_backbone(
    folder: Path,
    *,
    config: PretrainedConfig | None = None,
    trust_remote_code: bool = False,
    unused: Collection[str] = (),
) -> PreTrainedModel:
    """Load a base model in float32 from a local folder, strictly and without the network.

    Args:
        folder: A Hugging Face model folder; safetensors, or else ``pytorch_model.bin`` read as plain tensors.
        config: A changed config, or the sub-config of one tower of a two-tower model; the folder's own where
            None.
        trust_remote_code: Run the code that the folder brings.
        unused: Regular expressions of further tensor names that may stay unread (see :data:`UNUSED`).

    Raises:
        UserError: Missing, unexpected or misshapen tensors, an architecture other than the one in the config,
            no weights.
    """
    from safetensors import SafetensorError

    config = config or load_config(folder, trust_remote_code=trust_remote_code)
    model_class = _model_class(folder, config, trust_remote_code)
    if not any(folder.glob("model*.safetensors")) and not any(folder.glob("pytorch_model*.bin")):
        raise UserError(f"{folder}: no weights in it (neither model*.safetensors nor pytorch_model.bin)")
    options: dict[str, Any] = {"local_files_only": True, "weights_only": True, "dtype": torch.float32}
    options["ignore_mismatched_sizes"] = True  # so that they are listed; they are refused below
    if "add_pooling_layer" in inspect.signature(model_class.__init__).parameters:
        options["add_pooling_layer"] = False
    try:
        with quiet():
            model, info = model_class.from_pretrained(
                folder,
                config=config,
                output_loading_info=True,
                trust_remote_code=trust_remote_code,
                **options,
            )
    except (RuntimeError, OSError, ValueError, pickle.UnpicklingError, SafetensorError) as error:
        raise UserError(f"{folder}: the weights cannot be loaded: {error}") from error
    head = _head_of(config, model_class)
    allowed = [re.compile(pattern) for pattern in (*UNUSED, *unused)]
    prefix = f"{model_class.base_model_prefix}."
    unexpected = [
        key
        for key in info["unexpected_keys"]
        if not any(pattern.search(key) for pattern in allowed) and not (head and not key.startswith(prefix))
    ]
    missing = [key for key in info["missing_keys"] if not any(pattern.search(key) for pattern in allowed)]
    faults = [
        f"{kind} {_some(keys)}" for kind, keys in (("missing", missing), ("unexpected", unexpected)) if keys
    ]
    if info["mismatched_keys"]:
        faults.append(f"of another shape {_some([str(key) for key in info['mismatched_keys']])}")
    if faults:
        raise UserError(f"{folder}: the tensors do not fit {model_class.__name__}: {'; '.join(faults)}")
    if head:
        logger.info("%s: %s holds a %s; its head is left out", folder, model_class.__name__, head)
    return model


@contextmanager
def quiet() -> Iterator[None]:
    """Keep transformers' progress bars and its report of left-out tensors silent: we check these."""
    from transformers.utils import logging as messages

    level, bars = messages.get_verbosity(), messages.is_progress_bar_enabled()
    messages.set_verbosity_error()
    messages.disable_progress_bar()
    try:
        yield
    finally:
        messages.set_verbosity(level)
        if bars:
            messages.enable_progress_bar()


def _model_class(folder: Path, config: PretrainedConfig, trust_remote_code: bool) -> Any:
    """The class that ``config`` belongs to; an architecture that is not that class is refused."""
    from transformers import MODEL_MAPPING, AutoModel

    if trust_remote_code and getattr(config, "auto_map", None):
        return AutoModel
    if type(config) not in MODEL_MAPPING:
        raise UserError(f"{folder}: transformers has no base model for {type(config).__name__}")
    model_class = MODEL_MAPPING[type(config)]
    model_class = model_class[0] if isinstance(model_class, tuple) else model_class
    for name in config.architectures or ():
        if name != model_class.__name__ and not _same_family(name, model_class):
            raise UserError(
                f"{folder}: config.json names the architecture '{name}', but transformers would build "
                f"'{model_class.__name__}'; {_TRUST}"
            )
    return model_class


def _same_family(name: str, model_class: Any) -> bool:
    """Whether ``name`` is ``model_class`` with a head on top (``BertForMaskedLM`` for ``BertModel``)."""
    import transformers

    other = getattr(transformers, name, None)
    return other is not None and getattr(other, "config_class", None) is model_class.config_class


def _head_of(config: PretrainedConfig, model_class: Any) -> str | None:
    """The name of the architecture with a head whose checkpoint this is; None for a plain base model."""
    names = [name for name in config.architectures or () if name != getattr(model_class, "__name__", "")]
    return names[0] if names and getattr(model_class, "base_model_prefix", "") else None


def _some(keys: list[str], limit: int = 8) -> str:
    more = f" and {len(keys) - limit} more" if len(keys) > limit else ""
    return ", ".join(sorted(keys)[:limit]) + more


def check_tensors(tensors: Mapping[str, Tensor], *, like: nn.Module | None = None) -> None:
    """Refuse tensors that must not be written.

    Args:
        tensors: Name to tensor.
        like: A module (it may lie on the meta device) with the names and shapes that ``tensors`` must have.

    Raises:
        UserError: An empty tensor (a partitioned parameter that was not gathered), NaN, or names or shapes
            other than those of ``like``.
    """
    empty = [name for name, tensor in tensors.items() if tensor.numel() == 0]
    if empty:
        raise UserError(f"refusing to save: empty tensors (partitioned and not gathered?): {_some(empty)}")
    broken = [
        name for name, tensor in tensors.items() if tensor.is_floating_point() and not tensor.isfinite().all()
    ]
    if broken:
        raise UserError(f"refusing to save: NaN or infinity in {_some(broken)}")
    if like is not None:
        shapes = {name: tuple(tensor.shape) for name, tensor in like.state_dict().items()}
        wrong = [
            f"{name} {tuple(t.shape)}" for name, t in tensors.items() if shapes.get(name) != tuple(t.shape)
        ]
        wrong += [f"{name} (absent)" for name in shapes if name not in tensors]
        if wrong:
            raise UserError(
                f"refusing to save: tensors that do not fit {type(like).__name__}: {_some(wrong)}"
            )


def save_backbone(
    model: PreTrainedModel, folder: Path, *, state_dict: Mapping[str, Tensor] | None = None
) -> None:
    """Write config and safetensors of a base model into ``folder`` (a temporary one: see ``atomic_folder``).

    Tied tensors are stored once. ``state_dict`` takes the place of the model's own tensors where these are
    partitioned.

    Raises:
        UserError: See :func:`check_tensors`.
    """
    tensors = dict(model.state_dict() if state_dict is None else state_dict)
    check_tensors(tensors, like=_skeleton(model))
    write_model(model, folder, state_dict=tensors)


def write_model(model: PreTrainedModel, folder: Path, **options: Any) -> None:
    """``model.save_pretrained``, also in a process that is not the first of its group.

    transformers writes nothing there, without a word: a cache that such a process fills would stay without
    weights.
    """
    model.should_save_on_this_rank = lambda is_main_process: is_main_process  # type: ignore[method-assign]
    try:
        with quiet():
            model.save_pretrained(folder, **options)
    finally:
        del model.should_save_on_this_rank


def _skeleton(model: PreTrainedModel) -> nn.Module:
    """The same architecture without memory: the shapes that the config asks for."""
    options = (
        {"add_pooling_layer": False}
        if "add_pooling_layer" in inspect.signature(type(model)).parameters
        else {}
    )
    with torch.device("meta"):
        return type(model)(copy.deepcopy(model.config), **options)


def save_tensors(tensors: Mapping[str, Tensor], path: Path) -> None:
    """Write ``tensors`` into one safetensors file.

    Raises:
        UserError: See :func:`check_tensors`.
    """
    from safetensors.torch import save_file

    check_tensors(tensors)
    save_file({name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}, path)


def load_tensors(path: Path, module: nn.Module) -> None:
    """Read one safetensors file into ``module``, strictly.

    Raises:
        UserError: The file is missing or broken, or its names or shapes are not those of ``module``.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    if not path.is_file():
        raise UserError(f"{path}: file not found")
    try:
        module.load_state_dict(load_file(path), strict=True)
    except (RuntimeError, SafetensorError) as error:
        raise UserError(f"{path}: {error}") from error
