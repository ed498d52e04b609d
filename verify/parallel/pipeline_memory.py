"""What a pipeline's rank holds of saved activations while a schedule runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch.distributed.pipelining import PipelineStage

from verify.parallel.pipeline import Pipeline
from verify.probes.memory import SavedActivations

_OPERATIONS = ("forward_one_chunk", "backward_one_chunk", "backward_weight_one_chunk")


class Watch:
    """Counts what every forward of this rank's stages saves, from now on.

    The series of `saved` gets one entry after each operation. With `keep` nothing that is saved is
    ever let go.
    """

    def __init__(self, pipeline: Pipeline, saved: SavedActivations, *, keep: bool = False) -> None:
        self.of_one = 0  # bytes that the first forward saved: one stage's for one microbatch
        self._saved = saved
        self._pinned: list[object] | None = [] if keep else None
        for stage in pipeline.stages:
            self._watch(stage)

    def _watch(self, stage: PipelineStage) -> None:
        for name in _OPERATIONS:
            forward = name.startswith("forward")
            setattr(stage, name, self._watched(getattr(stage, name), forward))

    def _watched(self, operation: Callable[..., Any], forward: bool) -> Callable[..., Any]:
        def watched(*arguments: Any, **options: Any) -> Any:
            if forward:
                with self._saved.recording(self._pinned):
                    result = operation(*arguments, **options)
            else:
                result = operation(*arguments, **options)
            self._saved.mark()
            self.of_one = self.of_one or self._saved.bytes
            return result

        return watched
