# Opens a connection with an event loop.
import asyncio

async def connect():
    await asyncio.wait_for(asyncio.open_connection("127.0.0.1", PORT), 1)

attempt("asyncio", lambda: asyncio.run(connect()) or "connected")
