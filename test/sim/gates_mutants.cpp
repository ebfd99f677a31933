// The defects of latches and barriers.
#include "sim/gates.h"

namespace pawl::sim {

using code = base::mutant;

std::vector<mutant> gates_mutants()
{
    return {
        {"counts-again",
         "an arrival that is repeated counts twice",
         code::none,
         {{"local seen = number and tonumber(number) >= tonumber(ARGV[2])", "local seen = false"}}},
        {"new-number",
         "a client gives a new number to an arrival that it repeats",
         code::arrival_numbered_anew,
         {}},
        {"opens-early",
         "a gate opens although one arrival is missing",
         code::none,
         {{"local opens = left == 0\n",
           "local opens = left == 0 or left == 1 and tonumber(expected) > 1\n"
           "if opens then\n  left = 0\nend\n"}}},
        {"tells-nobody",
         "a gate opens, and its waiters are not told",
         code::none,
         {{"    if micros < place and string.sub(place, 35) == '' then", "    if false then"}}},
        {"tells-one",
         "only the first waiter is told",
         code::none,
         {{"    who, place = redis.call('LPOP', KEYS[3]), redis.call('LPOP', KEYS[3])\n  end\n",
           "    break\n  end\n"}}},
        {"loses-place",
         "a waiter that looks again loses its place, and does not look again by itself",
         code::d19_no_timer,
         {{"if flags % 4 >= 2 and micros < ends then\nlocal length",
           "if flags % 4 == 3 and redis.call('DEL', KEYS[3]) then\nelseif flags % 4 >= 2 and "
           "micros < ends "
           "then\nlocal length"}}},
        {"D19-gates", "a waiter does not look again by itself", code::d19_no_timer, {}},
        {"wrong-phase",
         "a waiter at a barrier is released by the end of an earlier phase",
         code::none,
         {{"mine > 0 and mine < tonumber(phase) then",
           "mine > 0 and (mine < tonumber(phase) or mine > tonumber(first)) then"}}},
        {"same-phase",
         "a phase of a barrier has the number of the one before",
         code::none,
         {{"  phase = string.format('%016.0f', phase + 1)\n",
           "  if not string.find(made, 'barrier', 1, true) then\n"
           "    phase = string.format('%016.0f', phase + 1)\n  end\n"}}},
        {"drop-not-counted",
         "a participant that drops out is still expected",
         code::none,
         {{"if ARGV[5] == '1' then\n  expected = expected - 1",
           "if false then\n  expected = expected - 1"}}},
        {"drop-at-once",
         "a participant that drops out is not expected in the same phase either",
         code::none,
         {{"if ARGV[5] == '1' then\n  expected = expected - 1",
           "if ARGV[5] == '1' then\n  left = math.max(left - 1, 0)\n  expected = expected - 1"}}},
    };
}

}  // namespace pawl::sim
