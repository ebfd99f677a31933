#include "sim/mutants.h"

#include "redis/scripts.h"

#include <algorithm>
#include <stdexcept>

namespace pawl::sim {
namespace {

using code = base::mutant;

std::function<std::string(std::string_view)> mutation;

std::string changed(std::string_view script, const std::vector<mutant::change>& changes)
{
    std::string text{script};
    for (const auto& [from, to] : changes) {
        // The text may occur in a script several times.
        for (auto at = text.find(from); at != std::string::npos;
             at = text.find(from, at + to.size())) {
            text.replace(at, from.size(), to);
        }
    }
    return text;
}

}  // namespace

std::span<const mutant> all_mutants()
{
    static const std::vector<mutant> all{
        {"D1-extend",
         "a renewal succeeds although another client holds the lock",
         code::none,
         {{"elseif found == holder then", "elseif found then"},
          {"elseif found then\n", "elseif redis.call('EXISTS', key) == 1 then\n"}}},
        {"D1-release",
         "a release succeeds although another client holds the lock",
         code::none,
         {{"if who ~= ARGV[1] then\nlocal found", "if not who then\nlocal found"}}},
        {"D1-count",
         "a re-entry succeeds although another client holds the lock",
         code::none,
         {{"if not redis.call('HGET', KEYS[1], ARGV[1]) then\n"
           "  return -redis.call('EXISTS', KEYS[1])\nend\nredis.call('PEXPIRE'",
           "redis.call('PEXPIRE'"}}},
        {"D2",
         "a renewal creates a lost lock again",
         code::none,
         {{"local found = redis.pcall('GET', key)\n  if type",
           "redis.call('SET', key, holder, 'NX', 'PX', lease)\n"
           "  local found = redis.pcall('GET', key)\n  if type"},
          {"local found = redis.pcall('HGET', key, holder)\n  if type",
           "if redis.call('EXISTS', key) == 0 then\n    redis.call('HSET', key, holder, 1)\n"
           "    redis.call('PEXPIRE', key, lease)\n  end\n"
           "  local found = redis.pcall('HGET', key, holder)\n  if type"}}},
        {"D3-acquire",
         "the deadline is counted from the arrival of the reply",
         code::d3_deadline_from_reply,
         {}},
        {"D3-renew",
         "the deadline after a renewal is counted from the arrival of the reply",
         code::d3_renewal_from_reply,
         {}},
        {"D4", "the deadline is measured by the wall clock", code::d4_wall_clock, {}},
        {"D5", "a lock is granted although nothing is left of its lease", code::d5_stale_grant, {}},
        {"D7", "drift is added instead of subtracted", code::d7_drift_added, {}},
        {"D9",
         "a lock that a failed acquire may have taken is not given back",
         code::d9_no_cleanup,
         {}},
        {"D12",
         "a lock is taken although another client holds it",
         code::none,
         {{"local free = (not who)", "local free = redis.call('DEL', KEYS[1]) >= 0"}}},
        {"D13",
         "a loss is noticed only when the renewal returns",
         code::d13_loss_waits_for_renewal,
         {}},
        {"D14-survives", "renewals go on after the release", code::d14_renewal_survives, {}},
        {"D14-storm",
         "a lease is renewed again as soon as it was renewed",
         code::d14_renewal_storm,
         {}},
        {"D15", "a race ends the renewals of a held lock", code::d15_renewal_forgotten, {}},
        {"D16",
         "leases that their own client has lost are renewed",
         code::d16_renews_what_is_lost,
         {}},
        {"D17",
         "a repeated acquire counts as a re-entry",
         code::none,
         {{"if not free and redis.call('PTTL', KEYS[1]) < tonumber(lease) then",
           "if not free and redis.call('TYPE', KEYS[1]).ok == 'hash' and\n"
           "    redis.call('HINCRBY', KEYS[1], ARGV[1], 1) and\n"
           "    redis.call('PTTL', KEYS[1]) < tonumber(lease) then"},
          {"local first = redis.call('LPOP', KEYS[3])\nif not first",
           "if redis.call('TYPE', KEYS[1]).ok == 'hash' and redis.call('HINCRBY', KEYS[1], "
           "ARGV[1], -1) > 0 then\n"
           "  return 1\nend\nlocal first = redis.call('LPOP', KEYS[3])\nif not first"}}},
        {"D19", "a waiter does not look again by itself", code::d19_no_timer, {}},
        {"D20",
         "one release wakes all waiters",
         code::none,
         {{"first = (not who) and", "first ="}}},
        {"D21-dead",
         "a dead waiter is not skipped",
         code::none,
         {{"listeners > 0 and", "listeners >= 0 and"}}},
        {"D21-keys",
         "the queue has no expiry and is left behind",
         code::none,
         {{"  redis.call('PEXPIREAT', KEYS[3], ends)\n", ""}}},
        {"D22",
         "the end of a place is read in another unit than the server's clock",
         code::none,
         {{"if place and micros < place then",
           "if place and string.sub(place, 1, 13) / 1000 > tonumber(micros) then"}}},
        {"D32", "a waiter that gave up stays in the queue", code::d32_waiter_stays, {}},
        {"D18", "a repeated release is an error for the owner", code::d18_release_error, {}},
        {"D25",
         "the fence starts from 1 after the server lost its data",
         code::none,
         {{"if #last ~= 16 or last >= micros or", "if true or"},
          {"math.max((tonumber(last) or 0) + 1, tonumber(micros))", "(tonumber(last) or 0) + 1"}}},
        {"D34-unknown",
         "a script that the server does not know is an error",
         code::d34_no_script,
         {}},
        {"D34-in-full",
         "the text of the script is sent with every call",
         code::d34_script_in_full,
         {}},
        {"D36",
         "release and renewal are refused when memory is full",
         code::none,
         {{"#!lua flags=allow-oom", "#!lua"}}},
        {"shortens",
         "a renewal shortens a lease that was extended",
         code::none,
         {{"redis.pcall('PEXPIRE', key, lease, 'GT') ~= 1 and\n"
           "        redis.call('PTTL', key) < tonumber(lease) then",
           "true then"}}},
        {"far-back",
         "a fence is forgotten when the clock was set back by days",
         code::none,
         {{"  lifetime = '86400000' + math.max(math.ceil((kept - micros) / 1000), 0)\n", ""},
          {"'PX', '86400000' + math.max(math.ceil((kept - micros) / 1000), 0)",
           "'PX', '86400000'"}}},
        {"late-acquire",
         "an acquire is executed after its caller gave up",
         code::none,
         {{"if ARGV[2] < micros and", "if false and"}}},
        {"late-grant",
         "a waiter is granted the lock after its time limit",
         code::grant_after_limit,
         {}},
        {"old-grant",
         "the deadline of a grant is counted from the arrival of its message",
         code::grant_from_receipt,
         {}},
        {"stale-pass",
         "a lock is passed on with a fence that was used before",
         code::pass_on_stale_fence,
         {}},
        {"deaf-linger",
         "a lock goes on lingering although another client asks for it",
         code::lingers_when_wanted,
         {}},
        {"overtakes",
         "a newcomer takes a fair lock although others wait",
         code::none,
         {{"if flags % 8 >= 4 and", "if false and"}}},
        {"bare-overtakes", "a fair lock is taken by a bare acquire", code::bare_overtakes, {}},
        {"bare-unchecked",
         "any number that a bare acquire returns is accepted as the fence",
         code::bare_fence_unchecked,
         {}},
        {"bare-old-data",
         "the number of a bare acquire is accepted if it looks like a fence of pawl's",
         code::bare_fence_from_old_data,
         {}},
        {"bare-not-repeated",
         "the script that follows a bare acquire does not know that the bare acquire took the lock",
         code::bare_not_repeated,
         {}},
        {"D47",
         "only one of the waiters is told that the server is silent",
         code::d47_only_one_is_told,
         {}},
        {"D42",
         "a dead waiter looks alive because an observer subscribes to all channels",
         code::none,
         {{"if listeners and listeners > 0 and", "if"},
          {"if type(told) ~= 'number' then", "if type(told) ~= 'number' or told == 0 then"}}},
        {"D48",
         "the thread that reports a loss is started only when a loss happens",
         code::d48_unprepared_for_loss,
         {}},
        {"D38", "a client uses one holder id for all its grants", code::d38_same_holder, {}},
        {"D19-members",
         "a waiter does not look again by itself",
         code::d19_no_timer,
         {},
         family::members},
        {"D23-release",
         "a release lets in nobody",
         code::none,
         {{"  return left\nend\nlocal own_place = ''\n"
           "local first, entered = redis.call('LINDEX', KEYS[3], 0), nil\n",
           "  return left\nend\nlocal own_place = ''\nlocal first, entered = false, nil\n"}},
         family::members},
        {"D23-gives-up",
         "a writer that gives up its place does not let in the readers behind it",
         code::none,
         {{"  return left\nend\nlocal own_place = ''\n"
           "local first, entered = redis.call('LINDEX', KEYS[3], 0), nil\n",
           "  return left\nend\nlocal own_place = ''\n"
           "local first, entered = left == 1 and redis.call('LINDEX', KEYS[3], 0), nil\n"}},
         family::members},
        {"D23-one",
         "only the first of several readers in the queue is let in",
         code::none,
         {{"  first = redis.call('LINDEX', KEYS[3], 0)\nend", "  break\nend"}},
         family::members},
        {"D23-downgrade",
         "a writer that becomes a reader does not let in the readers behind it",
         code::none,
         {{"  redis.call('PEXPIRE', KEYS[1], ends - now)\nend\nlocal own_place = ''\n"
           "local first, entered = redis.call('LINDEX', KEYS[3], 0), nil\n",
           "  redis.call('PEXPIRE', KEYS[1], ends - now)\nend\nlocal own_place = ''\n"
           "local first, entered = false, nil\n"}},
         family::members},
        {"upgrade-beside",
         "a reader becomes the writer although other readers are in",
         code::none,
         {{"if out - tonumber(string.sub(ARGV[6], 33)) + weight > capacity then", "if false then"}},
         family::members},
        {"beside-writer",
         "a reader is let in although a writer is in",
         code::none,
         {{"local fits = out + weight <= capacity",
           "local fits = (out + weight <= capacity or weight == 1 and wanted == '')"}},
         family::members},
        {"too-many",
         "more permits are granted than there are",
         code::none,
         {{"local fits = out + weight <= capacity",
           "local fits = (out + weight <= capacity or wanted ~= '' and out < capacity)"},
          {"if waits and out + weight > capacity then",
           "if waits and out + weight > capacity and (wanted == '' or out >= capacity) then"}},
         family::members},
        {"ended-counts",
         "a holder whose lease has ended is not removed",
         code::none,
         {{"ended = ended + (tonumber(string.sub(name, 33)) or 0)", "ended = 0"}},
         family::members},
        {"counts-twice",
         "the weight of a repeated request is counted twice",
         code::none,
         {{"elseif tonumber(before) < ends then\n  redis.call('ZADD', KEYS[1], ends, who)\n",
           "else\n  out = out + weight\n"
           "  redis.call('ZADD', KEYS[1], ends, who, -out, 'out')\n"}},
         family::members},
        {"overtakes-queue",
         "a newcomer enters although others wait",
         code::none,
         {{"(flags % 8 < 4 or not first)", "true"}},
         family::members},
        {"revives",
         "a renewal brings back a holder whose lease has ended",
         code::none,
         {{"elseif ends and tonumber(ends) > now then", "elseif ends then"}},
         family::members},
        {"shortens-members",
         "a renewal shortens a lease that was extended",
         code::none,
         {{"if tonumber(ends) < now + lease then", "if true then"}},
         family::members},
        {"reader-behind",
         "a reader gets a smaller fence than the last writer",
         code::none,
         {{"local number = last\n",
           "local number = #last == 16 and string.format('%016.0f', last - 1) or last\n"}},
         family::members},
        {"reader-ahead",
         "a reader gets a greater fence than the next writer",
         code::none,
         {{"local number = last\n",
           "local number = #last == 16 and string.format('%016.0f', micros + 60000000) or last\n"}},
         family::members},
        {"same-fence",
         "writers and permits get the last fence, as readers do",
         code::none,
         {{"if string.sub(place, 14, 14) ~= 's' or #last ~= 16 then", "if #last ~= 16 then"}},
         family::members},
        {"dead-blocks",
         "a dead waiter that does not fit blocks those behind it",
         code::none,
         {{"if waits and out + weight > capacity then", "if out + weight > capacity then"}},
         family::members},
        {"dead-let-in",
         "a dead waiter is let in",
         code::none,
         {{"waits = listeners[2] > 0", "waits = true"}},
         family::members},
        {"keeps-place",
         "a waiter that enters when it asks again keeps its place in the queue",
         code::none,
         {{"entered = number\n",
           "entered = number\n      redis.call('RPUSH', KEYS[3], who, place)\n      break\n"}},
         family::members},
        {"mark-too-short",
         "the mark of a run expires before its period is over",
         code::none,
         {{"'PX', ARGV[5] - 1)", "'PX', math.ceil(ARGV[5] / 2))"},
          {"- 1, now + 1))", "- math.ceil(ARGV[5] / 2), now + 1))"}},
         family::once},
        {"frees-other-mark",
         "the end of a run removes the mark of another run",
         code::none,
         {{"if (mark == 'once ' .. ARGV[1] or mark == 'retry ' .. ARGV[1]) then\n  if ARGV[4]",
           "if mark then\n  if ARGV[4]"}},
         family::once},
        {"begins-twice",
         "the client takes its run back although it has begun",
         code::once_taken_back,
         {},
         family::once},
        {"failure-counts",
         "a run that has failed counts although it is to be retried",
         code::none,
         {{"    redis.call('DEL', KEYS[4])\n",
           "    redis.call('SET', KEYS[4], 'done', 'PX', redis.call('PTTL', KEYS[4]) + 1)\n"}},
         family::once},
        {"crash-counts",
         "a run whose process has crashed counts although it is to be retried",
         code::none,
         {{"string.sub(mark, 1, 6) ~= 'retry '", "mark"}},
         family::once},
    };
    return all;
}

const mutant* mutant_named(std::string_view name)
{
    const auto all = all_mutants();
    const auto found = std::ranges::find(all, name, &mutant::name);
    return found == all.end() ? nullptr : &*found;
}

void check_changes(const mutant& which)
{
    namespace scripts = redis::scripts;
    for (const auto& [from, to] : which.in_scripts) {
        bool fits = false;
        for (const auto* script :
             {&scripts::plain_acquire, &scripts::hash_acquire, &scripts::plain_renew,
              &scripts::hash_renew, &scripts::plain_release, &scripts::hash_release,
              &scripts::hash_set_count, &scripts::plain_keep, &scripts::hash_keep,
              &scripts::members_acquire, &scripts::members_renew, &scripts::members_check,
              &scripts::members_release, &scripts::members_exchange, &scripts::once_acquire,
              &scripts::once_release}) {
            fits = fits || script->text.find(from) != std::string_view::npos;
        }
        if (!fits) {
            throw std::logic_error{"mutant " + std::string{which.name} + ": no script has \"" +
                                   std::string{from} + '"'};
        }
    }
}

void become(const mutant* which)
{
    base::active_mutant = which == nullptr ? code::none : which->in_code;
    mutation = nullptr;
    if (which != nullptr && !which->in_scripts.empty()) {
        mutation = [which](std::string_view script) { return changed(script, which->in_scripts); };
    }
}

const std::function<std::string(std::string_view)>& script_mutation()
{
    return mutation;
}

}  // namespace pawl::sim
