"""Optimisers of SciPy on models."""

from __future__ import annotations

import numpy as np
import pytest

import gradyn

minimize = pytest.importorskip("scipy.optimize").minimize

#: The balance of the five-bar [m], L01 and L02 of M13.
BALANCE = {"L_s1": 2.43192357446, "L_s2": 1.84486888681}


def test_l_bfgs_b_balances_the_five_bar(balance: gradyn.Model) -> None:
    f = balance.objective()
    found = minimize(
        f, f.x0, method="L-BFGS-B", jac=True, bounds=f.bounds, options={"ftol": 1e-16, "gtol": 1e-12}
    )
    x = dict(zip(f.parameters, found.x))
    for name, value in BALANCE.items():
        assert x[name] == pytest.approx(value, abs=1e-8)
    assert found.nfev <= 20


@pytest.mark.parametrize("method", ["SLSQP", "trust-constr"])
def test_a_constrained_case_has_the_optimum_of_the_optimiser(balance: gradyn.Model, method: str) -> None:
    # the balance with a spring that is shorter than the best one
    text = balance.text
    limited = gradyn.loads(text + '\n[study.optimize.constraint.short]\nvalue = "L_s1 + L_s2"\nmax = 4.0\n')
    expected = limited.optimize(optimizer="slsqp", certificate=False)
    f = balance.objective()
    total = {"type": "ineq", "fun": lambda x: 4.0 - np.sum(x), "jac": lambda x: -np.ones_like(x)}
    options = {"ftol": 1e-14} if method == "SLSQP" else {"gtol": 1e-10, "xtol": 1e-12, "maxiter": 300}
    found = minimize(f, f.x0, method=method, jac=True, bounds=f.bounds, constraints=[total], options=options)
    assert np.allclose(found.x, expected.x, rtol=0, atol=1e-6)


def test_a_constraint_shares_the_runs_of_the_objective(five_bar: gradyn.Model) -> None:
    f = five_bar.objective("psi1")
    c = five_bar.constraint("psi2", upper=1e9)
    value, gradient = f(f.x0)
    psi, rows = five_bar.value_and_jacobian()
    assert value == psi[0] and gradient.tolist() == rows[0].tolist()
    assert c.fun(f.x0)[0] == psi[1] and c.jac(f.x0)[0].tolist() == rows[1].tolist()


def test_some_parameters_vary_and_others_are_held(five_bar: gradyn.Model) -> None:
    names = list(five_bar.parameters)[1:3]
    f = five_bar.objective("psi1", parameters=names)
    rows = five_bar.value_and_jacobian()[1]
    assert f.parameters == tuple(names)
    assert f.gradient(f.x0).tolist() == rows[0, 1:3].tolist()
    assert len(five_bar.bounds(names).lb) == 2


def test_parameters_that_are_named_twice_are_refused(five_bar: gradyn.Model) -> None:
    for call in (
        lambda: five_bar.objective("psi1", parameters=["L_A1", "L_s1", "L_A1"]),
        lambda: five_bar.minimising("psi1", parameters=["L_A1", "L_A1"]),
        lambda: five_bar.fitting([0.1], {"A1.angle": [1.0]}, parameters=["L_A1", "L_A1"]),
        lambda: five_bar.bounds(["L_A1", "L_A1"]),
    ):
        with pytest.raises(gradyn.ArgumentError, match="`L_A1` is there twice"):
            call()
    with pytest.raises(gradyn.ArgumentError, match="a list of names"):
        five_bar.objective("psi1", parameters="L_A1")


def test_scales_of_a_record_are_checked(five_bar: gradyn.Model) -> None:
    data = {"A1.angle": [1.0]}
    with pytest.raises(gradyn.UnknownNameError, match="there is no column `A1.angel`") as caught:
        five_bar.fitting([0.1], data, scales={"A1.angel": 1.0})
    assert "A1.angle" in (caught.value.help or "")
    for wrong in (0.0, -1.0, np.nan, np.inf, "one", None):
        with pytest.raises(gradyn.ArgumentError, match="scale of `A1.angle`"):
            five_bar.fitting([0.1], data, scales={"A1.angle": wrong})


def test_weights_add_objectives(five_bar: gradyn.Model) -> None:
    f = five_bar.objective({"psi1": 2.0, "psi3": 0.5})
    psi, rows = five_bar.value_and_jacobian()
    value, gradient = f(f.x0)
    assert value == pytest.approx(2 * psi[0] + 0.5 * psi[2], rel=1e-15)
    assert np.allclose(gradient, 2 * rows[0] + 0.5 * rows[2], rtol=1e-14)


def test_residuals_solve_the_identification() -> None:
    from scipy.optimize import least_squares

    model = gradyn.example("five_bar_identification")
    r = model.residuals()
    found = least_squares(
        r, r.x0, jac=r.jac, bounds=r.bounds, x_scale="jac", xtol=1e-14, ftol=1e-14, gtol=1e-14
    )
    expected = model.fit(certificate=False)
    # both end where the gradient vanishes: the curvature makes 1e-6 of it
    assert np.allclose(found.x, expected.x, rtol=1e-5)
    assert expected.fit is not None and len(expected.fit["estimates"]) == len(expected.x)


def test_a_record_of_ones_own_is_fitted() -> None:
    truth = gradyn.example("pendulum").using(t_end=0.5)
    sensor, name = "angle", "L"
    t = np.linspace(0.05, 0.45, 9)
    data = truth.sampled(t).values[:, 0]
    start = truth.with_({name: 1.05 * truth.parameters[name].value})
    result = start.fit(t, {sensor: data}, parameters=[name], certificate=False)
    assert result.parameters[name] == pytest.approx(truth.parameters[name].value, rel=1e-8)


def test_designs_that_cannot_be_assembled_raise_or_are_infinite() -> None:
    # a crank that is longer than the other three links together
    model = gradyn.example("four_bar_synthesis")
    f = model.objective(on_failure="inf")
    x = f.x0.copy()
    for k, name in enumerate(f.parameters):
        p = model.parameters[name]
        if p.unit == "m":
            x[k] = 1e3 * p.value if not k else 1e-3 * p.value
    with pytest.raises(gradyn.ModelError):
        model.objective()(x)
    value, gradient = f(x)
    assert value == np.inf and np.all(np.isnan(gradient))
    assert isinstance(f.failures[0][1], gradyn.ModelError) and f.failures[0][0].tolist() == x.tolist()
    # what is wrong with a call is no failed design
    with pytest.raises(gradyn.ArgumentError):
        f(x[:1])


def test_designs_that_fail_raise_or_are_infinite() -> None:
    model = gradyn.example("five_bar_balance").using(t_end=0.1, time_limit=0.0)
    with pytest.raises(gradyn.TimeLimitError):
        model.objective()(model.x0)
    f = model.objective(on_failure="inf")
    value, gradient = f(model.x0)
    assert value == np.inf and np.all(np.isnan(gradient)) and len(f.failures) == 1
