"""Where models lie, and strictness of reading and writing them."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from tabrag.errors import UserError
from tabrag.models import tiny
from tabrag.models.config import EmbedderConfig
from tabrag.models.embedder import Embedder
from tabrag.models.io import check_tensors, load_backbone, load_tensors, resolve, save_backbone, save_tensors


@pytest.fixture()
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "bert"
    path.mkdir()
    tiny.bert(path)
    return path


def _change(folder: Path, **tensors: torch.Tensor | None) -> None:
    state = load_file(folder / "model.safetensors")
    for name, tensor in tensors.items():
        state.pop(name, None)
        if tensor is not None:
            state[name] = tensor
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})


def _change_config(folder: Path, **values: object) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | values))


@pytest.mark.parametrize("name", ["./no_such_dir", "/no/such/dir", "~/no_such_dir_at_all", "a/b/c"])
def test_missing_folder_is_named_as_a_folder(name: str) -> None:
    with pytest.raises(UserError, match="folder not found: .*" + name.strip("~.")):
        resolve(name)


def test_local_folder_needs_no_network(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)

    def refuse(*_: object) -> None:
        raise AssertionError("a local folder reached for the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    saved = folder.parent / "embedder"
    Embedder.from_config(EmbedderConfig(backbone=str(folder), projection_dim=8)).save_pretrained(saved)
    assert Embedder.from_pretrained(saved).dim == 8
    assert resolve(folder) == folder


def _hub_cache(cache: Path, repo: str, source: Path, revision: str = "main") -> Path:
    """What huggingface_hub leaves behind after a download."""
    root = cache / f"models--{repo.replace('/', '--')}"
    commit = "0123456789abcdef0123456789abcdef01234567"
    (root / "refs").mkdir(parents=True)
    (root / "refs" / revision).write_text(commit)
    (root / "snapshots").mkdir()
    source.rename(root / "snapshots" / commit)
    return root / "snapshots" / commit


@pytest.mark.parametrize("revision", [None, "v1"])
def test_cached_hub_id_loads_offline(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, revision: str | None
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    Embedder.from_config(EmbedderConfig(backbone=str(folder))).save_pretrained(tmp_path / "embedder")
    snapshot = _hub_cache(tmp_path / "cache", "someone/embedder", tmp_path / "embedder", revision or "main")
    assert resolve("someone/embedder", revision=revision) == snapshot
    assert Embedder.from_pretrained("someone/embedder", revision=revision).dim == 32
    with pytest.raises(UserError, match="'someone/embedder' at revision 'other'"):
        resolve("someone/embedder", revision="other")


def test_absent_hub_id_is_named_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(UserError, match="model 'someone/absent' is neither a local folder nor"):
        resolve("someone/absent")


@pytest.mark.parametrize(
    ("name", "tensor", "kind"),
    [
        ("encoder.layer.1.output.dense.weight", None, "missing"),
        ("encoder.layer.7.output.dense.weight", torch.ones(2), "unexpected"),
        ("encoder.layer.1.output.dense.weight", torch.ones(3, 3), "of another shape"),
    ],
)
def test_strict_load_names_the_tensor(
    folder: Path, name: str, tensor: torch.Tensor | None, kind: str
) -> None:
    load_backbone(folder)
    _change(folder, **{name: tensor})
    with pytest.raises(UserError, match=f"{kind}.*{name}"):
        load_backbone(folder)


def test_pooler_and_position_numbers_may_stay_unread(folder: Path) -> None:
    _change(
        folder,
        **{"pooler.dense.weight": torch.ones(32, 32), "embeddings.position_ids": torch.arange(512)[None]},
    )
    assert "pooler" not in " ".join(load_backbone(folder).state_dict())


def test_checkpoint_with_a_head_gives_its_base(folder: Path) -> None:
    from transformers import BertForMaskedLM

    plain = load_backbone(folder)
    model = BertForMaskedLM(plain.config)
    model.bert.load_state_dict(plain.state_dict())
    model.save_pretrained(folder)
    loaded = load_backbone(folder)
    assert type(loaded).__name__ == "BertModel"
    assert all(torch.equal(a, b) for a, b in zip(plain.parameters(), loaded.parameters(), strict=True))
    _change(folder, **{"bert.encoder.layer.0.output.dense.bias": None})
    with pytest.raises(UserError, match="missing encoder.layer.0.output.dense.bias"):
        load_backbone(folder)


@pytest.mark.parametrize(
    "values",
    [
        {"architectures": ["NewModel"]},
        {"architectures": ["RobertaModel"]},
        {"model_type": "new", "auto_map": {"AutoModel": "modeling.NewModel"}},
    ],
)
def test_unknown_architecture_is_refused(folder: Path, values: dict[str, object]) -> None:
    _change_config(folder, **values)
    with pytest.raises(UserError, match="trust_remote_code"):
        Embedder.from_config(EmbedderConfig(backbone=str(folder)))


def test_older_checkpoints_are_read_as_plain_tensors(folder: Path, tmp_path: Path) -> None:
    expected = load_backbone(folder).state_dict()
    state = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    with pytest.raises(UserError, match="no weights"):
        load_backbone(folder)
    torch.save(state, folder / "pytorch_model.bin")
    assert all(
        torch.equal(expected[name], tensor) for name, tensor in load_backbone(folder).state_dict().items()
    )

    class Evil:
        def __reduce__(self) -> tuple:
            return Path.touch, (tmp_path / "touched",)

    torch.save(state | {"evil": Evil()}, folder / "pytorch_model.bin")
    with pytest.raises(UserError, match="cannot be loaded"):
        load_backbone(folder)
    assert not (tmp_path / "touched").exists()


def test_cut_off_file_is_named(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(UserError, match=f"{folder}: the weights cannot be loaded"):
        load_backbone(folder)


def test_tied_tensors_are_stored_once_and_tied_again(tmp_path: Path) -> None:
    from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=2000,
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        tie_word_embeddings=True,
    )
    model = LlamaForCausalLM(config)
    assert {"lm_head.weight", "model.embed_tokens.weight"} <= set(model.state_dict())
    tmp_path.joinpath("out").mkdir()
    save_backbone(model, tmp_path / "out")
    assert (tmp_path / "out" / "model.safetensors").stat().st_size < 1.3 * 4 * 2000 * 32
    again = AutoModelForCausalLM.from_pretrained(tmp_path / "out")
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), again.parameters(), strict=True))
    again.model.embed_tokens.weight.data[3, 3] += 1
    assert torch.equal(again.lm_head.weight, again.model.embed_tokens.weight)


def test_empty_or_broken_tensors_are_not_written(tmp_path: Path) -> None:
    good = {"a": torch.ones(2), "b": torch.ones(3)}
    path = tmp_path / "x.safetensors"
    save_tensors(good, path)
    before = path.read_bytes()
    for bad, message in ((torch.empty(0), "empty"), (torch.tensor([1.0, float("nan")]), "NaN")):
        with pytest.raises(UserError, match=f"{message}.*b$"):
            save_tensors(good | {"b": bad}, path)
    assert path.read_bytes() == before


def test_names_and_shapes_are_those_of_the_config(folder: Path, tmp_path: Path) -> None:
    model = load_backbone(folder)
    state = dict(model.state_dict())
    state["encoder.layer.0.output.dense.bias"] = torch.ones(31)
    removed = state.pop("encoder.layer.0.output.dense.weight")
    assert removed.numel()
    with pytest.raises(UserError, match="bias.*weight"):
        save_backbone(model, tmp_path / "out", state_dict=state)
    check_tensors(model.state_dict(), like=model)


def test_load_tensors_is_strict(tmp_path: Path) -> None:
    module = torch.nn.Linear(2, 3)
    path = tmp_path / "x.safetensors"
    save_tensors({"weight": torch.ones(3, 2)}, path)
    with pytest.raises(UserError, match="bias"):
        load_tensors(path, module)
    save_tensors(dict(module.state_dict()) | {"extra": torch.ones(1)}, path)
    with pytest.raises(UserError, match="extra"):
        load_tensors(path, module)
    path.write_bytes(path.read_bytes()[:20])
    with pytest.raises(UserError, match="x.safetensors"):
        load_tensors(path, module)
