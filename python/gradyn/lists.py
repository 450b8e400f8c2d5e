"""What models, methods and studies may name, and the bundled examples.

>>> import gradyn
>>> "five_bar" in gradyn.list_examples()
True
"""

from __future__ import annotations

from . import _core

__all__ = [
    "list_coordinates",
    "list_examples",
    "list_forces",
    "list_formulations",
    "list_integrators",
    "list_joints",
    "list_optimizers",
    "list_options",
    "list_sensitivities",
    "list_sensors",
    "list_shapes",
    "list_tyre_laws",
    "schema",
]


def list_coordinates() -> dict[str, str]:
    """Families of coordinates, each with what it is."""
    return dict(_core.listed("coordinates"))


def list_formulations() -> dict[str, str]:
    """Equations of motion, each with what it is and the integrators that it fits."""
    return dict(_core.listed("formulations"))


def list_integrators() -> dict[str, str]:
    """Integrators, each with what it is."""
    return dict(_core.listed("integrators"))


def list_sensitivities() -> dict[str, str]:
    """Methods of gradients, each with what it is."""
    return dict(_core.listed("sensitivities"))


def list_options() -> dict[str, str]:
    """Options of methods, each with its range and its default."""
    return dict(_core.listed("options"))


def list_joints() -> dict[str, str]:
    """Joints, each with what it is."""
    return dict(_core.listed("joints"))


def list_forces() -> dict[str, str]:
    """Forces, each with what it is."""
    return dict(_core.listed("forces"))


def list_shapes() -> dict[str, str]:
    """Shapes of bodies, each with what it is."""
    return dict(_core.listed("shapes"))


def list_tyre_laws() -> dict[str, str]:
    """Laws of tyres, each with what it is."""
    return dict(_core.listed("tyre_laws"))


def list_sensors() -> dict[str, str]:
    """Forms of sensors, each with what it measures."""
    return dict(_core.listed("sensors"))


def list_optimizers() -> dict[str, str]:
    """Optimisers, each with what it is."""
    return dict(_core.listed("optimizers"))


def list_examples() -> dict[str, str]:
    """Bundled models, each with its first sentence."""
    return dict(_core.listed("examples"))


def schema() -> str:
    """The JSON Schema of model files."""
    return _core.schema()
