"""What kind of source a text is, judged by its lines and not by its name."""

import re
from collections.abc import Iterable

from .peel import Peeled

KERNEL = re.compile(
    r"NVRM: |pcieport |nvidia \d|mlx5_core |EDAC |mce: |Linux version |nvidia-nvswitch|Memory failure: |"
    r"Out of memory: |Memory cgroup out of memory|\[Hardware Error\]|-- (?:Reboot|Boot|Logs begin) ",
    re.ASCII,
)
CONTROLLER = re.compile(
    r"(?:error: |debug\d?: |info: )?(?:_job_complete|update_node|sched: |backfill: |requeue job|Killing Job|"
    r"_slurm_rpc|slurmctld|slurmd|job_complete|Nodes \S+ not responding|\S+: JobId=|_update_job)",
    re.ASCII,
)
WORKING = re.compile(
    r"slurmstepd: |srun: |salloc: |sbatch: |Traceback \(most recent|NCCL |.{0,200}(?:\b(?:torch|cuda|CUDA|"
    r"loss|[Ee]poch|[Ii]teration|[Ss]tep|rank|RANK|[Tt]rain\w*|checkpoint|optimizer|DataLoader|WARNING|INFO)\b)|"
    r"[A-Z]\w*Error: |\w+(?:\.\w+)+Error: |tee: ",
    re.ASCII,
)


class Votes:
    """Counts of what the lines of one source look like."""

    __slots__ = ("application", "host", "kernel", "scheduler")

    def __init__(self) -> None:
        self.kernel = self.host = self.application = self.scheduler = 0

    def look(self, peeled: Peeled) -> None:
        """Count one line."""
        body = peeled.body
        if peeled.channel == "kernel" or KERNEL.match(body):
            self.kernel += 1
        elif peeled.channel == "host":
            self.host += 1
        elif CONTROLLER.match(body):
            self.scheduler += 1
        elif (
            peeled.channel == "nccl"
            or peeled.rank is not None
            or peeled.label is not None
            or WORKING.match(body)
        ):
            self.application += 1

    def match(self, where: str, peeled: Peeled) -> None:
        """Count a line that a pattern for ``where`` understood; a quoted kernel text makes no kernel log."""
        self.look(peeled)
        self.application += where in ("application", "scheduler")

    def look_all(self, lines: Iterable[Peeled]) -> None:
        """Count several."""
        for line in lines:
            self.look(line)

    def kind(self) -> str:
        """kernel, scheduler, application, or text where nothing is known. A tie goes in that order."""
        ranked = (
            (self.kernel + self.host, "kernel"),
            (self.scheduler, "scheduler"),
            (self.application, "application"),
        )
        best, kind = max(ranked, key=lambda pair: pair[0])
        return kind if best else "text"
