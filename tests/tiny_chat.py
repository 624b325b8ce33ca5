"""Tiny random chat models, text and image-text, with the tokenizers and templates of the real families."""

from __future__ import annotations

from pathlib import Path

import torch

WORDS = "the table holds rows and columns of numbers for each year and region with a total Yes Yesterday No"
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
LLAMA_TEMPLATE = "{{ bos_token }}{% for m in messages %}[INST] {{ m['content'] }} [/INST]{% endfor %}"
PICTURE_TEMPLATE = (
    "{% for m in messages %}<s>{% for part in m['content'] %}"
    "{% if part['type'] == 'image' %}<image>{% else %}{{ part['text'] }}{% endif %}{% endfor %}</s>"
    "{% endfor %}"
)


def byte_tokenizer(*, special: list[str], **options: str | None):
    """A GPT-2 / Qwen type: byte-level BPE, no BOS set by itself."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    tokenizer.train_from_iterator([WORDS, "True", "False", "Yes"] * 5, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **options)


def llama_tokenizer():
    """A SentencePiece type: word-boundary mark, BOS set by the tokenizer."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=True)
    tokenizer.decoder = decoders.Metaspace()
    alphabet = [chr(i) for i in range(33, 127)]
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=["<unk>", "<s>", "</s>"], initial_alphabet=alphabet
    )
    tokenizer.train_from_iterator([WORDS, "True", "False"] * 5, trainer)
    bos = tokenizer.token_to_id("<s>")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A $B", special_tokens=[("<s>", bos)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>"
    )


def save(folder: Path, kind: str, *, template: str | None = None, positions: int = 256) -> Path:
    from transformers import (
        GPT2Config,
        GPT2LMHeadModel,
        LlamaConfig,
        LlamaForCausalLM,
        Qwen2Config,
        Qwen2ForCausalLM,
    )

    torch.manual_seed(0)
    if kind == "llama":
        tokenizer = llama_tokenizer()
    elif kind == "gpt2":
        tokenizer = byte_tokenizer(
            special=["<|endoftext|>"], bos_token="<|endoftext|>", eos_token="<|endoftext|>"
        )
    else:
        special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
        tokenizer = byte_tokenizer(special=special, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    tokenizer.chat_template = template
    size = {"vocab_size": len(tokenizer), "bos_token_id": None, "eos_token_id": tokenizer.eos_token_id}
    layers = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
    layers |= {"num_key_value_heads": 2, "max_position_embeddings": positions}
    if kind == "llama":
        model = LlamaForCausalLM(LlamaConfig(**size, **layers))
    elif kind == "gpt2":
        model = GPT2LMHeadModel(GPT2Config(**size, n_embd=32, n_layer=2, n_head=4, n_positions=positions))
    else:
        model = Qwen2ForCausalLM(Qwen2Config(**size, **layers))
    for parameter in model.parameters():  # far from uniform, so that differences show
        parameter.data.mul_(6) if parameter.ndim > 1 else None
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def save_llava(folder: Path) -> Path:
    """A tiny random LLaVA: 28 x 28 pixels are 4 image tokens."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import (
        CLIPVisionConfig,
        LlamaConfig,
        LlavaConfig,
        LlavaForConditionalGeneration,
        LlavaProcessor,
        PreTrainedTokenizerFast,
    )
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    special = ["<s>", "</s>", "<pad>", "<image>"]
    raw.train_from_iterator(
        ["True", "False"] * 5,
        trainers.BpeTrainer(vocab_size=300, special_tokens=special, initial_alphabet=alphabet),
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=raw,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        extra_special_tokens={"image_token": "<image>"},
    )
    processor = LlavaProcessor(
        image_processor=CLIPImageProcessorPil(
            size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28}
        ),
        tokenizer=tokenizer,
        patch_size=14,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=PICTURE_TEMPLATE,
    )
    torch.manual_seed(0)
    layers = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
    model = LlavaForConditionalGeneration(
        LlavaConfig(
            vision_config=CLIPVisionConfig(image_size=28, patch_size=14, **layers),
            text_config=LlamaConfig(
                vocab_size=len(tokenizer), num_key_value_heads=4, eos_token_id=1, **layers
            ),
            image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
            vision_feature_layer=-1,
        )
    )
    for parameter in model.parameters():
        if parameter.ndim > 1:
            parameter.data.mul_(5)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder
