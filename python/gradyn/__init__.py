"""Multibody dynamics with exact gradients.

>>> import gradyn
>>> model = gradyn.example("five_bar")
>>> run = model.simulate(t_end=0.5)
>>> gradient = model.gradient(t_end=0.5, certificate=False)
>>> gradient["psi1"]["L_A1"] == gradient.jacobian[0, 4].item()
True
"""

from ._core import __version__
from .callables import Constraint, Objective, Residuals
from .errors import (
    ArgumentError,
    GradynError,
    GradynWarning,
    InternalError,
    Interrupted,
    MethodError,
    ModelError,
    SimulationError,
    TimeLimitError,
    UnknownNameError,
    VersionError,
    WorkerError,
)
from .gradient import Certificate, Contributions, Gradient
from .lists import (
    list_coordinates,
    list_examples,
    list_forces,
    list_formulations,
    list_integrators,
    list_joints,
    list_optimizers,
    list_options,
    list_sensitivities,
    list_sensors,
    list_shapes,
    list_tyre_laws,
    schema,
)
from .mechanism import Body, Mechanism
from .model import Model, Parameter, example, load, loads
from .run import Run
from .samples import Samples
from .statics import Equilibrium
from .study import Result
from .sweep import Row, Sweep
from .verify import Verification

__all__ = [
    "ArgumentError",
    "Body",
    "Certificate",
    "Constraint",
    "Contributions",
    "Equilibrium",
    "Gradient",
    "GradynError",
    "GradynWarning",
    "InternalError",
    "Interrupted",
    "Mechanism",
    "MethodError",
    "Model",
    "ModelError",
    "Objective",
    "Parameter",
    "Residuals",
    "Result",
    "Row",
    "Run",
    "Samples",
    "SimulationError",
    "Sweep",
    "TimeLimitError",
    "UnknownNameError",
    "Verification",
    "VersionError",
    "WorkerError",
    "__version__",
    "example",
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
    "load",
    "loads",
    "schema",
]
