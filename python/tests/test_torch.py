"""Models as functions of PyTorch, where that is installed."""

from __future__ import annotations

import numpy as np
import pytest

import gradyn

torch = pytest.importorskip("torch")
import gradyn.torch  # noqa: E402

CASES = {"five_bar": {"t_end": 0.3}, "manipulator": {}, "rolling_disc": {"t_end": 0.2}}


@pytest.mark.parametrize("name", CASES)
def test_gradients_are_those_of_differences(name: str) -> None:
    f = gradyn.torch.function(gradyn.example(name).using(**CASES[name]))
    # 1e-3: what is left of small entries in differences of runs with tolerances
    x = torch.tensor(f.x0.copy(), requires_grad=True)
    assert torch.autograd.gradcheck(f, (x,), eps=1e-6, atol=1e-4, rtol=1e-3)
    batch = (x * (1 + 1e-3 * torch.arange(3.0, dtype=torch.float64)[:, None])).detach().requires_grad_()
    assert torch.autograd.gradcheck(f, (batch,), eps=1e-6, atol=1e-4, rtol=1e-3)


def test_a_batch_has_the_bits_of_a_loop() -> None:
    f = gradyn.torch.function(gradyn.example("five_bar").using(t_end=0.2), "psi1")
    x = torch.tensor(f.x0 * 1.0).repeat(3, 1) * torch.tensor([[1.0], [1.001], [0.999]], dtype=torch.float64)
    x.requires_grad_()
    f(x).sum().backward()
    for row, slopes in zip(x.detach(), x.grad):
        y = row.clone().requires_grad_()
        f(y).backward()
        assert torch.equal(y.grad, slopes)


def test_second_derivatives_and_single_precision_are_refused() -> None:
    f = gradyn.torch.function(gradyn.example("five_bar").using(t_end=0.2), "psi1")
    with pytest.raises(gradyn.ArgumentError, match="float32"):
        f(torch.zeros(5))
    with pytest.raises(gradyn.ArgumentError, match="`L_A1`.*float32"):
        f({"L_A1": torch.tensor(1.4)})
    with pytest.raises(gradyn.ArgumentError, match="`L_A1`.*float32"):
        f({"L_A1": np.float32(1.4)})
    x = torch.tensor(f.x0.copy(), requires_grad=True)
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    with pytest.raises(NotImplementedError, match="second derivatives"):
        g.sum().backward()
