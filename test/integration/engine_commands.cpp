// Random single commands, by the type of the key.
#include "integration/engine_requests.h"

namespace pawl::test {

engine_request engine_requests::key_command()
{
    switch (below(15)) {
    case 0: return {{one_of({"DEL", "UNLINK"}), key()}};
    case 1: return {{one_of({"DEL", "UNLINK", "EXISTS"}), key(), key()}};
    case 2: return {{"EXISTS", key()}};
    case 3: return {{"TYPE", key()}};
    case 4: return {{"PTTL", key()}, time_in_reply::milliseconds};
    case 5: return {{"TTL", key()}, time_in_reply::seconds};
    case 6: return {{"PEXPIRE", key(), lease()}};
    case 7:
        return {
            {"EXPIRE", key(),
             one_of({"10", "100", "0", "-1", "x", "9223372036854775807", "-9223372036854775807"})}};
    case 8: return {{"PEXPIREAT", key(), one_of({"5", "4102444800000", "-5", "x"})}};
    case 9: return {{"PEXPIRETIME", key()}};
    case 10: return {{"PERSIST", key()}};
    case 11: return {{"PEXPIRE", key(), long_and_unique(), one_of({"NX", "XX", "GT", "LT", "gt"})}};
    case 12:
        return {{"PEXPIRE", key(), long_and_unique(), one_of({"NX", "XX", "GT", "LT", "ZZ"}),
                 one_of({"NX", "XX", "GT", "LT"})}};
    case 13:
        return {{"SCAN", one_of({"0", "x"}), "COUNT", one_of({"1000", "1000", "0", "x"}),
                 one_of({"MATCH", "match", "TYPE", "ZZ"}),
                 chance(0.7) ? pattern() : one_of({"string", "list", "hash"})},
                time_in_reply::none,
                true};
    default: return {{"KEYS", pattern()}, time_in_reply::none, true};
    }
}

engine_request engine_requests::string_command()
{
    switch (below(9)) {
    case 0: return {{"GET", key()}};
    case 7:
        // The whole value: a part of a time cannot be compared.
        return {{"GETRANGE", key(), one_of({"0", "-100", "x"}), one_of({"-1", "100", "x"})}};
    case 1: return {{"INCR", key()}};
    case 2: return {{"INCRBY", key(), number()}};
    case 3: return {{"SET", key(), chance(0.5) ? number() : name()}};
    case 4: return {{"SET", key(), name(), one_of({"NX", "XX", "GET", "KEEPTTL", "nx", "ZZ"})}};
    case 5: return {{"SET", key(), name(), one_of({"PX", "px", "PX", "EX"}), lease()}};
    case 6:
        return {{"SET", key(), name(), one_of({"PXAT", "EXAT"}),
                 one_of({"5", "4102444800000", "0", "-1", "x", "4102444800"})}};
    default: {
        engine_request request{{"SET", key(), name()}};
        for (auto left = 1 + below(4); left > 0; --left) {
            request.words.push_back(one_of({"NX", "XX", "GET", "KEEPTTL", "PX", "EX", "10000"}));
        }
        return request;
    }
    }
}

engine_request engine_requests::hash_command()
{
    switch (below(8)) {
    case 0: return {{"HSET", key(), name(), number()}};
    case 1: return {{"HSET", key(), name(), number(), name(), number()}};
    case 2: return {{"HGET", key(), name()}};
    case 3: return {{"HDEL", key(), name(), name()}};
    case 4: return {{"HEXISTS", key(), name()}};
    case 5: return {{"HGETALL", key()}};
    case 6: return {{"HLEN", key()}};
    default: return {{"HINCRBY", key(), name(), number()}};
    }
}

engine_request engine_requests::list_command()
{
    switch (below(11)) {
    case 0: return {{one_of({"RPUSH", "LPUSH"}), key(), name()}};
    case 1: return {{one_of({"RPUSH", "LPUSH"}), key(), name(), name(), name()}};
    case 2: return {{one_of({"LPOP", "RPOP"}), key()}};
    case 3: return {{one_of({"LPOP", "RPOP"}), key(), number()}};
    case 4: return {{"LRANGE", key(), number(), number()}};
    case 5: return {{"LLEN", key()}};
    case 6: return {{"LREM", key(), number(), name()}};
    case 7: return {{"LSET", key(), number(), name()}};
    case 8: return {{"LPOS", key(), name()}};
    case 9: {
        engine_request request{{"LPOS", key(), name(), one_of({"RANK", "rank", "ZZ"}), number()}};
        if (chance(0.5)) request.words.emplace_back("MAXLEN");
        if (chance(0.9)) request.words.push_back(number());
        return request;
    }
    default: return {{"LINDEX", key(), number()}};
    }
}

engine_request engine_requests::sorted_set_command()
{
    switch (below(12)) {
    case 0: return {{"ZADD", key(), score(), name()}};
    case 1: return {{"ZADD", key(), score(), name(), score(), name()}};
    case 2:
        return {{"ZADD", key(), one_of({"NX", "XX", "GT", "LT", "CH", "INCR"}), score(), name()}};
    case 3:
        return {{"ZADD", key(), one_of({"NX", "XX", "GT", "LT", "CH", "INCR"}),
                 one_of({"NX", "XX", "GT", "LT", "CH", "INCR", "ch"}), score(), name()}};
    case 4: return {{"ZREM", key(), name(), name()}};
    case 5: return {{one_of({"ZSCORE", "ZRANK"}), key(), name()}};
    case 6: return {{"ZCARD", key()}};
    case 7: {
        engine_request request{{"ZRANGE", key(), number(), number()}};
        if (chance(0.5)) request.words.push_back(one_of({"WITHSCORES", "REV", "withscores", "ZZ"}));
        if (chance(0.2)) request.words.push_back(one_of({"WITHSCORES", "REV"}));
        return request;
    }
    case 8: {
        engine_request request{{"ZRANGE", key(), bound(), bound(), "BYSCORE"}};
        if (chance(0.3)) request.words.emplace_back("REV");
        if (chance(0.3)) request.words.emplace_back("WITHSCORES");
        if (chance(0.3)) {
            request.words.insert(request.words.end(), {"LIMIT", number(), number()});
        }
        return request;
    }
    case 9: {
        engine_request request{{"ZRANGEBYSCORE", key(), bound(), bound()}};
        if (chance(0.3)) request.words.emplace_back("WITHSCORES");
        if (chance(0.4)) {
            request.words.insert(request.words.end(), {"LIMIT", number(), number()});
        }
        return request;
    }
    case 10: return {{"ZREMRANGEBYSCORE", key(), bound(), bound()}};
    default: {
        engine_request request{{"ZPOPMIN", key()}};
        if (chance(0.5)) request.words.push_back(number());
        return request;
    }
    }
}

engine_request engine_requests::server_command()
{
    switch (below(14)) {
    case 0: return {{"PING"}};
    case 1: return {{"PING", name()}};
    case 2: return {{"TIME"}, time_in_reply::clock};
    case 3: return {{"SELECT", one_of({"0", "0", "1", "x"})}};
    case 4: return {{"CLIENT", "SETNAME", one_of({"a", "a b", ""})}};
    case 5:
        return {{"SCRIPT", "EXISTS", std::string{redis::scripts::plain_acquire.sha},
                 std::string{redis::scripts::hash_renew.sha}, "x"}};
    case 6: {
        if (chance(0.7)) return {{"PING"}};
        return {{"SCRIPT", "FLUSH"}};
    }
    case 7: {
        if (chance(0.6)) return {{one_of({"FLUSHALL", "FLUSHDB"}), "ZZ"}};
        return {{one_of({"FLUSHALL", "FLUSHDB"})}};
    }
    case 8: return listening();
    case 9: return {{"PUBSUB", "NUMSUB", one_of({"c0", "c1"}), "pawl:client:c0c0c0c0c0c0c0c0"}};
    case 10: return {{"PUBLISH", one_of({"c0", "c1", "c2"}), name()}};
    case 11: return {{"DBSIZE"}};
    case 12: return {{"CONFIG", "SET", "maxmemory", one_of({"0", "0", "1"})}};
    default:
        return {{one_of({"NOPE", "", "GETT", "SCRIPT", "CLIENT"}), one_of({"NOPE", "a\r\nb"})}};
    }
}

}  // namespace pawl::test
