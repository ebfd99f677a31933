// The defects of jobs that run once per period.
#include "sim/mutants.h"

namespace pawl::sim {

using code = base::mutant;

std::vector<mutant> once_mutants()
{
    return {
        {"mark-too-short",
         "the mark of a run expires before its period is over",
         code::none,
         {{"'PX', ARGV[5] - 1)", "'PX', math.ceil(ARGV[5] / 2))"},
          {"- 1, now + 1))", "- math.ceil(ARGV[5] / 2), now + 1))"}}},
        {"frees-other-mark",
         "the end of a run removes the mark of another run",
         code::none,
         {{"if (mark == 'once ' .. ARGV[1] or mark == 'retry ' .. ARGV[1]) then\n  if ARGV[4]",
           "if mark then\n  if ARGV[4]"}}},
        {"begins-twice",
         "the client takes its run back although it has begun",
         code::once_taken_back,
         {}},
        {"failure-counts",
         "a run that has failed counts although it is to be retried",
         code::none,
         {{"    redis.call('DEL', KEYS[4])\n",
           "    redis.call('SET', KEYS[4], 'done', 'PX', redis.call('PTTL', KEYS[4]) + 1)\n"}}},
        {"crash-counts",
         "a run whose process has crashed counts although it is to be retried",
         code::none,
         {{"string.sub(mark, 1, 6) ~= 'retry '", "mark"}}},
    };
}

}  // namespace pawl::sim
