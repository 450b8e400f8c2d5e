"""Studies of a model: equilibria, comparisons of methods, optimisation, fits, sweeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from . import _core
from ._spec import Spec, natural, positive, settings_of, word
from ._threads import count
from ._vectors import Array, Values, distinct, index, matrix, numbers
from .callables import Evaluations, Residuals
from .errors import ArgumentError
from .statics import Equilibrium
from .study import Result, run
from .sweep import Sweep
from .verify import Verification, verify

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from ._settings import Settings
    from .model import Model

_T = TypeVar("_T")


class Studies:
    """What a model can be asked beside runs and gradients."""

    _spec: Spec
    _core: _core.Core
    _info: dict[str, Any]
    _parameters: Mapping[str, Any]
    _nominal: Array
    _evaluations: Evaluations

    if TYPE_CHECKING:

        @classmethod
        def _of(cls, spec: Spec) -> Self: ...
        def using(self, **settings: Unpack[Settings]) -> Self: ...
        def _listed(self, x: Values | None) -> list[float] | None: ...

    def equilibrium(
        self, x: Values | None = None, *, gradient: bool = False, **settings: Unpack[Settings]
    ) -> Equilibrium:
        """Where forces balance, if the model starts there, and derivatives of what is read there."""
        model = self.using(**settings)
        return Equilibrium(model._core.equilibrium(model._listed(x), gradient))

    def verify(
        self,
        *,
        full: bool = False,
        budget: float | None = None,
        callback: Callable[[int, int, str], None] | None = None,
        progress: bool = False,
        **settings: Unpack[Settings],
    ) -> Verification:
        """Every formulation, integrator and sensitivity against one reference; `budget` is in seconds."""
        return verify(self.using(**settings)._core, full, budget, callback, progress)

    def minimising(
        self, objective: str | Mapping[str, float], *, parameters: Sequence[str] | None = None
    ) -> Self:
        """The model with what `optimize` minimises: an objective, or a sum of objectives with weights.

        `parameters` are those that vary. What the file says of its optimisation is replaced.
        """
        pairs = {objective: 1.0} if isinstance(objective, str) else objective
        weights = tuple((str(name), float(weight)) for name, weight in pairs.items())
        chosen = distinct(parameters) if parameters is not None else None
        return self._of(replace(self._spec, minimised=(weights, chosen), fit=None))

    def optimize(
        self,
        *,
        optimizer: str | None = None,
        starts: int | None = None,
        seed: int | None = None,
        max_evaluations: int | None = None,
        threads: int | None = None,
        certificate: bool = True,
        callback: Callable[[Mapping[str, Any]], Any] | None = None,
        progress: bool = False,
        resume: Result | Sequence[str] | str | None = None,
        **settings: Unpack[Settings],
    ) -> Result:
        """The optimisation or the fit of [study.optimize] in the file, of `minimising` or of `fitting`.

        `callback` is told each evaluation and stops the run by a true answer. `resume` goes on from a result,
        or from the history that `Result.save` has written. Ctrl-C raises `Interrupted`, whose `result` has
        the best design by then.
        """
        model = self.using(**settings)
        study = model._core.study(
            None if optimizer is None else word("optimizer", optimizer),
            None if starts is None else natural("starts", starts, least=1),
            None if seed is None else natural("seed", seed),
            None if max_evaluations is None else natural("max_evaluations", max_evaluations),
            count(threads),
        )
        return run(cast("Model", model), study, certificate, callback, progress, resume)

    def fitting(
        self,
        t: Any,
        data: Mapping[str, Any],
        *,
        scales: Mapping[str, float] | None = None,
        parameters: Sequence[str] | None = None,
    ) -> Self:
        """The model with a measured record: times [s], and values of sensors or expressions at each of them.

        `scales` are deviations that matter, 1 where they are absent; `parameters` are those that vary. What
        the file says of its optimisation is replaced.
        """
        times = numbers("t", t).ravel()
        columns = {str(name): numbers(f"data `{name}`", values).ravel() for name, values in data.items()}
        for name, values in columns.items():
            if len(values) != len(times):
                raise ArgumentError(f"data `{name}`: {len(values)} values for {len(times)} times")
        rows = tuple(tuple(map(float, row)) for row in zip(times, *columns.values()))
        sizes = dict.fromkeys(columns, 1.0)
        for name, scale in (scales or {}).items():
            index("column", name, list(columns))
            sizes[name] = positive(f"scale of `{name}`", scale)
        pairs = tuple(sizes.items())
        chosen = distinct(parameters) if parameters is not None else None
        return self._of(replace(self._spec, fit=(pairs, rows, chosen), minimised=None, record=None))

    def fit(
        self,
        t: Any | None = None,
        data: Mapping[str, Any] | None = None,
        *,
        scales: Mapping[str, float] | None = None,
        parameters: Sequence[str] | None = None,
        **options: Any,
    ) -> Result:
        """Fits a record: the one of the file, or times and values that are given; options are those of
        `optimize`.
        """
        if (t is None) != (data is None):
            raise ArgumentError(
                "fit: times and data belong together", help="give both, or none for those of the file"
            )
        model = (
            self if t is None or data is None else self.fitting(t, data, scales=scales, parameters=parameters)
        )
        if not model._info["fit"]:
            raise ArgumentError(
                "the model fits no record", help='give times and data: model.fit(t, {"sensor": values})'
            )
        return model.optimize(**options)

    def residuals(self, *, threads: int | None = None) -> Residuals:
        """Residuals of the fit of the model, for `scipy.optimize.least_squares`."""
        return Residuals(self._core.study(None, None, None, None, count(threads)))

    def batch(
        self, samples: Any, *, gradient: bool = True, threads: int | None = None
    ) -> tuple[Array, Array, list[Exception | None]]:
        """Objectives and Jacobians of rows of parameters, on threads: NaN and an error where one failed."""
        x = matrix(samples, list(self._parameters), self._nominal)
        psi, rows, _, errors = self._core.batch(x, gradient, count(threads))
        return psi, rows, errors

    def sweep(
        self,
        samples: Any,
        *,
        gradient: bool = True,
        threads: int | None = None,
        executor: Executor | Callable[[], Executor] | None = None,
        chunk: int | None = None,
        retries: int = 3,
        resume: Sweep | str | None = None,
        **settings: Unpack[Settings],
    ) -> Sweep:
        """Objectives, derivatives and warnings of many designs: rows come in the order of the samples.

        Samples are rows of parameters, a dictionary of columns, a list of dictionaries, or a table of pandas.
        They are computed on threads, or by the workers of an `executor`; a function that makes one lets a
        broken executor be replaced. The bits are the same whoever computes them.
        """
        model = self.using(**settings)
        x = matrix(samples, list(model._parameters), model._nominal)
        known = cast("Model", model)
        return Sweep(known, x, gradient, count(threads), executor, chunk, retries, resume)
