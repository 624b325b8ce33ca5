"""Whether all that should be trained is: an adapter that no gradient reaches trains nothing, silently."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor, nn

from tabrag.errors import UserError

_MAX_SHOWN = 5


class GradientCheck:
    """Watches the first backward pass of a module.

    Args:
        module: The module; what has gradients now is watched.
        starts_at_zero: Part of the names of parameters whose first gradient is zero by design, as that of
            LoRA's A is while B is zero.
    """

    def __init__(self, module: nn.Module, *, starts_at_zero: str = "") -> None:
        self._left: dict[str, str] = {}
        self._handles = []
        for name, parameter in module.named_parameters():
            if parameter.requires_grad:
                self._left[name] = "no"
                may_be_zero = bool(starts_at_zero) and starts_at_zero in name
                self._handles.append(parameter.register_hook(self._noting(name, may_be_zero)))

    def _noting(self, name: str, may_be_zero: bool) -> Callable[[Tensor], None]:
        def note(gradient: Tensor) -> None:
            if may_be_zero or bool(gradient.any()):
                self._left.pop(name, None)
            elif name in self._left:
                self._left[name] = "a zero"

        return note

    def check(self) -> None:
        """Call it after the first backward pass; further calls do nothing.

        Raises:
            UserError: A parameter got no gradient, or zeros.
        """
        if not self._handles:
            return
        for handle in self._handles:
            handle.remove()
        self._handles = []
        if self._left:
            shown = [f"{name} ({how} gradient)" for name, how in self._left.items()]
            more = f" and {len(shown) - _MAX_SHOWN} more" if len(shown) > _MAX_SHOWN else ""
            raise UserError(
                f"{len(shown)} weights should be trained, but no gradient reaches them in the first step: "
                f"{', '.join(shown[:_MAX_SHOWN])}{more}. Freeze their tower, or show what it sees"
            )
