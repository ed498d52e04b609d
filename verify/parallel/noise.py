"""The noise of mini-batch gradients of a classifier of handwritten digits, its weights fixed."""

from __future__ import annotations

import torch
import torch.distributed as dist

from verify.parallel.collectives import stream
from verify.parallel.digits import Classifiers, digits

_SAMPLES = 2**14  # whose gradients are taken in one pass


class Population:
    """All digits, one classifier (softmax regression), and the gradient of each sample."""

    def __init__(self, seed: int) -> None:
        self._images, self._labels = digits()
        generator = torch.Generator().manual_seed(stream(seed, 0))
        self._model = Classifiers(1, (), generator)
        each = self._gradients(torch.arange(self.size)[:, None])
        self._mean = each.mean(0)
        # Of one sample's gradient, drawn at random: the trace of its covariance.
        self.variance = (each - self._mean).square().sum(1).mean().item()

    @property
    def size(self) -> int:
        return len(self._images)

    def deviations(
        self, draws: int, batch: int, *, replacement: bool, generator: torch.Generator
    ) -> torch.Tensor:
        """Gradients of so many mini-batches less that of all samples: (draws, 650), float64."""
        if replacement:
            drawn = torch.randint(self.size, (draws, batch), generator=generator)
        else:
            order = torch.rand(draws, self.size, generator=generator)
            drawn = order.topk(batch, sorted=False).indices
        return self._gradients(drawn) - self._mean

    def _gradients(self, drawn: torch.Tensor) -> torch.Tensor:
        """Of the mean loss over each row of sample numbers, float64."""
        rows = max(1, _SAMPLES // drawn.shape[1])
        return torch.cat(
            [
                self._model.first_repeated(len(part)).gradients(
                    self._images[part], self._labels[part]
                )
                for part in torch.split(drawn, rows)
            ]
        ).double()


def variances(deviations: torch.Tensor) -> tuple[float, float]:
    """The variance of one rank's gradient, and that of the average over all ranks.

    Each is the sum over parameters, unbiased, and the same on every rank. `deviations`: (draws,
    parameters), each rank its own.
    """
    draws = len(deviations)
    ranks = dist.get_world_size()
    moments = torch.cat([deviations.sum(0), deviations.square().sum()[None]])
    dist.all_reduce(moments)
    averaged = deviations.clone()
    dist.all_reduce(averaged)
    averaged /= ranks
    return (
        _variance(moments[:-1], moments[-1], draws * ranks),
        _variance(averaged.sum(0), averaged.square().sum(), draws),
    )


def _variance(total: torch.Tensor, squares: torch.Tensor, count: int) -> float:
    """From the sum of vectors and the sum of their squared lengths."""
    return ((squares - total.square().sum() / count) / (count - 1)).item()
