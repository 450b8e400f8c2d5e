"""Static equilibria."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["Equilibrium"]


class Equilibrium:
    """Where forces balance: coordinates, and what is read there.

    >>> import gradyn
    >>> gradyn.example("quarter_car").equilibrium().stable
    True
    """

    def __init__(self, found: Mapping[str, Any]) -> None:
        #: Coordinates by name.
        self.coordinates: dict[str, float] = found["coordinates"]
        #: The outputs of the file.
        self.outputs: dict[str, float] = found["outputs"]
        #: Places of the bodies.
        self.bodies: dict[str, float] = found["bodies"]
        #: Forces of the elements.
        self.forces: dict[str, float] = found["forces"]
        #: Reactions of the joints.
        self.reactions: dict[str, float] = found["reactions"]
        #: Conditions with the efforts that hold them.
        self.conditions: list[dict[str, Any]] = found["conditions"]
        #: The coordinate along which it is unstable, if there is one.
        self.unstable: str | None = found["unstable"]
        #: Derivatives of everything that is read, over the parameters; nothing where nobody asked.
        self.gradient: dict[str, dict[str, float]] | None = found.get("gradient")
        #: How it was found: search, iterations, what is left of the equations.
        self.details: dict[str, Any] = {
            k: found[k] for k in ("search", "iterations", "residual", "parameters")
        }

    @property
    def stable(self) -> bool:
        """Does a small disturbance stay small?"""
        return self.unstable is None

    def __repr__(self) -> str:
        return f"<Equilibrium: {'stable' if self.stable else f'unstable along {self.unstable}'}>"
