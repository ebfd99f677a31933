"""One round of one workload with one peer: starts the peer's workers, and prints their results as JSON.

A worker is one process. It reads its task from its environment:

    ROUND_HOST, ROUND_PORTS the redis-server; with a quorum or all, several ports, separated by commas
    ROUND_LOCK              the name of the lock, or the prefix of the names
    ROUND_LOOPS             how many threads, or loops, lock and unlock
    ROUND_KEYS              how many locks each loop uses in turn: LOCK:LOOP:NUMBER.
                            0: all loops of all workers share LOCK
    ROUND_ASYNC             1: the loops use the asynchronous interface of the peer; otherwise 0
    ROUND_HOLD_US           how long a loop sleeps while it holds the lock
    ROUND_TUNED             1: try again about every millisecond; 0: the default of the peer
    ROUND_KIND              lock, readers (of a lock that nobody writes), permits (of a semaphore),
                            expirable-permits (the same with a lease), latch,
                            quorum (a lock over a majority of the servers), all (a lock over all of them)
    ROUND_HOLDERS           how many may hold the lock at the same time; 0: any number

and for a latch

    ROUND_INDEX             the number of this worker, from 0
    ROUND_PROCESSES         how many workers there are
    ROUND_SHARED            a file of 4,096 zeros, for what the workers tell each other

It connects, prints "ready", and reads two times from its standard input: START and END, in nanoseconds of
CLOCK_MONOTONIC. It begins at once (what happens before START is the warm-up), asks for no lock after END,
and then prints a line for each grant that came after START, "ASKED HELD UNLOCKED" (when it asked, when it
had the lock, when it began to unlock, in nanoseconds since START), and finally "gave up N": how often the
peer gave up waiting, so that the worker had to ask again.

With a latch, all loops of all workers wait for one latch after the other. The first worker opens each of them
with one count down, when all have begun to wait and the server has nothing to do. UNLOCKED is then the time
just before the count down. The first release after END is the last.
"""
import argparse
import dataclasses
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

SECOND = 1_000_000_000
START_LIMIT_S = 120
DRAIN_LIMIT_S = 45
DOES_NOT_APPLY = 3

# In a grant.
HELD, UNLOCKED, ASKED, PROCESS = range(4)


# The kinds of locks that need several servers.
MANY_SERVERS = ("quorum", "all")


@dataclasses.dataclass(frozen=True)
class Workload:
    processes: int = 1
    loops: int = 1
    keys: int = 0
    hold_us: int = 0
    asynchronous: bool = False
    kind: str = "lock"
    holders: int = 1

    @property
    def tunable(self):
        return self.contended and self.kind in ("lock", "quorum")

    @property
    def hands_off(self):
        return self.processes > 1 and self.holders == 1 and self.kind in ("lock", *MANY_SERVERS)

    @property
    def contended(self):
        return self.keys == 0


WORKLOADS = {
    "w1": Workload(keys=1000),
    "w2": Workload(loops=256, keys=4, asynchronous=True),
    "w3": Workload(loops=16, keys=1000),
    "w4": Workload(processes=2),
    "w5-greedy": Workload(processes=8),
    "w5-strict": Workload(processes=8, hold_us=1000),
    "w6": Workload(loops=16),
    "w8-free": Workload(keys=1000, kind="quorum"),
    "w8-free-all": Workload(keys=1000, kind="all"),
    "w8-flight": Workload(loops=64, keys=4, asynchronous=True, kind="quorum"),
    "w8-flight-all": Workload(loops=64, keys=4, asynchronous=True, kind="all"),
    "w8-contended": Workload(processes=8, kind="quorum"),
    "w8-contended-all": Workload(processes=8, kind="all"),
    "w10-one-process": Workload(loops=16, kind="readers", holders=0),
    "w10-eight-processes": Workload(processes=8, kind="readers", holders=0),
    "w11-free": Workload(keys=1000, kind="permits", holders=5),
    "w11-free-expirable": Workload(keys=1000, kind="expirable-permits", holders=5),
    "w11-contended": Workload(processes=8, kind="permits", holders=3),
    "w11-contended-expirable": Workload(processes=8, kind="expirable-permits", holders=3),
    "w12": Workload(processes=8, loops=125, kind="latch", holders=0),
}


class Failure(Exception):
    """Its text is the only line that the caller sees."""


class Worker:
    def __init__(self, command, environment):
        self.complaints = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(command, env=environment, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.complaints)

    def await_ready(self):
        if self.process.stdout.readline() != "ready\n":
            raise Failure(self.last_words())

    def tell(self, start, end):
        self.process.stdin.write(f"{start} {end}\n")
        self.process.stdin.flush()

    def results(self):
        output, _ = self.process.communicate()
        lines = output.splitlines()
        if self.process.returncode != 0 or not lines or not lines[-1].startswith("gave up "):
            raise Failure(self.last_words())
        grants = [tuple(map(int, line.split())) for line in lines[:-1]]
        return grants, int(lines[-1].removeprefix("gave up "))

    def last_words(self):
        self.process.kill()
        self.process.wait()
        self.complaints.seek(0)
        said = [line.strip() for line in self.complaints if line.strip()]
        return said[-1] if said else f"a worker ended with status {self.process.returncode}"

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def environment_for(arguments, workload, tuned, shared):
    return {**os.environ,
            "ROUND_HOST": arguments.host,
            "ROUND_PORTS": arguments.ports,
            # Another name in each round, so that keys of an earlier round do not matter.
            "ROUND_LOCK": f"peers:{os.getpid()}",
            "ROUND_LOOPS": str(workload.loops),
            "ROUND_KEYS": str(workload.keys),
            "ROUND_ASYNC": str(int(workload.asynchronous)),
            "ROUND_HOLD_US": str(workload.hold_us),
            "ROUND_TUNED": str(int(tuned)),
            "ROUND_KIND": workload.kind,
            "ROUND_HOLDERS": str(workload.holders),
            "ROUND_PROCESSES": str(workload.processes),
            "ROUND_SHARED": shared}


def run(arguments, workload, tuned):
    """The grants within the round, as (held, unlocked, asked, process), and how often workers gave up."""
    with tempfile.NamedTemporaryFile() as shared:
        shared.truncate(4096)
        environment = environment_for(arguments, workload, tuned, shared.name)
        return run_in(environment, arguments, workload)


def run_in(environment, arguments, workload):
    workers = []
    # A release of a latch counts as a whole, so its beginning decides.
    counts_at = UNLOCKED if workload.kind == "latch" else HELD

    def too_late(*_):
        raise Failure("the workers were not ready, or not done, in time")

    signal.signal(signal.SIGALRM, too_late)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        signal.alarm(START_LIMIT_S)
        for index in range(workload.processes):
            workers.append(Worker(arguments.command, {**environment, "ROUND_INDEX": str(index)}))
        for worker in workers:
            worker.await_ready()
        start = time.monotonic_ns() + int(arguments.warm_up * SECOND)
        duration = int(arguments.seconds * SECOND)
        for worker in workers:
            worker.tell(start, start + duration)
        signal.alarm(int(arguments.warm_up + arguments.seconds) + DRAIN_LIMIT_S)
        grants, gave_up = [], 0
        for index, worker in enumerate(workers):
            its_grants, its_failures = worker.results()
            gave_up += its_failures
            grants += [(held, unlocked, asked, index) for asked, held, unlocked in its_grants]
        signal.alarm(0)
        return sorted(grant for grant in grants if 0 <= grant[counts_at] < duration), gave_up
    finally:
        for worker in workers:
            worker.end()


def percentiles_us(durations):
    durations = sorted(durations)
    at = lambda share: round(durations[min(len(durations) - 1, int(share * len(durations)))] / 1000, 1)
    return {"p50": at(0.5), "p99": at(0.99)} if durations else {}


def check_exclusion(grants, holders):
    # The one that entered so many grants before must have left, and all before it.
    left = sorted(grant[UNLOCKED] for grant in grants)
    overlaps = sum(later[HELD] < earlier for earlier, later in zip(left, grants[holders:]))
    if overlaps:
        many = "two" if holders == 1 else holders + 1
        raise Failure(f"{overlaps} times {many} held the lock at once")


def released_at_once(grants):
    """For each release of a latch: how long it took until the last one was told."""
    last = {}
    for held, opened, _, _ in grants:
        if held < opened:
            raise Failure("a latch was open before it was counted down")
        last[opened] = max(held, last.get(opened, held))
    return [held - opened for opened, held in last.items()]


def report(arguments, workload, grants, gave_up):
    result = {"peer": arguments.peer, "version": arguments.version, "workload": arguments.workload,
              "seconds": arguments.seconds, "cycles": len(grants),
              "grants_per_process": [sum(grant[3] == index for grant in grants)
                                     for index in range(workload.processes)]}
    if grants:
        result["wait_us"] = percentiles_us(held - asked for held, _, asked, _ in grants)
    if workload.contended and workload.holders > 0:
        check_exclusion(grants, workload.holders)
    if workload.kind == "latch":
        result["hand_off_us"] = percentiles_us(held - opened for held, opened, _, _ in grants)
        result["cycle_us"] = percentiles_us(released_at_once(grants))
    if workload.hands_off:
        hand_offs = [later[0] - earlier[1] for earlier, later in zip(grants, grants[1:])
                     if earlier[3] != later[3]]
        result["hand_offs"] = len(hand_offs)
        if hand_offs:
            result["hand_off_us"] = percentiles_us(hand_offs)
    if gave_up:
        result["note"] = f"gave up waiting {gave_up} times, and was asked again"
    return result


def parse(words):
    parser = argparse.ArgumentParser()
    parser.add_argument("--peer", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--tunable", choices=["yes", "no"], required=True)
    parser.add_argument("--warm-up", type=float, required=True, metavar="SECONDS")
    parser.add_argument("--kinds", required=True, type=lambda text: text.split(","))
    parser.add_argument("workload")
    parser.add_argument("host")
    parser.add_argument("ports")
    parser.add_argument("seconds", type=float)
    parser.add_argument("command", nargs="+", help="starts a worker")
    return parser.parse_args(words)


def check_number_of_servers(arguments, workload):
    ports = arguments.ports.split(",")
    if workload.kind in MANY_SERVERS:
        if len(ports) < 3:
            raise Failure(f"{arguments.workload} needs at least three ports, not {arguments.ports}")
    elif len(ports) > 1:
        raise Failure(f"{arguments.workload} needs one port, not {arguments.ports}")


def main():
    arguments = parse(sys.argv[1:])
    word = arguments.workload.removesuffix("-tuned")
    tuned = word != arguments.workload
    workload = WORKLOADS.get(word)
    try:
        if workload is None:
            print(f"{arguments.peer}: {word} is not among {', '.join(WORKLOADS)}", file=sys.stderr)
            return DOES_NOT_APPLY
        if tuned and not (workload.tunable and arguments.tunable == "yes"):
            print(f"{arguments.peer}: there is nothing to tune for {word}", file=sys.stderr)
            return DOES_NOT_APPLY
        if workload.kind not in arguments.kinds:
            print(f"{arguments.peer}: {word} needs {workload.kind}", file=sys.stderr)
            return DOES_NOT_APPLY
        check_number_of_servers(arguments, workload)
        grants, gave_up = run(arguments, workload, tuned)
        print(json.dumps(report(arguments, workload, grants, gave_up)))
        return 0
    except Failure as failure:
        print(f"{arguments.peer}: {failure}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
