"""A night as a cluster has it, with everything going wrong, beside the same recipe run undisturbed on one machine.

    python -m benchmarks.night --anchors 100000

Flowcharts in three families by rule, drawn scenes in two, one of them by a provider on loopback of whose answers some
fail. The undisturbed run works on processes of this machine, in a folder, with its own Prefect server and a file of
answers. The night has a Prefect server on Postgres, a work pool with a schedule, two Ray nodes, S3 (moto) and its
answers in Postgres; while it lasts ``kill -9`` hits the pool's worker with the run in it, then a Ray node, then
Prefect's server. Each is started again, as a cluster's keeper would, and the schedule's next time makes the rest.

Prints wall times, whether the rows are equal, requests beside the fewest possible, the growth of Prefect's database,
and the memory and CPU time of every kind of process.
"""
