"""DeepSpeed's ZeRO: gradients, the optimizer's state and (stage 3) weights split over the processes.

Rajbhandari et al., 2020, "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models", section 5.
The engine accumulates, clips and steps by itself; the weights that count are its float32 copies, which every
process holds a part of. Stage and bucket sizes come with the launch file (``configs/launch/zero3.yaml``), the
rest from :class:`tabrag.training.config.TrainConfig`.
"""

from __future__ import annotations

import importlib.util
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from tabrag import distributed
from tabrag.errors import UserError, missing_extra
from tabrag.training.config import TrainConfig

_MOMENTS = ("exp_avg", "exp_avg_sq")


def make_accelerator(mixed_precision: str) -> Any:
    """An ``Accelerator`` for DeepSpeed as the launcher announced it.

    Args:
        mixed_precision: accelerate's word: ``no``, ``bf16`` or ``fp16``.

    Raises:
        UserError: deepspeed is not installed, or the launch file asks for what is not supported.
    """
    if importlib.util.find_spec("deepspeed") is None:
        raise missing_extra("deepspeed", "deepspeed")
    import deepspeed
    from accelerate import Accelerator
    from accelerate.utils import DeepSpeedPlugin
    from transformers.integrations import unset_hf_deepspeed_config

    # On a CPU it would compile an all-reduce of its own, for minutes; gloo's serves.
    deepspeed.ops.__compatible_ops__["deepspeed_shm_comm"] = False
    plugin = DeepSpeedPlugin(zero3_init_flag=False)
    zero = plugin.deepspeed_config["zero_optimization"]
    if zero.get("stage") not in (2, 3):
        raise UserError(f"ZeRO stage {zero.get('stage')}: the launch file must ask for stage 2 or 3")
    for part in ("offload_optimizer", "offload_param"):
        if zero.get(part, {}).get("device", "none") not in ("none", None):
            raise UserError(f"the launch file sets {part}, which is not supported: set its device to none")
    warnings.filterwarnings("ignore", r"`torch\.distributed\.\w+` is deprecated", FutureWarning)
    # Neither cpu=True nor ACCELERATE_USE_CPU: both would silently turn DeepSpeed off.
    os.environ.pop("ACCELERATE_USE_CPU", None)
    accelerator = Accelerator(mixed_precision=mixed_precision, deepspeed_plugin=plugin)
    # transformers would split each model that it loads: strict loading needs it whole. prepare() splits it.
    unset_hf_deepspeed_config()
    return accelerator


def is_zero(wrapped: Any) -> bool:
    """Whether a wrapped module is a DeepSpeed engine."""
    return hasattr(wrapped, "set_gradient_accumulation_boundary")


def prepare(
    module: nn.Module, optimizer: torch.optim.Optimizer, accelerator: Any, config: TrainConfig
) -> tuple[Any, ZeroOptimizer]:
    """Hand a model and its optimizer, both whole, to DeepSpeed; every process calls this.

    Args:
        module: The model, in float32; its parameters are split in place.
        optimizer: AdamW, fresh or with the state of a run to go on from.
        accelerator: ``accelerate.Accelerator`` of :func:`make_accelerator`.
        config: Settings of the loop.

    Returns:
        The engine and a view of the optimizer with the plain interface.
    """
    settings = accelerator.state.deepspeed_plugin.deepspeed_config
    settings["train_micro_batch_size_per_gpu"] = config.batch_size
    settings["gradient_accumulation_steps"] = config.accumulate
    settings["train_batch_size"] = config.batch_size * config.accumulate * distributed.world_size()
    settings["gradient_clipping"] = config.clip
    zero = settings["zero_optimization"]
    if zero["stage"] == 3:
        # Scalars such as the temperature stay whole: they are read outside of their module's forward.
        key = "stage3_param_persistence_threshold"
        zero[key] = max(1, zero.get(key, 100_000))
    accelerator.gradient_accumulation_steps = config.accumulate

    params = [param for group in optimizer.param_groups for param in group["params"]]
    state = optimizer.state_dict()["state"]
    weights = [param.detach().to("cpu", copy=True) for param in params]
    optimizer.state.clear()
    for param in module.parameters():
        if param.ndim == 0:  # DeepSpeed fails on these
            param.data = param.data.reshape(1)
            param.was_scalar = True
        if not param.requires_grad:  # no part of the engine keeps these in float32
            param.exact = param.detach().to("cpu", copy=True)
    stored = module.state_dict().keys()
    constants = {name: value.clone() for name, value in module.named_buffers() if name not in stored}
    module.register_forward_hook(_remember_scalars)
    engine, _ = accelerator.prepare(module, optimizer)
    for name, value in module.named_buffers():
        if name in constants:  # frequencies of rotary positions, useless in bfloat16
            value.data = constants[name].to(value.device)
    view = ZeroOptimizer(engine, params)
    view.restore(weights, state)
    return engine, view


def _is_scalar(param: Tensor) -> bool:
    """Whether a parameter of the model has no dimension; the engine sees one of shape [1]."""
    return getattr(param, "was_scalar", False)


def _plain(param: Tensor, value: Tensor) -> Tensor:
    """A parameter's whole value in the model's own shape."""
    return value.reshape(()) if _is_scalar(param) else value


def backward(engine: Any, loss: Tensor) -> None:
    """Add the loss's gradient; the last micro-batch of a step also clips and moves the weights."""
    engine.backward(loss)
    if engine.is_gradient_accumulation_boundary():
        _keep_changes(engine.module)
    engine.step()


def _remember_scalars(module: nn.Module, inputs: Any, output: Any) -> None:
    """Hook after forward, before stage 3 may give the weights up."""
    for param in module.parameters():
        if _is_scalar(param) and param.requires_grad and param.numel():
            param.seen = param.detach().clone()


def _keep_changes(module: nn.Module) -> None:
    """Carry what forward did to a scalar in place (the temperature is bounded so) to its float32 copy, from
    which the step would restore it otherwise.
    """
    from deepspeed.utils import safe_get_full_fp32_param

    for param in module.parameters():
        if hasattr(param, "seen"):
            master = safe_get_full_fp32_param(param)
            if not torch.equal(master.to(param.seen.dtype), param.seen):
                _set(param, param.seen.float())


@contextmanager
def whole(wrapped: Any) -> Iterator[None]:
    """The block sees the model's own module with all of its weights on every process: in float32, frozen ones
    as they were given.

    In it processes may run different numbers of forward passes. It is for evaluation and saving: changes to
    weights are lost. A module that DeepSpeed did not wrap stays as it is. Every process calls this.
    """
    if not is_zero(wrapped):
        yield
        return
    from deepspeed.utils import safe_get_full_fp32_param

    tensors = [*wrapped.module.parameters(), *filter(torch.is_floating_point, wrapped.module.buffers())]
    full = []
    for tensor in tensors:
        if tensor.requires_grad:
            full.append(_plain(tensor, safe_get_full_fp32_param(tensor)))
        else:
            exact = getattr(tensor, "exact", None)
            value = tensor.detach().float() if exact is None else exact.to(tensor.device)
            full.append(_plain(tensor, value))
    parts = [tensor.data for tensor in tensors]
    # Stage 3's hooks gather and release weights around each layer, all processes together.
    hooks = getattr(wrapped.optimizer, "parameter_offload", None)
    if hooks is not None:
        hooks._remove_module_hooks()
        hooks.forward_hooks, hooks.backward_hooks = [], []
    for tensor, value in zip(tensors, full, strict=True):
        tensor.data = value
    try:
        yield
    finally:
        for tensor, part in zip(tensors, parts, strict=True):
            tensor.data = part
        if hooks is not None:
            hooks.setup_zero_stage3_hooks()


class ZeroOptimizer:
    """The engine's AdamW as if its state were whole.

    Args:
        engine: DeepSpeed's engine.
        params: The optimizer's parameters before DeepSpeed split them, group after group.
    """

    def __init__(self, engine: Any, params: list[nn.Parameter]) -> None:
        self._zero = engine.optimizer
        self._params = params

    @property
    def param_groups(self) -> list[dict[str, Any]]:
        """Groups with ``lr``, which takes effect with the next step."""
        return self._zero.param_groups

    def state_dict(self) -> dict[str, Any]:
        """The state of a plain AdamW on CPU, in process 0 (the others get none); every process calls this."""
        from deepspeed.utils import safe_get_full_optimizer_state

        base = self._zero.optimizer
        groups = [
            {key: value for key, value in group.items() if key != "params"} for group in base.param_groups
        ]
        state: dict[int, dict[str, Tensor]] = {}
        for index, param in enumerate(self._params):
            moments = {name: safe_get_full_optimizer_state(param, name) for name in _MOMENTS}
            if distributed.is_main():
                step = next(iter(base.state.values()))["step"]
                state[index] = {
                    "step": step,
                    **{name: _plain(param, value).cpu() for name, value in moments.items()},
                }
        return {"state": state, "param_groups": groups}

    def restore(self, weights: list[Tensor], state: dict[int, dict[str, Tensor]]) -> None:
        """Set the float32 weights and what a plain AdamW's ``state_dict`` holds for them.

        Args:
            weights: By parameter.
            state: Parameter's number -> ``step``, ``exp_avg``, ``exp_avg_sq``; empty before the first step.
        """
        for param, value in zip(self._params, weights, strict=True):
            _set(param, value)
        zero, base = self._zero, self._zero.optimizer
        step = next(iter(state.values()))["step"].cpu() if state else torch.zeros(())
        for part in (
            getattr(zero, "fp32_partitioned_groups_flat", None) or zero.single_partition_of_fp32_groups
        ):
            base.state[part] = {"step": step.clone(), **{name: torch.zeros_like(part) for name in _MOMENTS}}
        if hasattr(zero, "_lazy_init_hp_params_optimizer_state"):
            # Stage 2 would do it in the first step, but then for the first group of parameters only.
            zero._lazy_init_hp_params_optimizer_state()
        for index, values in state.items():
            for name in _MOMENTS:
                _set(self._params[index], values[name], name)


def _set(param: nn.Parameter, value: Tensor, name: str | None = None) -> None:
    """Give each process its part of a float32 weight, or of its moment ``name``."""
    from deepspeed import utils

    if not hasattr(param, "ds_id"):  # stage 2
        own = value.reshape(param.shape).to(param.device)
        if name is None:
            utils.safe_set_full_fp32_param(param, own)
        else:
            utils.safe_set_full_optimizer_state(param, own, name)
        return
    # Not the accessor for full values: it fails where the parts do not divide the whole.
    size = utils.safe_get_local_fp32_param(param).numel()
    padded = torch.zeros(size * distributed.world_size(), device=value.device)
    padded[: value.numel()] = value.flatten()
    own = padded[size * distributed.rank() : size * (distributed.rank() + 1)].to(param.device)
    if name is None:
        utils.safe_set_local_fp32_param(param, own)
    else:
        utils.safe_set_local_optimizer_state(param, own, name)
