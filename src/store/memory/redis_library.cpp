#include "store/memory/redis_library.h"

#include "store/memory/lua_sandbox.h"
#include "store/memory/script_host.h"
#include "store/memory/sha1.h"

#include <cmath>
#include <cstdint>
#include <lua.hpp>
#include <string_view>

namespace pawl::store::memory {
namespace {

script_host& host_of(lua_State* lua)
{
    return *static_cast<script_host*>(::lua_touserdata(lua, lua_upvalueindex(1)));
}

int raise(lua_State* lua, std::string_view error)
{
    push_error(lua, error);
    return ::lua_error(lua);
}

struct number_field {
    const char* name;
    lua_Number value;
};

// Logging and replication do nothing here, but scripts may use the names.
constexpr number_field numbers[] = {
    {"LOG_DEBUG", 0},  {"LOG_VERBOSE", 1},
    {"LOG_NOTICE", 2}, {"LOG_WARNING", 3},
    {"REPL_NONE", 0},  {"REPL_AOF", 1},
    {"REPL_SLAVE", 2}, {"REPL_REPLICA", 2},
    {"REPL_ALL", 3},   {"REDIS_VERSION_NUM", 0x0007000F},
};

bool has_one_text(lua_State* lua)
{
    return ::lua_gettop(lua) == 1 && ::lua_type(lua, 1) == LUA_TSTRING;
}

}  // namespace

int redis_library::call(lua_State* lua) noexcept
{
    return host_of(lua).call_command(lua) ? ::lua_error(lua) : 1;
}

int redis_library::pcall(lua_State* lua) noexcept
{
    host_of(lua).call_command(lua);
    return 1;
}

int redis_library::error_reply(lua_State* lua)
{
    if (!has_one_text(lua)) {
        push_error(lua, "ERR wrong number or type of arguments");
        return 1;
    }
    std::string_view text = ::lua_tostring(lua, 1);
    if (text.starts_with('-')) text.remove_prefix(1);
    push_error(lua, text);
    return 1;
}

int redis_library::status_reply(lua_State* lua)
{
    if (!has_one_text(lua)) {
        push_error(lua, "ERR wrong number or type of arguments");
        return 1;
    }
    ::lua_createtable(lua, 0, 1);
    ::lua_pushvalue(lua, 1);
    ::lua_setfield(lua, -2, "ok");
    return 1;
}

int redis_library::sha1hex(lua_State* lua)
{
    if (::lua_gettop(lua) != 1) return raise(lua, "ERR wrong number of arguments");
    std::size_t size = 0;
    const char* const text = ::lua_tolstring(lua, 1, &size);
    const auto sha = sha1({text, size});
    ::lua_pushlstring(lua, sha.digits.data(), sha.digits.size());
    return 1;
}

int redis_library::log(lua_State* lua)
{
    if (::lua_gettop(lua) < 2) {
        return raise(lua, "ERR redis.log() requires two arguments or more.");
    }
    if (::lua_isnumber(lua, 1) == 0) {
        return raise(lua, "ERR First argument must be a number (log level).");
    }
    const auto level = ::lua_tointeger(lua, 1);
    if (level < 0 || level > 3) return raise(lua, "ERR Invalid debug level.");
    return 0;
}

int redis_library::setresp(lua_State* lua)
{
    if (::lua_gettop(lua) != 1) return raise(lua, "ERR redis.setresp() requires one argument.");
    const auto version = ::lua_tointeger(lua, 1);
    if (version != 2 && version != 3) return raise(lua, "ERR RESP version must be 2 or 3.");
    host_of(lua).running_.resp3 = version == 3;
    return 0;
}

int redis_library::set_repl(lua_State* lua)
{
    if (::lua_gettop(lua) != 1) return raise(lua, "ERR redis.set_repl() requires two arguments.");
    const auto flags = ::lua_tointeger(lua, 1);
    if (flags >= 0 && flags <= 3) return 0;
    return raise(lua,
                 "ERR Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or "
                 "REPL_NONE.");
}

int redis_library::replicate_commands(lua_State* lua)
{
    ::lua_pushboolean(lua, 1);
    return 1;
}

// The generator of lrand48(), as in Redis, but each engine has its own state.
int redis_library::random(lua_State* lua)
{
    constexpr std::uint64_t limit = 0x7FFFFFFF;
    auto& state = host_of(lua).random_;
    state = (state * 0x5DEECE66D + 0xB) & 0xFFFFFFFFFFFF;
    const auto share =
        static_cast<lua_Number>((state >> 17U) % limit) / static_cast<lua_Number>(limit);
    const int count = ::lua_gettop(lua);
    if (count == 0) {
        ::lua_pushnumber(lua, share);
        return 1;
    }
    if (count > 2) return ::luaL_error(lua, "wrong number of arguments");
    const auto low = count == 1 ? 1 : ::luaL_checkinteger(lua, 1);
    const auto high = ::luaL_checkinteger(lua, count);
    luaL_argcheck(lua, low <= high, count, "interval is empty");
    ::lua_pushnumber(lua, std::floor(share * static_cast<lua_Number>(high - low + 1)) +
                              static_cast<lua_Number>(low));
    return 1;
}

int redis_library::randomseed(lua_State* lua)
{
    const auto seed = static_cast<std::uint32_t>(::luaL_checkinteger(lua, 1));
    host_of(lua).random_ = (std::uint64_t{seed} << 16U) + 0x330E;
    return 0;
}

void redis_library::open(lua_State* lua, script_host& host)
{
    const auto add = [&](const char* name, lua_CFunction function) {
        ::lua_pushlightuserdata(lua, &host);
        ::lua_pushcclosure(lua, function, 1);
        ::lua_setfield(lua, -2, name);
    };
    ::lua_newtable(lua);
    add("call", call);
    add("pcall", pcall);
    add("error_reply", error_reply);
    add("status_reply", status_reply);
    add("sha1hex", sha1hex);
    add("log", log);
    add("setresp", setresp);
    add("set_repl", set_repl);
    add("replicate_commands", replicate_commands);
    for (const auto& each : numbers) {
        ::lua_pushnumber(lua, each.value);
        ::lua_setfield(lua, -2, each.name);
    }
    ::lua_pushliteral(lua, "7.0.15");
    ::lua_setfield(lua, -2, "REDIS_VERSION");
    set_read_only_field(lua, "redis");

    // The table behind the read-only view.
    ::lua_getfield(lua, -1, "math");
    ::luaL_getmetafield(lua, -1, "__index");
    add("random", random);
    add("randomseed", randomseed);
    ::lua_pop(lua, 2);
}

}  // namespace pawl::store::memory
