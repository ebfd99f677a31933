/* The quorum: nodes that lose their data, quarantine, and restoring of lost votes. Checks that there is one holder.
 *
 * README.md says what is left out and why. Numbers are left out: an attempt holds as soon as it has Q votes. A node
 * may execute what an attempt has asked for at any later time, more than once, or never. The client reads the answer
 * in the same step, or the answer is lost.
 */
#define N 3
#define Q 2
#ifndef A
#define A 3 /* attempts */
#endif
#ifndef RESTARTS
#define RESTARTS 2 /* of all nodes together */
#endif
#define AT(a, n) ((a) * N + (n))

mtype = { asks, holds, over };
mtype = { missing, old, current }; /* the marker pawl:node: of no run, of an earlier run, of this run */

/* The nodes. */
byte holder[N]; /* 1 + the attempt, or 0 */
mtype marker[N] = current;
bool quarantined[N];
byte restarts;

/* The attempts. */
mtype state[A] = asks;
byte vote[A * N]; /* in force by the client's own clock: 1 given since the node lost data, 2 given before; or 0 */

byte holding; /* how many attempts believe that they hold the lock */

/* Used inside one step only, so no part of the state. */
hidden byte i;

#define votes(a) ((vote[AT(a, 0)] > 0) + (vote[AT(a, 1)] > 0) + (vote[AT(a, 2)] > 0))
#if A == 2
#define counted_on(n) (vote[AT(0, n)] == 2 || vote[AT(1, n)] == 2)
#else
#define counted_on(n) (vote[AT(0, n)] == 2 || vote[AT(1, n)] == 2 || vote[AT(2, n)] == 2)
#endif

#ifdef NO_QUARANTINE
#define is_new(n) false
#else
#ifdef NO_RUN_ID
#define is_new(n) (marker[n] == missing)
#else
#define is_new(n) (marker[n] != current)
#endif
#endif

inline finish(a) {
    if :: state[a] == holds -> holding-- :: else fi;
    state[a] = over;
    vote[AT(a, 0)] = 0; vote[AT(a, 1)] = 0; vote[AT(a, 2)] = 0
}

inline read_or_lose(a, n) {
    if
    :: state[a] != over ->
        vote[AT(a, n)] = 1;
        if
        :: state[a] == asks && votes(a) >= Q ->
            state[a] = holds;
            holding++;
            assert(holding == 1)
        :: else
        fi
    :: skip
    fi
}

/* What can happen between one attempt and one node. */
proctype line(byte a; byte n) {
end:
    do
    /* The node executes a vote. A node that finds another marker than that of this run begins its quarantine. */
    :: atomic { is_new(n) -> marker[n] = current; quarantined[n] = true }
    :: atomic {
        !is_new(n) && !quarantined[n] && (holder[n] == 0 || (holder[n] == a + 1 && state[a] == asks)) ->
        holder[n] = a + 1;
        read_or_lose(a, n)
       }
#ifdef NO_QUARANTINE_FIRST
    :: atomic { holder[n] == a + 1 && state[a] == asks -> read_or_lose(a, n) }
#endif

    /* The node executes a renewal. The lock is this attempt's, or free: then it is restored. In quarantine the client
     * must still count on its own vote of this node. So nobody else does. */
    :: atomic {
        (holder[n] == a + 1 || holder[n] == 0) &&
#ifdef NO_ESTABLISHED
            state[a] != over &&
#else
            state[a] == holds &&
#endif
#ifdef NO_OWN_VOTE
            true ->
#else
            (vote[AT(a, n)] > 0 || (!is_new(n) && !quarantined[n])) ->
#endif
        holder[n] = a + 1;
        read_or_lose(a, n);
#ifdef WITNESS
        /* One node after another lost its data, and all were restored. */
        assert(restarts < 2 || vote[AT(a, 0)] != 1 || vote[AT(a, 1)] != 1 || !quarantined[0] || !quarantined[1]);
#endif
       }

    /* The node executes a release. */
    :: atomic { holder[n] == a + 1 && state[a] == over -> holder[n] = 0 }

    /* By the client's clock, this vote is in force no more. */
    :: atomic {
        vote[AT(a, n)] > 0 ->
        vote[AT(a, n)] = 0;
        if
        :: state[a] == holds && votes(a) < Q -> finish(a)
        :: else
        fi
       }

    /* The lease ends at the node. The client's deadline for it has passed before. */
    :: atomic { holder[n] == a + 1 && vote[AT(a, n)] != 1 -> holder[n] = 0 }
    od
}

/* A client gives up, or releases the lock, at any time. */
proctype attempt(byte a) {
end:
    atomic { state[a] != over -> finish(a) }
}

proctype node(byte n) {
end:
    do
    /* It loses what it was told of late. Its data are empty, after a restart or FLUSHALL; or they are those of an old
     * snapshot, where another attempt may have the lock. */
    :: atomic {
        restarts < RESTARTS ->
        restarts++;
        if
        :: marker[n] = missing; holder[n] = 0
        :: marker[n] = old; holder[n] = 0
        :: marker[n] = old; holder[n] = 1
        :: marker[n] = old; holder[n] = 2
        fi;
        quarantined[n] = false;
        i = 0;
        do
        :: i < A -> if :: vote[AT(i, n)] == 1 -> vote[AT(i, n)] = 2 :: else fi; i++
        :: else -> break
        od
       }

    /* The quarantine ends. It is as long as the longest lease, so nobody counts on an earlier vote any more. */
#ifdef NO_FULL_QUARANTINE
    :: atomic { quarantined[n] -> quarantined[n] = false }
#else
    :: atomic { quarantined[n] && !counted_on(n) -> quarantined[n] = false }
#endif
    od
}

init {
    byte a, n;
    atomic {
        do
        :: a < A ->
            n = 0;
            do
            :: n < N -> run line(a, n); n++
            :: else -> break
            od;
            run attempt(a);
            a++
        :: else -> break
        od;
        /* Only two nodes fail. A third one would be the same as one of these. */
        run node(0);
        run node(1)
    }
}
