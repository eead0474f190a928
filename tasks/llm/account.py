"""What the attempts at one request may cost and did, kept in the ledger whatever becomes of this process."""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import dataclass, field
from typing import Any

from counterfoil.tasks.llm.errors import BudgetExceeded, SendError
from counterfoil.tasks.llm.store.attempts import end_attempt, has_answers, open_attempts, sum_unread, was_refused
from counterfoil.tasks.llm.store.queue import StoreQueue
from counterfoil.tasks.llm.store.store import ResponseStore
from counterfoil.tasks.llm.store.tables import Asked, Budget

LONGEST_WAIT_S = 1.0


@dataclass(frozen=True)
class Past:
    """What the store knows of a request that was refused: whether it was before, and whether its like were answered."""

    refused_before: bool = False
    answered_before: bool = False


@dataclass
class Account:
    """The attempts at one request, one after the other. Its claim must be held.

    ``reserved`` says that what one attempt may cost is set aside already.
    """

    store: ResponseStore
    queue: StoreQueue
    asked: Asked
    owner: str
    scope: str
    reserve_usd: float
    budget: Budget
    reserved: bool = True
    attempt: str = field(default="", init=False)

    async def reserve(self) -> None:
        """Set aside what a further attempt may cost; wait while requests under way hold the rest of the budget.

        Raises:
            BudgetExceeded: it could exceed the budget.
        """
        delay_s = 0.05
        while not self.reserved:
            room = await self.queue.run(
                lambda connection: self.store.reserve(
                    connection, self.asked.sha256, self.scope, self.reserve_usd, self.budget
                )
            )
            if room == "spent":
                raise BudgetExceeded(await describe_budget(self.queue, self.scope, self.budget))
            self.reserved = room == "room"
            if not self.reserved:
                await asyncio.sleep(delay_s)
                delay_s = min(LONGEST_WAIT_S, delay_s * 2)

    async def open(self) -> None:
        """Note an attempt that is about to be sent."""
        self.attempt, self.reserved = uuid.uuid4().hex, False
        items = [(self.attempt, self.asked, self.reserve_usd)]
        await self.queue.run(lambda connection: open_attempts(connection, items, self.scope, self.owner))

    async def end(self, failure: SendError) -> Past:
        """Note that the attempt failed, and how; of a refused request, what is known of it."""
        attempt = self.attempt
        if failure.unread:
            await self.queue.run(lambda connection: end_attempt(connection, attempt, "unread"))
            return Past()
        if failure.kind != "refused":
            await self.queue.run(lambda connection: end_attempt(connection, attempt, "free"))
            return Past()

        def end(connection: Any) -> Past:
            past = Past(was_refused(connection, self.asked.sha256, self.owner), has_answers(connection, self.asked))
            end_attempt(connection, attempt, "refused")
            return past

        return await self.queue.run(end)


async def describe_budget(queue: StoreQueue, scope: str, budget: Budget) -> str:
    """Why nothing more is sent, and what to do."""
    with_usd = f"budget_usd = {budget.usd:g}" if budget.usd is not None else ""
    with_requests = f"budget_requests = {budget.requests}" if budget.requests is not None else ""
    limits = " and ".join(filter(None, [with_usd, with_requests]))
    unread, usd = await queue.run(lambda connection: sum_unread(connection, scope))
    held = (
        f" (attempts that were sent and not read: {unread}; they may be charged, and hold {usd:.4g} USD of it)"
        if unread and budget.usd is not None
        else ""
    )
    return (
        f"the next request could exceed {limits}{held}; what was answered is kept: "
        "raise the budget and run again to go on"
    )
