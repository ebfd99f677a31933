/* One server: acquire, the queue, hand-over and its message, release, crash, and the end of a lease.
 *
 * README.md says what is left out and why. An attempt is one try of a client to get the lock, with a holder id of its
 * own. The server may execute an acquire or a release at any later time, more than once, or never. The client reads
 * the answer in the same step, or the answer is lost. The message about a hand-over may come late, or be lost.
 *
 * The number of troubles is limited: of lost answers and messages, of crashes, and of subscriptions that change. All
 * runs are finite for this reason. So at the end of each run one can see whether an attempt was forgotten.
 */
#ifndef A
#define A 3 /* attempts */
#endif
#ifndef TROUBLES
#define TROUBLES 3
#endif

mtype = { asks, holds, over, crashed };
mtype = { here, elsewhere, nowhere }; /* elsewhere: a replica, where messages arrive too, but this server does not know */

/* The server. */
byte holder; /* 1 + the attempt, or 0 */
byte last;   /* the last fence */
chan queue = [A] of { byte };
bool queued[A];
mtype listens[A] = here;

/* On the way: the fence in the message about a hand-over. */
chan message[A] = [1] of { byte };

/* The attempts. */
mtype state[A] = asks;
#ifdef NO_LOOK
bool asked[A];
#endif

/* For the checks. */
byte holding;  /* how many attempts believe that they hold the lock */
byte greatest; /* the greatest fence so far */
byte troubles;

/* Used inside one step only, so no part of the state. */
hidden byte first, fence;

inline establish(a, f) {
    state[a] = holds;
    holding++;
    assert(holding == 1);
    assert(f > greatest);
    greatest = f;
#ifdef WITNESS
    assert(f < A || troubles > 0);
#endif
}

inline read_or_lose(a) {
    if
    :: state[a] == asks -> establish(a, last)
    :: troubles < TROUBLES -> troubles++
    fi
}

inline leave_queue(a) {
    if
    :: queued[a] -> queue??eval(a); queued[a] = false
    :: else
    fi
}

inline drop_message(a) {
    if
    :: len(message[a]) > 0 -> message[a]?fence
    :: else
    fi
}

/* The lock goes to the first waiter whose client listens, or is free. */
inline hand_over() {
    holder = 0;
    do
    :: holder == 0 && len(queue) > 0 ->
        queue?first;
        queued[first] = false;
#ifdef NO_NUMSUB
        /* Grants first, and takes the result of PUBLISH for the number of listeners. */
        last++;
        if
        :: listens[first] != nowhere -> drop_message(first); message[first]!last
        :: else
        fi;
        if
        :: listens[first] == here -> holder = first + 1
        :: else
        fi
#else
        if
        :: listens[first] == here ->
#ifndef NO_NEW_FENCE
            last++;
#endif
            holder = first + 1;
            drop_message(first);
            message[first]!last
        :: else
        fi
#endif
    :: else -> break
    od
}

/* The client counts on the lock no more: it gave up, released it, lost it, or crashed. */
inline finish(a, to) {
    if :: state[a] == holds -> holding-- :: else fi;
    state[a] = to;
    drop_message(a)
}

#ifdef NO_LOOK
#define may_ask(a) (!asked[a])
#else
#ifdef NO_NEW_ID
#define may_ask(a) (a != 1 || state[0] == over) /* attempts 0 and 1 are of one client, with one id */
#else
#define may_ask(a) true
#endif
#endif

/* Everything that can happen to one attempt. */
proctype attempt(byte a) {
end:
    do
    /* The server executes an acquire, or a look, which is the same. Looks that would change nothing are left out. */
    :: atomic {
        state[a] == asks && may_ask(a) && (holder == 0 || holder == a + 1) ->
#ifdef NO_LOOK
        asked[a] = true;
#endif
        last++;
        holder = a + 1;
        leave_queue(a);
        read_or_lose(a)
       }
    :: atomic {
        state[a] == asks && may_ask(a) && holder > 0 && holder != a + 1 && !queued[a] && listens[a] != nowhere ->
#ifdef NO_LOOK
        asked[a] = true;
#endif
        queue!a;
        queued[a] = true
       }

    /* The server executes a release. */
    :: atomic { state[a] == over && queued[a] -> leave_queue(a) }
#ifdef NO_HOLDER_CHECK
    :: atomic { state[a] == over && holder > 0 -> hand_over() }
#else
#ifdef NO_NEW_ID
    :: atomic { state[a] == over && (holder == a + 1 || (a == 0 && holder == 2)) -> hand_over() }
#else
    :: atomic { state[a] == over && holder == a + 1 -> hand_over() }
#endif
#endif

    /* The message about a hand-over arrives, or is lost. */
    :: atomic {
        len(message[a]) > 0 ->
        message[a]?fence;
        if
        :: state[a] == asks -> establish(a, fence)
        :: else
        fi
       }
    :: atomic { len(message[a]) > 0 && troubles < TROUBLES -> message[a]?fence; troubles++ }

    /* The lease ends at the server. The client's deadline has passed before, also for a message on its way, because
     * it is counted from the time of the hand-over. */
    :: atomic {
        holder == a + 1 && state[a] != holds ->
        holder = 0;
#ifndef NO_HAND_OVER_TIME
        drop_message(a)
#endif
       }

    /* The client gives up, or releases the lock, or its deadline passes. Attempt 0 does not give up, so that it can
     * be seen whether it was forgotten. */
    :: atomic { (state[a] == asks && a > 0) || state[a] == holds -> finish(a, over) }

    /* It crashes. The server closes its subscription at some time. */
    :: atomic { (state[a] == asks || state[a] == holds) && troubles < TROUBLES -> troubles++; finish(a, crashed) }
    :: atomic { state[a] == crashed && listens[a] != nowhere -> listens[a] = nowhere }

    /* Its subscription breaks, and is made again: here or elsewhere. */
    :: atomic {
        state[a] == asks && listens[a] != nowhere && troubles < TROUBLES ->
        troubles++;
        listens[a] = nowhere;
        drop_message(a)
       }
    :: atomic { state[a] == asks && listens[a] == nowhere -> listens[a] = here }
    :: atomic { state[a] == asks && listens[a] == nowhere -> listens[a] = elsewhere }
    od
}

/* Nothing can happen any more. */
proctype watch() {
end:
    timeout -> assert(state[0] != asks)
}

init {
    byte a;
    atomic {
        do
        :: a < A -> run attempt(a); a++
        :: else -> break
        od;
        run watch()
    }
}
