// The library `redis` for scripts, and the random numbers of `math`.
#pragma once

struct lua_State;

namespace pawl::store::memory {

class script_host;

struct redis_library {
    // Adds `redis` to the table of globals on top of the stack, and changes `math`.
    static void open(lua_State* lua, script_host& host);

private:
    static int call(lua_State* lua) noexcept;
    static int pcall(lua_State* lua) noexcept;
    static int error_reply(lua_State* lua);
    static int status_reply(lua_State* lua);
    static int sha1hex(lua_State* lua);
    static int log(lua_State* lua);
    static int setresp(lua_State* lua);
    static int set_repl(lua_State* lua);
    static int replicate_commands(lua_State* lua);
    static int random(lua_State* lua);
    static int randomseed(lua_State* lua);
};

}  // namespace pawl::store::memory
