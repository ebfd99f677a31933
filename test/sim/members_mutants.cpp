// The defects of shared_mutex and counting_semaphore.
#include "sim/mutants.h"

namespace pawl::sim {

using code = base::mutant;

std::vector<mutant> members_mutants()
{
    return {
        {"D19-members", "a waiter does not look again by itself", code::d19_no_timer, {}},
        {"D23-release",
         "a release lets in nobody",
         code::none,
         {{"  return left\nend\nlocal own_place = ''\n"
           "local first, entered = redis.call('LINDEX', KEYS[3], 0), nil\n",
           "  return left\nend\nlocal own_place = ''\nlocal first, entered = false, nil\n"}}},
        {"D23-gives-up",
         "a writer that gives up its place does not let in the readers behind it",
         code::none,
         {{"  return left\nend\nlocal own_place = ''\n"
           "local first, entered = redis.call('LINDEX', KEYS[3], 0), nil\n",
           "  return left\nend\nlocal own_place = ''\n"
           "local first, entered = left == 1 and redis.call('LINDEX', KEYS[3], 0), nil\n"}}},
        {"D23-one",
         "only the first of several readers in the queue is let in",
         code::none,
         {{"  first = redis.call('LINDEX', KEYS[3], 0)\nend", "  break\nend"}}},
        {"D23-downgrade",
         "a writer that becomes a reader does not let in the readers behind it",
         code::none,
         {{"  redis.call('PEXPIRE', KEYS[1], lives)\nend\nlocal own_place = ''\n"
           "local first, entered = redis.call('LINDEX', KEYS[3], 0), nil\n",
           "  redis.call('PEXPIRE', KEYS[1], lives)\nend\nlocal own_place = ''\n"
           "local first, entered = false, nil\n"}}},
        {"upgrade-beside",
         "a reader becomes the writer although other readers are in",
         code::none,
         {{"if out - tonumber(string.sub(ARGV[6], 33)) + weight > capacity then",
           "if false then"}}},
        {"beside-writer",
         "a reader is let in although a writer is in",
         code::none,
         {{"local fits = out + weight <= capacity",
           "local fits = (out + weight <= capacity or weight == 1 and wanted == '')"}}},
        {"too-many",
         "more permits are granted than there are",
         code::none,
         {{"local fits = out + weight <= capacity",
           "local fits = (out + weight <= capacity or wanted ~= '' and out < capacity)"},
          {"if waits and out + weight > capacity then",
           "if waits and out + weight > capacity and (wanted == '' or out >= capacity) then"}}},
        {"ended-counts",
         "a holder whose lease has ended is not removed",
         code::none,
         {{"ended = ended + (tonumber(string.sub(name, 33)) or 0)", "ended = 0"}}},
        {"counts-twice",
         "the weight of a repeated request is counted twice",
         code::none,
         {{"elseif tonumber(before) < ends then\n  redis.call('ZADD', KEYS[1], ends, who)\n",
           "else\n  out = out + weight\n"
           "  redis.call('ZADD', KEYS[1], ends, who, -out, 'out')\n"}}},
        {"overtakes-queue",
         "a newcomer enters although others wait",
         code::none,
         {{"(flags % 8 < 4 or not first)", "true"}}},
        {"revives",
         "a renewal brings back a holder whose lease has ended",
         code::none,
         {{"elseif ends and tonumber(ends) > now then", "elseif ends then"}}},
        {"shortens-members",
         "a renewal shortens a lease that was extended",
         code::none,
         {{"if tonumber(ends) < now + lease then", "if true then"}}},
        {"reader-behind",
         "a reader gets a smaller fence than the last writer",
         code::none,
         {{"local number = last\n",
           "local number = #last == 16 and string.format('%016.0f', last - 1) or last\n"}}},
        {"reader-ahead",
         "a reader gets a greater fence than the next writer",
         code::none,
         {{"local number = last\n",
           "local number = #last == 16 and string.format('%016.0f', micros + 60000000) or "
           "last\n"}}},
        {"same-fence",
         "writers and permits get the last fence, as readers do",
         code::none,
         {{"if string.sub(place, 14, 14) ~= 's' or #last ~= 16 then", "if #last ~= 16 then"}}},
        {"dead-blocks",
         "a dead waiter that does not fit blocks those behind it",
         code::none,
         {{"if waits and out + weight > capacity then", "if out + weight > capacity then"}}},
        {"dead-let-in",
         "a dead waiter is let in",
         code::none,
         {{"waits = listeners[2] > 0", "waits = true"}}},
        {"keeps-place",
         "a waiter that enters when it asks again keeps its place in the queue",
         code::none,
         {{"entered = number\n",
           "entered = number\n      redis.call('RPUSH', KEYS[3], who, place)\n      break\n"}}},
    };
}

}  // namespace pawl::sim
