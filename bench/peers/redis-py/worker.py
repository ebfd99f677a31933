"""Drives redis-py's Lock; ../round.py says what a worker does."""
import asyncio
import os
import sys
import threading
from time import monotonic_ns, sleep

import redis
import redis.asyncio

HOST, PORT, LOCK = os.environ["ROUND_HOST"], int(os.environ["ROUND_PORTS"]), os.environ["ROUND_LOCK"]
LOOPS, KEYS = int(os.environ["ROUND_LOOPS"]), int(os.environ["ROUND_KEYS"])
HOLD_S = int(os.environ["ROUND_HOLD_US"]) / 1e6
OPTIONS = {"timeout": 30}
if os.environ["ROUND_TUNED"] == "1":
    OPTIONS["sleep"] = 0.001  # 0.1 by default


def name(loop, turn):
    return LOCK if KEYS == 0 else f"{LOCK}:{loop}:{turn % KEYS}"


def await_start():
    print("ready", flush=True)
    return map(int, sys.stdin.readline().split())


def cycle(client, loop, start, end, grants):
    turn = 0
    while (asked := monotonic_ns()) < end:
        lock = client.lock(name(loop, turn), **OPTIONS)
        lock.acquire()
        held = monotonic_ns()
        if HOLD_S:
            sleep(HOLD_S)
        unlocked = monotonic_ns()
        lock.release()
        if held >= start:
            grants.append((asked - start, held - start, unlocked - start))
        turn += 1


def in_threads():
    client = redis.Redis(HOST, PORT)
    client.ping()
    start, end = await_start()
    grants = [[] for _ in range(LOOPS)]
    threads = [threading.Thread(target=cycle, args=(client, loop, start, end, grants[loop]))
               for loop in range(LOOPS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return grants


async def cycle_async(client, loop, start, end, grants):
    turn = 0
    while (asked := monotonic_ns()) < end:
        lock = client.lock(name(loop, turn), **OPTIONS)
        await lock.acquire()
        held = monotonic_ns()
        await lock.release()
        if held >= start:
            grants.append((asked - start, held - start, held - start))
        turn += 1


async def in_tasks():
    # The default pool refuses a 101st connection. In this one, with 50, the tasks wait for a connection.
    pool = redis.asyncio.BlockingConnectionPool(host=HOST, port=PORT)
    async with redis.asyncio.Redis.from_pool(pool) as client:
        await client.ping()
        start, end = await_start()
        grants = [[] for _ in range(LOOPS)]
        await asyncio.gather(*(cycle_async(client, loop, start, end, grants[loop])
                               for loop in range(LOOPS)))
    return grants


def failed(problem):
    sys.stderr.write(f"{problem.exc_type.__name__}: {problem.exc_value}\n")
    os._exit(1)


threading.excepthook = failed
for its_grants in asyncio.run(in_tasks()) if os.environ["ROUND_ASYNC"] == "1" else in_threads():
    for grant in its_grants:
        print(*grant)
print("gave up 0")
