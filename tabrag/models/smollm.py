"""SmolLM2-135M-Instruct out of a GGUF file: its settings, its tokenizer and its weights, read once.

transformers reads such a file too, but several times over, and takes three times as long.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from tabrag.errors import missing_extra
from tabrag.models.io import write_model

if TYPE_CHECKING:
    import numpy as np

_CONTROL = 3
"""The type of a token that no text holds."""
_NAMES = {
    "token_embd": "embed_tokens",
    "output_norm": "norm",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


def build(folder: Path, *, file: Path) -> None:
    """Write model and tokenizer; the weights unpacked from 4 bits to bfloat16.

    That keeps far more digits than they had, at half the size of float32.

    Args:
        folder: Where to.
        file: The GGUF file.

    Raises:
        UserError: The package gguf is absent.
    """
    try:
        from gguf import GGUFReader
    except ImportError as error:
        raise missing_extra("gguf", "offline") from error
    from transformers import LlamaConfig, LlamaForCausalLM

    reader = GGUFReader(file)
    settings = {name: field.contents() for name, field in reader.fields.items()}
    config = LlamaConfig(
        vocab_size=settings["llama.vocab_size"],
        hidden_size=settings["llama.embedding_length"],
        intermediate_size=settings["llama.feed_forward_length"],
        num_hidden_layers=settings["llama.block_count"],
        num_attention_heads=settings["llama.attention.head_count"],
        num_key_value_heads=settings["llama.attention.head_count_kv"],
        max_position_embeddings=settings["llama.context_length"],
        rms_norm_eps=settings["llama.attention.layer_norm_rms_epsilon"],
        rope_parameters={"rope_type": "default", "rope_theta": settings["llama.rope.freq_base"]},
        bos_token_id=settings["tokenizer.ggml.bos_token_id"],
        eos_token_id=settings["tokenizer.ggml.eos_token_id"],
        pad_token_id=settings["tokenizer.ggml.padding_token_id"],
        tie_word_embeddings=True,
        dtype=torch.bfloat16,
    )
    with torch.device("meta"):
        model = LlamaForCausalLM(config)
    model.model.load_state_dict(_weights(reader.tensors, config), strict=True, assign=True)
    model.tie_weights()
    write_model(model, folder)
    _tokenizer(settings).save_pretrained(folder)


def _weights(tensors: list[Any], config: Any) -> dict[str, Tensor]:
    """The tensors of the file under the names that transformers gives them."""
    from gguf import dequantize

    heads = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}
    state = {}
    for tensor in tensors:
        *place, kind, _ = tensor.name.split(".")  # blk.7.attn_q.weight
        values = dequantize(tensor.data, tensor.tensor_type)
        if kind in heads:
            values = _halves(values, heads[kind])
        layer = f"layers.{place[1]}." if place else ""
        state[f"{layer}{_NAMES[kind]}.weight"] = torch.from_numpy(values.copy()).to(torch.bfloat16)
    return state


def _halves(weight_HI: np.ndarray, num_heads: int) -> np.ndarray:
    """The rows of each head as transformers turns them, first halves behind second ones, not in pairs."""
    pairs = weight_HI.reshape(num_heads, -1, 2, weight_HI.shape[1])
    return pairs.swapaxes(1, 2).reshape(weight_HI.shape)


def _tokenizer(settings: dict[str, Any]) -> Any:
    """The byte-level BPE of the file."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words, types = settings["tokenizer.ggml.tokens"], settings["tokenizer.ggml.token_type"]
    merges = [tuple(merge.split(" ")) for merge in settings["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE({word: number for number, word in enumerate(words)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    control = [word for word, kind in zip(words, types, strict=True) if kind == _CONTROL]
    tokenizer.add_special_tokens([AddedToken(word, normalized=False, special=True) for word in control])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=words[settings["tokenizer.ggml.bos_token_id"]],
        eos_token=words[settings["tokenizer.ggml.eos_token_id"]],
        unk_token=words[settings["tokenizer.ggml.unknown_token_id"]],
        pad_token=words[settings["tokenizer.ggml.padding_token_id"]],
        chat_template=settings["tokenizer.chat_template"],
    )
