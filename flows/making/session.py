"""A run as a Prefect flow: its session, which the flows and task runs of this process share.

Prefect parameters carry names and fingerprints; the objects behind them live here, so that a flow run stays small on
the server and a subflow that is retried finds its stage's finished shards on disk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Thread
from uuid import UUID

from prefect.runtime import flow_run

from counterfoil.flows.making.artifacts import ArtifactObserver, LoggingObserver
from counterfoil.flows.making.dealing import deal_to_task_runs
from counterfoil.flows.showing.labels import list_tags, tagged
from counterfoil.flows.showing.observing import Observers, choose_observers
from counterfoil.tasks.engine.observing import Observer
from counterfoil.tasks.engine.recipe import MakingRecipe
from counterfoil.tasks.engine.session import Session, open_session
from counterfoil.tasks.engine.stopping import stopped_by

TELL_S = 3.0
"""How long the server has to hear that a run was told to end."""

_current: Session | None = None


def current_session() -> Session:
    """The session that `open_flow` opened.

    Raises:
        RuntimeError: a stage was called without a recipe, outside `make_dataset` or `regenerate_family`.
    """
    if _current is None:
        raise RuntimeError("a stage by itself needs a recipe: give make_anchors or make_family one")
    return _current


_observer: Observer | None = None


@contextmanager
def observed_by(observer: Observer) -> Iterator[None]:
    """Let ``observer`` hear of the runs inside the block."""
    global _observer
    _observer, before = observer, _observer
    try:
        yield
    finally:
        _observer = before


@contextmanager
def open_flow(recipe: MakingRecipe, file: str = "", domains: Sequence[str] = ()) -> Iterator[Session]:
    """Begin the run of ``recipe``, read from ``file``, in the flow run that is under way: its shards are dealt out to
    task runs, what it makes is shown as artifacts, and the server hears of an interrupt."""
    global _current
    shown = ArtifactObserver(recipe.dataset.path)
    observer = Observers([choose_observers(_observer or LoggingObserver()), shown])
    run_id = str(flow_run.id)
    teller = Thread(target=_tell_cancelled, args=(UUID(run_id),), daemon=True)
    with (
        stopped_by(teller.start),
        open_session(recipe, observer, flow_run.name, run_id, domains=domains, deal=deal_to_task_runs) as session,
        stopped_by(lambda: teller.join(TELL_S)),
        tagged(list_tags(recipe, file)),
    ):
        _current = session
        try:
            yield session
        except Exception:
            raise
        except BaseException:
            session.stop()  # the flow is ended from outside, as by Cancel in Prefect's UI
            raise
        finally:
            _current = None


def _tell_cancelled(flow_run_id: UUID) -> None:
    """The server's own clean-up then ends the stages and shards below the run."""
    import httpx
    from prefect.client.orchestration import get_client
    from prefect.exceptions import PrefectException
    from prefect.states import Cancelled

    with suppress(httpx.HTTPError, PrefectException), get_client(sync_client=True) as client:
        client.set_flow_run_state(flow_run_id, Cancelled(message="interrupted in the terminal"), force=True)
