"""The bundled digits, and copies of a classifier trained side by side, against one torch module."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
module = pytest.importorskip("verify.parallel.digits")
Classifiers, digits = module.Classifiers, module.digits


def test_the_digits_are_those_of_the_uci_repository():
    images, labels = digits()
    assert images.shape == (1797, 64)
    assert (images.min(), images.max()) == (0, 1)
    # Class counts of optdigits.tes, as its documentation lists them.
    assert torch.bincount(labels).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]


def test_each_copy_has_the_loss_and_gradient_of_a_module_of_its_own():
    images, labels = digits()
    copies = Classifiers(3, (5,), torch.Generator().manual_seed(0))
    samples = torch.randint(1797, (3, 7), generator=torch.Generator().manual_seed(1))
    losses = copies.loss(images[samples], labels[samples])
    gradients = copies.gradients(images[samples], labels[samples])
    for copy in range(3):
        weights = [layer[copy].detach().requires_grad_() for layer in copies.parameters]
        hidden = (images[samples[copy]] @ weights[0] + weights[1]).tanh()
        loss = torch.nn.functional.cross_entropy(
            hidden @ weights[2] + weights[3], labels[samples[copy]]
        )
        assert torch.allclose(losses[copy], loss)
        expected = torch.cat([g.flatten() for g in torch.autograd.grad(loss, weights)])
        assert torch.allclose(gradients[copy], expected, atol=1e-6)


def test_adding_a_change_moves_every_copy_by_its_row():
    copies = Classifiers(2, (), torch.Generator().manual_seed(0))
    before = copies.vector()
    change = torch.randn(before.shape)
    copies.add(change)
    assert torch.equal(copies.vector(), before + change)
    assert torch.equal(copies.first_repeated(4).vector(), (before + change)[:1].repeat(4, 1))
