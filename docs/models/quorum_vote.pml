/* The quorum: vote, raise, release, the end of a lease, and the fence.
 *
 * README.md says what is left out and why. An attempt is one try of a client to get the lock, with a holder id of
 * its own. A node may execute what an attempt has asked for at any later time, more than once, or never. The client
 * reads the answer in the same step, or the answer is lost.
 */
#define N 3
#ifdef NO_MAJORITY
#define Q 1
#else
#define Q 2
#endif
#ifndef A
#define A 3 /* attempts */
#endif
#ifndef MOST
#define MOST 5 /* no number is greater */
#endif
#ifndef LOSSES
#define LOSSES 0 /* how often a node may lose its last number */
#endif
#define AT(a, n) ((a) * N + (n))

mtype = { asks, holds, over };

/* The nodes. */
byte holder[N]; /* 1 + the attempt, or 0 */
byte last[N];   /* the last number that the node gave out */

/* The attempts. */
mtype state[A] = asks;
byte vote[A * N]; /* the number of a vote that is in force by the client's own clock, or 0 */
byte raise_to[A]; /* the number to which the client wants the nodes to raise theirs, or 0: its fence, if it holds */

/* For the checks. */
byte holding;  /* how many attempts believe that they hold the lock */
byte greatest; /* the greatest fence so far */
#if LOSSES
byte losses;
#endif
#ifdef WITNESS
byte grants;
#endif

/* Used inside one step only, so no part of the state. */
hidden byte top;

#define votes(a) ((vote[AT(a, 0)] > 0) + (vote[AT(a, 1)] > 0) + (vote[AT(a, 2)] > 0))
#define equal_votes(a, f) ((vote[AT(a, 0)] == f) + (vote[AT(a, 1)] == f) + (vote[AT(a, 2)] == f))

inline establish(a, f) {
    state[a] = holds;
    raise_to[a] = f;
    holding++;
    assert(holding == 1);
    assert(f > greatest);
    greatest = f;
#ifdef WITNESS
    grants++;
    assert(grants < A);
#endif
}

/* The attempt gave up, or released the lock, or lost it. It counts on no vote any more. */
inline finish(a) {
    if
    :: state[a] == holds -> holding--
    :: else
    fi;
    state[a] = over;
    vote[AT(a, 0)] = 0; vote[AT(a, 1)] = 0; vote[AT(a, 2)] = 0;
    raise_to[a] = 0
}

/* The client reads the answer of a node that has this attempt as its holder. A holder counts a vote only if the
 * node has its fence. */
inline read(a, n) {
    if
    :: state[a] == asks || last[n] >= raise_to[a] -> vote[AT(a, n)] = last[n]
    :: else
    fi;
    if
    :: state[a] == asks && votes(a) >= Q ->
        top = vote[AT(a, 0)];
        if :: vote[AT(a, 1)] > top -> top = vote[AT(a, 1)] :: else fi;
        if :: vote[AT(a, 2)] > top -> top = vote[AT(a, 2)] :: else fi;
        if
#ifdef NO_EQUAL
        :: establish(a, top)
#else
        :: equal_votes(a, top) >= Q -> establish(a, top)
        :: else -> raise_to[a] = top
#endif
        fi
    :: else
    fi
}

inline read_or_lose(a, n) {
    if
    :: state[a] != over -> read(a, n)
    :: skip
    fi
}

/* What can happen between one attempt and one node. */
proctype line(byte a; byte n) {
end:
    do
    /* The node executes a vote: the lock is free, or is this attempt's already. The client's proposal or the node's
     * clock may make a number greater than necessary. */
    :: atomic {
        holder[n] == 0 && last[n] < MOST ->
        last[n]++;
        if :: last[n] < MOST -> last[n]++ :: skip fi;
        holder[n] = a + 1;
        read_or_lose(a, n)
       }
    :: atomic { holder[n] == a + 1 && state[a] != over -> read(a, n) }

    /* The node executes a raise, or a renewal of the holder. */
    :: atomic {
#ifdef NO_RAISE_CHECK
        raise_to[a] > 0 && holder[n] > 0 ->
#else
        raise_to[a] > 0 && holder[n] == a + 1 ->
#endif
        if :: last[n] < raise_to[a] -> last[n] = raise_to[a] :: else fi;
        read_or_lose(a, n)
       }

    /* The node executes a release. */
#ifdef NO_RELEASE_CHECK
    :: atomic { holder[n] > 0 && state[a] == over -> holder[n] = 0 }
#else
    :: atomic { holder[n] == a + 1 && state[a] == over -> holder[n] = 0 }
#endif

    /* By the client's clock, this vote is in force no more. */
    :: atomic {
        vote[AT(a, n)] > 0 ->
        vote[AT(a, n)] = 0;
        if
#ifdef NO_QTH
        :: state[a] == holds && votes(a) == 0 -> finish(a)
#else
        :: state[a] == holds && votes(a) < Q -> finish(a)
#endif
        :: else
        fi
       }

    /* The lease ends at the node. The client's deadline for it has passed before. */
    :: atomic { holder[n] == a + 1 && vote[AT(a, n)] == 0 -> holder[n] = 0 }
#if LOSSES

    /* The node loses its number, but not the lock: quorum_restart.pml is about that. Numbers follow the clocks, so
     * the next one is not smaller than any that was given out. */
    :: atomic {
        losses < LOSSES ->
        losses++;
#ifdef NO_CLOCK
        last[n] = 0
#else
        if :: last[0] > last[n] -> last[n] = last[0] :: else fi;
        if :: last[1] > last[n] -> last[n] = last[1] :: else fi;
        if :: last[2] > last[n] -> last[n] = last[2] :: else fi
#endif
       }
#endif
    od
}

/* A client gives up, or releases the lock, at any time. */
proctype attempt(byte a) {
end:
    atomic { state[a] != over -> finish(a) }
}

init {
    byte a, n;
    atomic {
        /* Node 2 may be ahead: its clock, or what is left of its data. */
        if :: last[2] = 0 :: last[2] = 2 fi;
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
        od
    }
}
