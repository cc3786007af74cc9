"""The parameters of kernels by name, those of their parts too, as searches over grids need them.

A field has its own name, one of a kernel inside another that of both: `gamma`, `kernel__gamma`,
and of the parts of a sum or a product `parts__0__gamma`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from maxmargin.kernels.kernel import Kernel


def kernel_parameters(kernel: Kernel) -> dict[str, Any]:
    """Return the parameters of a kernel and of its parts, by name.

    Parameters
    ----------
    kernel : Kernel
        A kernel; one that is no dataclass has none.

    Examples
    --------
    >>> from maxmargin.kernels import RBF, Linear
    >>> sorted(kernel_parameters(2 * RBF(0.5) + Linear()))[:4]
    ['parts', 'parts__0', 'parts__0__factor', 'parts__0__kernel']
    """
    found: dict[str, Any] = {}
    for name, value in _own(kernel).items():
        found[name] = value
        named = {name: value} if isinstance(value, Kernel) else {}
        if _are_kernels(value):
            named = {f"{name}__{k}": part for k, part in enumerate(value)}
            found.update(named)
        for prefix, part in named.items():
            found.update({f"{prefix}__{key}": v for key, v in kernel_parameters(part).items()})
    return found


def with_parameters(kernel: Kernel, changes: Mapping[str, Any]) -> Kernel:
    """Return a kernel with some of its parameters changed.

    Parameters
    ----------
    kernel : Kernel
        A kernel.
    changes : mapping of str to object
        New values by name, as `kernel_parameters` names them.

    Examples
    --------
    >>> from maxmargin.kernels import RBF, Linear
    >>> with_parameters(2 * RBF(0.5) + Linear(), {"parts__0__kernel__gamma": 3.0})
    2 * RBF(gamma=3.0) + Linear()
    """
    own = _own(kernel)
    direct: dict[str, Any] = {}
    nested: dict[str, dict[str, Any]] = {}
    for name, value in changes.items():
        first, _, rest = name.partition("__")
        if first not in own:
            known = ", ".join(sorted(kernel_parameters(kernel))) or "none"
            raise ValueError(f"{name} is no parameter of {kernel!r}; it has: {known}.")
        if rest:
            nested.setdefault(first, {})[rest] = value
        else:
            direct[first] = value
    for first, inner in nested.items():
        direct[first] = _changed(kernel, first, direct.get(first, own[first]), inner)
    return replace(kernel, **direct) if direct else kernel  # type: ignore[type-var]


def _changed(kernel: Kernel, name: str, value: Any, changes: Mapping[str, Any]) -> Any:
    """Return a part of a kernel, or its parts, with changes inside."""
    if isinstance(value, Kernel):
        return with_parameters(value, changes)
    if not _are_kernels(value):
        raise ValueError(f"{name} of {kernel!r} is {value!r}, which has no parameters of its own.")
    parts = list(value)
    for key, new in changes.items():
        place, _, rest = key.partition("__")
        if not place.isdecimal() or int(place) >= len(parts):
            raise ValueError(
                f"{name}__{key} is no parameter of {kernel!r}, whose {name} are counted from 0 to "
                f"{len(parts) - 1}."
            )
        k = int(place)
        parts[k] = with_parameters(parts[k], {rest: new}) if rest else new
    return tuple(parts)


def _own(kernel: Kernel) -> dict[str, Any]:
    if not is_dataclass(kernel):
        return {}
    return {field.name: getattr(kernel, field.name) for field in fields(kernel)}


def _are_kernels(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(part, Kernel) for part in value)
