"""Keyword arguments that say how a model is run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict


class Settings(TypedDict, total=False):
    """How a model is run, in place of what its file says."""

    #: Final time [s], or a text with a unit.
    t_end: float | str
    #: Formulation and integrator: ("index1", "dopri5") or "index1+dopri5".
    method: str | tuple[str, str]
    #: Equations of motion.
    formulation: str
    #: Integrator.
    integrator: str
    #: Method of gradients.
    sensitivity: str
    #: Coordinates.
    coordinates: str
    #: Fixed step [s].
    step: float
    #: Relative tolerance of adaptive steps.
    rtol: float
    #: Absolute tolerance of adaptive steps.
    atol: float
    #: Options of the method, by name.
    options: Mapping[str, float | str | bool]
    #: Budget for the records of a run [bytes].
    memory: int
    #: Seconds that a run may take.
    time_limit: float
