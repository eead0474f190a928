"""A run as Prefect's UI shows it: its session, its stages as runs below it, the publish as a task run.

Prefect's parameters carry names and fingerprints; the objects behind them live here, so that a run stays small on the
server, and one that is retried finds its stages' finished shards on disk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Thread

from counterfoil.flows.making.artifacts import ArtifactObserver
from counterfoil.flows.making.dealing import TaskRuns
from counterfoil.flows.making.limits import limited_by, list_kinds
from counterfoil.flows.making.runs import LaterRun, Run, begin_run, begin_task_run
from counterfoil.flows.showing.observing import Observers, choose_observers
from counterfoil.storage.dataset import Published
from counterfoil.tasks.engine import night
from counterfoil.tasks.engine.losing import Guard
from counterfoil.tasks.engine.night import Calls
from counterfoil.tasks.engine.observing import Observer
from counterfoil.tasks.engine.publishing import publish
from counterfoil.tasks.engine.recipe import MakingRecipe
from counterfoil.tasks.engine.session import Session, open_session
from counterfoil.tasks.engine.stopping import stopped_by

TELL_S = 3.0
"""How long the server has to hear that a run was told to end."""


@contextmanager
def open_flow(
    run: Run | LaterRun, recipe: MakingRecipe, observer: Observer, domains: Sequence[str] = ()
) -> Iterator[Session]:
    """Begin making ``recipe`` in ``run``; the server hears of an interrupt."""
    teller = Thread(target=run.cancel, daemon=True)
    with (
        stopped_by(teller.start),
        open_session(recipe, choose_observers(observer), run.name, run.id, domains=domains) as session,
        stopped_by(lambda: teller.join(TELL_S)),
    ):
        try:
            yield session
        except Exception:
            raise
        except BaseException:
            session.stop()  # the flow is ended from outside, as by Cancel in Prefect's UI
            raise


def call_stages(run: Run | LaterRun) -> Calls:
    """Stages as runs below ``run``, and the publish as a task run of it; a stage of which all is staged is neither, and
    nor is ``run`` begun by it, so that the same recipe run again leaves nothing on the server."""
    called: list[str] = []

    @contextmanager
    def begin(session: Session, flow: str, name: str, domain: str, family: str = "") -> Iterator[None]:
        called.append(name)
        shown, tag = {"family": family} if family else {"domain": domain}, f"{flow}:{family}" if family else ""
        with (
            begin_run(flow, name, shown, [tag or f"domain:{domain}"], run.begin()) as stage,
            show_stage(session, stage, domain, family),
        ):
            yield

    def call_anchors(session: Session, domain: str, limit: int | None) -> None:
        if not session.finds(night.make_anchors, domain, limit):
            with begin(session, "anchors", f"{domain}.anchors", domain):
                night.make_anchors(session, domain, limit)

    def call_family(session: Session, family: str) -> None:
        if not session.finds(night.make_family, family):
            with begin(session, "family", family, family.partition(".")[0], family):
                night.make_family(session, family)

    def call_publish(session: Session, anchors: bool, guard: Guard) -> Published:
        if not called:
            return publish(session, anchors, guard)
        with begin_task_run(run.begin(), "publish", "publish"):
            return publish(session, anchors, guard)

    return Calls(call_anchors, call_family, call_publish, side_by_side=False)


@contextmanager
def show_stage(session: Session, run: Run, domain: str, family: str = "") -> Iterator[None]:
    """In the block ``run`` is the stage: its shards are dealt out to task runs of it, what it makes is shown as its
    artifacts, and it holds the slots that it needs, such as a GPU's."""
    heard = Observers([session.observer, ArtifactObserver(run, session.recipe.dataset.path)])
    task_runs = TaskRuns(run)
    with (
        limited_by(list_kinds(session.recipe.author.kind, session.recipe.settings(domain), family)),
        session.heard_by(heard, task_runs.deal),
    ):
        try:
            yield
        finally:
            task_runs.end()
