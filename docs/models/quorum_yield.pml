/* The quorum: tickets, hand-over by a node, and yield. Checks that there is one holder.
 *
 * Node 0 is modelled completely, with every message on its way. Of the nodes 1 and 2 only the votes are: they are
 * given and withdrawn at any time. So the rules for one node are checked against whatever the others do. Numbers need
 * not be equal here: an attempt holds as soon as it has Q votes. quorum_vote.pml checks the numbers.
 *
 * README.md says what is left out and why. The number of an attempt is its ticket: attempt 0 has the smallest. The
 * node may execute a vote or a release at any later time, more than once, or never. A yield is sent once, and may be
 * late. The messages of the node to one client arrive in order, or are lost.
 */
#define Q 2
#ifndef A
#define A 3 /* attempts, 2 or 3 */
#endif
#ifndef MOST
#define MOST 4 /* no number is greater */
#endif
#define ROOM 2 /* messages of the node on their way to one client */

mtype = { asks, holds, over };
mtype = { yes, kept, gone }; /* yes: the answer to a vote, or a grant by hand-over; the others answer a yield */

/* Node 0. */
byte holder; /* 1 + the attempt, or 0 */
byte last;   /* the last number that the node gave out */
bool waits[A];

/* On the way. */
byte yield_of[A];                               /* the number in a yield, or 0 */
chan message[A] = [ROOM] of { mtype, byte, byte }; /* what, the node's number, the number in the yield */

/* The attempts. */
mtype state[A] = asks;
byte vote[A];       /* the number of a vote that is in force by the client's own clock, or 0 */
byte pending[A];    /* the number in a yield whose answer the client waits for, or 0 */
byte unanswered[A]; /* the number in a yield that got no answer in time, or 0 */
#ifdef NO_KEPT_LEASE
bool too_short[A]; /* the client counts on a longer lease than the node has */
#endif

/* Nodes 1 and 2: 1 + the attempt that has the vote, or 0. */
byte other[2];

byte holding; /* how many attempts believe that they hold the lock */

/* Used inside one step only, so no part of the state. */
hidden byte number, asked, i;
hidden mtype what;

#define votes(a) ((vote[a] > 0) + (other[0] == a + 1) + (other[1] == a + 1))
#define earlier(a) ((a > 0 && waits[0]) || (a > 1 && waits[1]))
#if A == 2
#define anyone (waits[0] || waits[1])
#else
#define anyone (waits[0] || waits[1] || waits[2])
#endif

/* If there is no room, the oldest message is lost. A client that waits no more reads nothing. */
inline tell(a, kind, in_yield) {
    if
    :: state[a] != over ->
        if :: len(message[a]) == ROOM -> message[a]?what, number, asked :: else fi;
        message[a]!kind, last, in_yield
    :: else
    fi
}

inline drop_messages(a) {
    do
    :: len(message[a]) > 0 -> message[a]?what, number, asked
    :: else -> break
    od
}

/* The node grants to the waiter with the smallest ticket. Without waiters it is free. */
inline hand_over() {
    if
    :: anyone && last < MOST ->
        if
        :: waits[0] -> i = 0
        :: !waits[0] && waits[1] -> i = 1
        :: else -> i = 2
        fi;
        waits[i] = false;
        last++;
        holder = i + 1;
        tell(i, yes, 0)
    :: else -> holder = 0
    fi
}

inline finish(a) {
    if :: state[a] == holds -> holding-- :: else fi;
    state[a] = over;
    vote[a] = 0; pending[a] = 0; unanswered[a] = 0;
#ifdef NO_KEPT_LEASE
    too_short[a] = false;
#endif
    if :: other[0] == a + 1 -> other[0] = 0 :: else fi;
    if :: other[1] == a + 1 -> other[1] = 0 :: else fi;
    drop_messages(a)
}

/* After a vote came: is it the last that was needed? After one went: was it needed? */
inline consider(a) {
    if
    :: state[a] == asks && votes(a) >= Q ->
        state[a] = holds;
        holding++;
        assert(holding == 1);
#ifdef WITNESS
        /* A vote counts again, although an old yield of it is still on its way. */
        assert(yield_of[a] == 0 || vote[a] == 0);
#endif
    :: state[a] == holds && votes(a) < Q -> finish(a)
    :: else
    fi
}

inline read(a) {
    if
    :: (what == yes && pending[a] == 0) || (what == kept && pending[a] > 0 && pending[a] == asked) ->
        pending[a] = 0;
        if
        :: number > unanswered[a] ->
            vote[a] = number;
#ifdef NO_KEPT_LEASE
            too_short[a] = (what == kept);
#endif
        :: else
        fi;
        consider(a)
    :: what == gone && pending[a] > 0 && pending[a] == asked -> pending[a] = 0
    :: else
    fi
}

/* Everything that can happen to one attempt. */
proctype attempt(byte a) {
end:
    do
    /* The node executes a vote: free; another one's; this attempt's. */
    :: atomic { state[a] == asks && holder == 0 && last < MOST -> waits[a] = true; hand_over() }
    :: atomic { state[a] == asks && holder > 0 && holder != a + 1 && !waits[a] -> waits[a] = true }
    :: atomic {
        state[a] == asks && holder == a + 1 && len(message[a]) < ROOM && (last > unanswered[a] || last < MOST) ->
        if
        :: last <= unanswered[a] -> last++ /* the client asks for a new number */
        :: else
        fi;
        tell(a, yes, 0)
       }

    /* The client yields: it has votes, and no majority. */
    :: atomic {
        state[a] == asks && vote[a] > 0 && yield_of[a] == 0 ->
        yield_of[a] = vote[a];
#ifndef NO_PENDING
        pending[a] = vote[a];
        vote[a] = 0
#endif
       }

    /* The client waits no longer for the answer to a yield. */
    :: atomic {
        pending[a] > 0 ->
#ifndef NO_NEW_NUMBER
        unanswered[a] = pending[a];
#endif
        pending[a] = 0
       }

    /* The node executes a yield. Another attempt has the vote; or it is one of a later number; or an earlier ticket
     * waits; or this ticket is the first. */
    :: atomic {
        yield_of[a] > 0 ->
        if
        :: holder != a + 1 -> tell(a, gone, yield_of[a])
#ifdef NO_YIELD_NUMBER
        :: holder == a + 1 && earlier(a) && last < MOST ->
#else
        :: holder == a + 1 && last != yield_of[a] -> tell(a, kept, yield_of[a])
        :: holder == a + 1 && last == yield_of[a] && earlier(a) && last < MOST ->
#endif
            waits[a] = true;
            tell(a, gone, yield_of[a]);
            hand_over()
        :: else -> tell(a, kept, yield_of[a])
        fi;
#ifdef NO_SINGLE_YIELD
        if :: yield_of[a] = 0 :: skip fi
#else
        yield_of[a] = 0
#endif
       }
    :: atomic { yield_of[a] > 0 -> yield_of[a] = 0 } /* it is lost */

    /* The node executes a release. */
    :: atomic {
        state[a] == over && (holder == a + 1 || waits[a]) ->
        waits[a] = false;
        if :: holder == a + 1 -> hand_over() :: else fi
       }

    /* The client reads a message of the node, or it is lost. */
    :: atomic { len(message[a]) > 0 -> message[a]?what, number, asked; read(a) }
    :: atomic { len(message[a]) > 0 -> message[a]?what, number, asked }
#ifdef NO_ORDER
    :: atomic {
        len(message[a]) == ROOM -> /* the second one overtakes the first */
        message[a]?what, number, asked;
        message[a]!what, number, asked;
        message[a]?what, number, asked;
        read(a)
       }
#endif

    /* By the client's clock, the vote is in force no more. */
    :: atomic {
        vote[a] > 0 ->
        vote[a] = 0;
#ifdef NO_KEPT_LEASE
        too_short[a] = false;
#endif
        consider(a)
       }

    /* The lease ends at the node. The client's deadline for it has passed before, also for answers on the way. */
#ifdef NO_KEPT_LEASE
    :: atomic { holder == a + 1 && too_short[a] -> holder = 0 }
#endif
    :: atomic { holder == a + 1 && vote[a] == 0 -> holder = 0; drop_messages(a) }

    /* The other nodes. */
    :: atomic { state[a] == asks && other[0] == 0 -> other[0] = a + 1; consider(a) }
    :: atomic { state[a] == asks && other[1] == 0 -> other[1] = a + 1; consider(a) }
    :: atomic { other[0] == a + 1 -> other[0] = 0; consider(a) }
    :: atomic { other[1] == a + 1 -> other[1] = 0; consider(a) }

    /* The client gives up, or releases the lock. */
    :: atomic { state[a] != over -> finish(a) }
    od
}

init {
    atomic {
        run attempt(0);
        run attempt(1);
#if A == 3
        run attempt(2)
#endif
    }
}
