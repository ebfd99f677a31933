// The defects of many locks at once.
#include "sim/mutants.h"

namespace pawl::sim {

using code = base::mutant;

std::vector<mutant> many_mutants()
{
    return {
        {"D19-many", "a waiter does not look again by itself", code::d19_no_timer, {}},
        {"D37",
         "a set that is given back, or given up, leaves some of its locks held",
         code::none,
         {{"for i = 1, #all, 3 do\n  local KEYS, ARGV = {all[i], all[i + 1], all[i + 2]}, {asked",
           "for i = 1, 3, 3 do\n  local KEYS, ARGV = {all[i], all[i + 1], all[i + 2]}, {asked"}}},
        {"D37-cancelled",
         "the locks that a cancelled call may have taken are not given back",
         code::d9_no_cleanup,
         {}},
        {"D37-part",
         "a waiter that gives up keeps its part",
         code::none,
         {{"    is_held = found", "    is_held = false and found"}}},
        {"D37-waits",
         "a set waits for the rest with a part in hand",
         code::none,
         {{"if whose[i] == part then", "if false then"}}},
        {"long-part", "a part is handed over for the whole lease", code::part_has_whole_lease, {}},
        {"part-is-whole", "a waiter takes a part for the whole", code::part_is_whole, {}},
        {"parts-block",
         "two sets that have a part each send each other away",
         code::none,
         {{"not (has_part and #who == 32", "not (false and #who == 32"}}},
        {"takes-part",
         "a newcomer takes the part of a waiter",
         code::none,
         {{"not (has_part and #who == 32", "not (#who == 32"}}},
        {"takes-busy",
         "a set takes the rest although another holder has a lock of it",
         code::none,
         {{"    busy = busy or i\n", "    busy = not has_part and (busy or i)\n"}}},
        {"first-fence",
         "the fence is greater than those of the first lock only",
         code::none,
         {{"if (tonumber(known) or 0) > (tonumber(last) or 0) then", "if i == 2 then"}}},
        {"one-fence",
         "the fence is remembered for the first lock only",
         code::none,
         {{"for i = 5, #all, 3 do\n  redis.call('SET', all[i], kept, 'PX', lifetime)\nend\n", ""}}},
        {"renews-rest",
         "a set is renewed although one of its locks is lost",
         code::none,
         {{"reply = math.min(reply, -redis.call('EXISTS', key))", "reply = 1"}}},
        {"two-queues",
         "a waiter keeps its place in the queue of another lock",
         code::none,
         {{"if i ~= busy then", "if false then"}}},
        {"forgets-next",
         "a part that is given back is not handed over to the next waiter",
         code::none,
         {{"      local first, last = redis.call('LPOP', KEYS[3]), redis.pcall('GET', KEYS[2])",
           "      local first, last = false, redis.pcall('GET', KEYS[2])"}}},
    };
}

}  // namespace pawl::sim
