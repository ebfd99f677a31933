// The defects of condition variables.
#include "sim/mutants.h"

namespace pawl::sim {

using code = base::mutant;

std::vector<mutant> condition_mutants()
{
    return {
        {"D19-condition", "a waiter does not look again by itself", code::d19_no_timer, {}},
        {"cond-two-steps",
         "a waiter first gives the lock back, and joins the condition with its next request",
         code::condition_in_two_steps,
         {{"    return 1\n  end\n  return who and -1 or 0\nend\n",
           "    return 1\n  end\n"
           "  redis.call('RPUSH', KEYS[4], ARGV[5], string.format('%013.0f', "
           "math.floor(micros / 1000) + ARGV[7]) .. 'x' .. ARGV[6])\n"
           "  redis.call('PEXPIRE', KEYS[4], ARGV[7])\n  return 1\nend\n"}}},
        {"cond-no-place",
         "a waiter gives the lock back and gets no place",
         code::none,
         {{"redis.call('RPUSH', KEYS[4], ARGV[5], ", "redis.pcall('ECHO', ARGV[5], "}}},
        {"cond-drops",
         "a notification removes a living waiter, and does not put it into the queue",
         code::none,
         {{"redis.call('RPUSH', KEYS[3], waiter, place)",
           "if woken > 0 then redis.call('RPUSH', KEYS[3], waiter, place) end"}}},
        {"cond-herd",
         "one notification wakes all waiters",
         code::none,
         {{"woken = woken + 1", "woken = woken + 0.001"}}},
        {"cond-kept",
         "a notification does not hand over a lock that is free",
         code::none,
         {{"if woken > 0 and (not who) then", "if false then"},
          {"elseif woken > 0 and #who == 48 then",
           "elseif woken > 0 and who and #who == 48 then"}}},
        {"cond-dead",
         "a notification is given to a dead waiter",
         code::none,
         {{"if listeners and listeners > 0 then\n    redis.call('RPUSH', KEYS[3], waiter",
           "if true then\n    redis.call('RPUSH', KEYS[3], waiter"}}},
        {"cond-waits-on",
         "a waiter that the server does not have in the condition waits on",
         code::condition_waits_on,
         {}},
        {"cond-stays",
         "a waiter whose limit has passed does not leave the condition",
         code::condition_stays,
         {}},
        {"cond-leaves-briefly",
         "a waiter that gave up tries to leave the condition only while its lease lasts",
         code::condition_leaves_briefly,
         {}},
        {"cond-repeat-is-lost",
         "a repeated wait that finds its waiter nowhere is lost, and so is its notification",
         code::condition_repeat_is_lost,
         {}},
        {"cond-hold-without-end",
         "a hold of a lock with a condition does not end after its longest time",
         code::hold_without_end,
         {}},
        {"cond-no-beat-needed",
         "a lock with a condition is renewed although the work makes no progress",
         code::renewed_without_beat,
         {}},
        {"cond-no-expiry",
         "a condition has no expiry and is left behind",
         code::none,
         {{"if redis.call('PTTL', KEYS[4]) < tonumber(ARGV[7]) then", "if false then"},
          {"if redis.call('PTTL', KEYS[4]) < tonumber(ARGV[3]) then", "if false then"}}},
    };
}

}  // namespace pawl::sim
