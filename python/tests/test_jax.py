"""Models as functions of JAX."""

from __future__ import annotations

import numpy as np
import pytest

import gradyn

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
jnp = jax.numpy
from jax.test_util import check_grads  # noqa: E402

import gradyn.jax  # noqa: E402

#: Examples, and how they are run.
CASES = {"five_bar": {"t_end": 0.3}, "manipulator": {}, "rolling_disc": {"t_end": 0.2}}


@pytest.fixture(scope="module", params=CASES)
def f(request) -> gradyn.jax.Function:
    """Objectives of an example over a short time."""
    model = gradyn.example(request.param)
    return gradyn.jax.function(model.using(**CASES[request.param]))


@pytest.mark.parametrize("jit", [False, True])
def test_gradients_are_those_of_differences(f, jit: bool) -> None:
    g = jax.jit(f) if jit else f
    # differences of runs: 1e-6 of their own, relative to the largest entry
    check_grads(g, (f.x0,), order=1, modes=("fwd", "rev"), atol=1e-5, rtol=1e-5, eps=1e-6)


def test_both_modes_have_the_jacobian(f) -> None:
    psi, rows = f._model.value_and_jacobian()
    assert np.array_equal(f(f.x0), psi)
    assert np.allclose(jax.jacfwd(f)(f.x0), rows, rtol=1e-15, atol=0)
    assert np.allclose(jax.jacrev(f)(f.x0), rows, rtol=1e-15, atol=0)


def test_a_batch_has_the_bits_of_a_loop(f) -> None:
    x = f.x0 * (1 + 1e-3 * jnp.arange(4.0)[:, None])
    one = lambda y: f(y)[0]  # noqa: E731
    assert np.array_equal(jax.vmap(f)(x), jnp.stack([f(y) for y in x]))
    assert np.array_equal(jax.vmap(jax.grad(one))(x), jnp.stack([jax.grad(one)(y) for y in x]))
    assert np.array_equal(
        jax.jit(jax.vmap(jax.grad(one)))(x), jnp.stack([jax.jit(jax.grad(one))(y) for y in x])
    )
    assert np.array_equal(
        jax.vmap(lambda y: jax.jvp(f, (y,), (y,))[1])(x), jnp.stack([jax.jvp(f, (y,), (y,))[1] for y in x])
    )


def test_a_scalar_and_a_dictionary() -> None:
    f = gradyn.jax.function(gradyn.example("five_bar").using(t_end=0.2), "psi2", parameters=["L_A1", "L_s1"])
    x = {"L_A1": jnp.asarray(1.4)}
    value, slopes = jax.value_and_grad(f)(x)
    assert value.shape == () and set(slopes) == {"L_A1"}
    full = f._model.with_(L_A1=1.4).x0
    psi, rows = f._model.value_and_jacobian(full)
    assert float(value) == psi[1]
    assert float(slopes["L_A1"]) == rows[1, list(f._model.parameters).index("L_A1")]


def test_second_derivatives_and_single_precision_are_refused() -> None:
    f = gradyn.jax.function(gradyn.example("five_bar").using(t_end=0.2), "psi1")
    with pytest.raises(NotImplementedError, match="second derivatives"):
        jax.hessian(f)(f.x0)
    with pytest.raises(gradyn.ArgumentError, match="float32"):
        f(f.x0.astype(jnp.float32))
    with pytest.raises(gradyn.ArgumentError, match="jax.vmap"):
        f(jnp.stack([f.x0, f.x0]))
    with pytest.raises(gradyn.ArgumentError, match="there is no parameter `nothing`"):
        f({"nothing": 1.0})
    for single in (jnp.float32(1.4), np.float32(1.4), jnp.asarray(1.4, dtype=jnp.bfloat16)):
        with pytest.raises(gradyn.ArgumentError, match="`L_A1`.*float"):
            f({"L_A1": single})
    with pytest.raises(gradyn.ArgumentError, match=r"`L_A1`: an array of shape \(1,\)"):
        f({"L_A1": jnp.ones(1)})
    with pytest.raises(gradyn.ArgumentError, match="there is no objective `psi9`"):
        gradyn.jax.function(gradyn.example("five_bar"), "psi9")


def test_a_failed_design_is_an_error() -> None:
    f = gradyn.jax.function(gradyn.example("five_bar").using(t_end=0.2), "psi1")
    with pytest.raises(Exception, match="L_A1|finite"):
        f(f.x0 * jnp.nan).block_until_ready()
    assert isinstance(f.failure, gradyn.ArgumentError)
