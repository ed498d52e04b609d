"""What is known of each pipeline schedule before it runs: its stages, and what it refuses. Pure.

Sources: GPipe (Huang et al. 2019), 1F1B (Narayanan et al. 2019), interleaved 1F1B (Narayanan et
al. 2021), looped BFS (Lamy-Poirier 2022), interleaved zero-bubble and ZBV (Qi et al. 2023),
DualPipeV (from DualPipe, DeepSeek 2024).
"""

from __future__ import annotations

from dataclasses import dataclass

from verify.text import Text


@dataclass(frozen=True, slots=True)
class PipelineSchedule:
    """One schedule: stages per rank, how they lie on the ranks, and the least microbatches."""

    name: str
    torch_name: str  # of torch.distributed.pipelining.schedules
    virtual: int = 1  # stages on each rank
    v_shaped: bool = False  # stages go down the ranks and back up, else round and round
    split_backward: bool = False  # every backward in two halves, input and weight
    least_per_rank: int = 0  # it needs at least this many microbatches for each rank
    in_rounds: bool = False  # microbatches go in ⌊m/p⌋ equal rounds

    def stages_of(self, rank: int, ranks: int) -> tuple[int, ...]:
        """The stages on one rank, in the order of the model."""
        if self.v_shaped:
            return rank, 2 * ranks - 1 - rank
        return tuple(rank + ranks * loop for loop in range(self.virtual))

    def ideal_length(self, ranks: int, microbatches: int) -> int:
        """Units of time of one step where the textbook's form holds (forward 1, backward 2)."""
        work = 3 * self.virtual * microbatches
        return work + (ranks - 1 if self.name in _ZERO_BUBBLE else 3 * (ranks - 1))

    def refuse(self, ranks: int, microbatches: int) -> Text | None:
        """Why this schedule can't run so many microbatches on so many ranks, or None."""
        least = self.least_per_rank * ranks
        if microbatches < least:
            times = "" if self.least_per_rank == 1 else f"{self.least_per_rank} × "
            return Text(
                ja=f"{self.name} には microbatches ≥ {times}stages = {least} が必要です"
                f"(microbatches={microbatches})。",
                en=f"{self.name} needs microbatches ≥ {times}stages = {least}, "
                f"not microbatches={microbatches}.",
            )
        rounds = max(1, microbatches // ranks)
        if self.in_rounds and microbatches % rounds:
            return Text(
                ja=f"{self.name} では microbatches が ⌊microbatches/stages⌋ = {rounds} の"
                f"倍数でなければなりません(microbatches={microbatches})。",
                en=f"{self.name} needs microbatches to be a multiple of ⌊microbatches/stages⌋ = "
                f"{rounds}, not microbatches={microbatches}.",
            )
        return None


# torch accepts fewer microbatches than ranks for the interleaved pair, but then some ranks run
# dry in the middle and the schedule is no longer what its name says.
SCHEDULES = {
    schedule.name: schedule
    for schedule in (
        PipelineSchedule("gpipe", "GPipe"),
        PipelineSchedule("1f1b", "1F1B", least_per_rank=1),
        PipelineSchedule(
            "interleaved-1f1b", "Interleaved1F1B", virtual=2, least_per_rank=1, in_rounds=True
        ),
        PipelineSchedule("looped-bfs", "LoopedBFS", virtual=2),
        PipelineSchedule(
            "interleaved-zero-bubble",
            "InterleavedZeroBubble",
            virtual=2,
            split_backward=True,
            least_per_rank=1,
            in_rounds=True,
        ),
        PipelineSchedule("zbv", "ZBVZeroBubble", virtual=2, v_shaped=True, split_backward=True),
        PipelineSchedule("dualpipev", "DualPipeV", virtual=2, v_shaped=True, least_per_rank=2),
    )
}
_ZERO_BUBBLE = ("interleaved-zero-bubble", "zbv", "dualpipev")
