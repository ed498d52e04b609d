"""The memory probe against bytes worked out by hand."""

from __future__ import annotations

import gc

import pytest

torch = pytest.importorskip("torch")

from verify.probes.memory import Memory  # noqa: E402
from verify.quantities import Source  # noqa: E402

SAMPLES, WIDTH = 8, 16
ACTIVATION = SAMPLES * WIDTH * 8  # one float64 tensor, samples × width


@pytest.fixture
def model():
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.Linear(WIDTH, WIDTH), torch.nn.Tanh(), torch.nn.Linear(WIDTH, WIDTH)
    ).double()


@pytest.fixture
def inputs():
    return torch.randn(SAMPLES, WIDTH, dtype=torch.float64)


def test_a_pass_saves_its_input_and_what_tanh_shares_with_the_next_layer(model, inputs):
    # Linear saves its input (and its weight, which is a parameter), tanh its output, and the second
    # linear layer that same output: two tensors in all.
    saved = Memory.saved(model.parameters())
    with saved.recording():
        output = model(inputs)
    assert saved.bytes == saved.peak == 2 * ACTIVATION
    output.sum().backward()
    assert (saved.bytes, saved.peak) == (0, 2 * ACTIVATION)


def test_parameters_count_where_they_are_not_named(model, inputs):
    saved = Memory.saved()
    with saved.recording():
        output = model(inputs)
    assert saved.bytes == 2 * ACTIVATION + WIDTH * WIDTH * 8  # the second weight, for the gradient
    del output
    assert saved.bytes == 0


def test_passes_add_up_and_are_let_go_one_by_one(model):
    saved = Memory.saved(model.parameters())
    outputs = []
    for _ in range(3):
        with saved.recording():
            outputs.append(model(torch.randn(SAMPLES, WIDTH, dtype=torch.float64)))
        saved.mark()
    while outputs:
        outputs.pop().sum().backward()
        saved.mark()
    assert saved.series == [2 * ACTIVATION * held for held in (1, 2, 3, 2, 1, 0)]
    assert saved.readings("x")["x_peak"].value == 6 * ACTIVATION
    assert {reading.source for reading in saved.readings().values()} == {Source.COUNTED}


def test_gradients_are_those_of_a_pass_that_nobody_counts(model, inputs):
    expected = torch.autograd.grad(model(inputs).square().sum(), list(model.parameters()))
    with Memory.saved(model.parameters()).recording():
        output = model(inputs)
    found = torch.autograd.grad(output.square().sum(), list(model.parameters()))
    assert all(torch.equal(f, e) for f, e in zip(found, expected, strict=True))


def test_what_is_pinned_is_never_let_go(model, inputs):
    saved, pinned = Memory.saved(model.parameters()), []
    with saved.recording(pinned):
        output = model(inputs)
    output.sum().backward()
    assert saved.bytes == 2 * ACTIVATION
    pinned.clear()
    gc.collect()
    assert saved.bytes == 0


def test_an_expanded_tensor_is_no_larger_than_its_storage():
    weight = torch.ones(1, dtype=torch.float64, requires_grad=True)
    saved = Memory.saved([weight])
    with saved.recording():
        output = weight * torch.ones(1, dtype=torch.float64).expand(1000)
    assert saved.bytes == 8
    del output


def test_adam_holds_two_numbers_per_parameter_and_a_step_count_per_tensor(model, inputs):
    optimizer = torch.optim.Adam(model.parameters())
    parameters = 2 * (WIDTH * WIDTH + WIDTH) * 8
    before = Memory.held(model.parameters(), optimizer)
    assert (before.parameters, before.gradients, before.optimizer) == (parameters, 0, 0)
    model(inputs).sum().backward()
    optimizer.step()
    after = Memory.held(model.parameters(), optimizer)
    assert (after.gradients, after.optimizer) == (parameters, 2 * parameters + 4 * 4)
    assert set(after.readings()) == {"parameters_held", "gradients_held", "optimizer_held"}
