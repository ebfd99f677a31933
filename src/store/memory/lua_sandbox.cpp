#include "store/memory/lua_sandbox.h"

#include <array>
#include <cstdlib>
#include <exception>
#include <lua.hpp>
#include <utility>

namespace pawl::store::memory {
namespace {

void* reallocate(void* /*user*/, void* old, std::size_t /*old_size*/, std::size_t size) noexcept
{
    if (size == 0) {
        std::free(old);  // NOLINT(cppcoreguidelines-no-malloc): this is what Lua asks for
        return nullptr;
    }
    void* const memory = std::realloc(old, size);  // NOLINT(cppcoreguidelines-no-malloc)
    if (!memory) std::terminate();
    return memory;
}

// Missing are dofile, loadfile and print, which access things outside the process, and getfenv,
// setfenv and newproxy, which can leave the sandbox.
constexpr std::array plain_globals{
    "_VERSION", "assert",     "collectgarbage", "error",  "gcinfo",   "getmetatable", "ipairs",
    "load",     "loadstring", "next",           "pairs",  "rawequal", "rawget",       "select",
    "tonumber", "tostring",   "type",           "unpack", "xpcall"};

constexpr std::array libraries{"coroutine", "math", "string", "table"};

int refuse_change(lua_State* lua)
{
    return ::luaL_error(lua, "Attempt to modify a readonly table");
}

// Read-only tables return false in place of their metatable.
void refuse_if_read_only(lua_State* lua)
{
    if (::luaL_getmetafield(lua, 1, "__metatable") == 0) return;
    if (lua_isboolean(lua, -1)) {
        ::lua_pushliteral(lua, "Attempt to modify a readonly table");
        ::lua_error(lua);
    }
    ::lua_pop(lua, 1);
}

int checked_rawset(lua_State* lua)
{
    ::luaL_checktype(lua, 1, LUA_TTABLE);
    ::luaL_checkany(lua, 2);
    ::luaL_checkany(lua, 3);
    refuse_if_read_only(lua);
    ::lua_settop(lua, 3);
    ::lua_rawset(lua, 1);
    return 1;
}

int checked_setmetatable(lua_State* lua)
{
    refuse_if_read_only(lua);
    ::lua_pushvalue(lua, lua_upvalueindex(1));
    ::lua_insert(lua, 1);
    ::lua_call(lua, ::lua_gettop(lua) - 1, LUA_MULTRET);
    return ::lua_gettop(lua);
}

// Old scripts expect a text where redis.call raises a table.
int pcall_with_texts(lua_State* lua)
{
    ::luaL_checkany(lua, 1);
    const int failed = ::lua_pcall(lua, ::lua_gettop(lua) - 1, LUA_MULTRET, 0);
    if (failed != 0 && lua_istable(lua, -1)) {
        ::lua_getfield(lua, -1, "err");
        if (::lua_isstring(lua, -1) != 0) {
            ::lua_replace(lua, -2);
        } else {
            ::lua_pop(lua, 1);
        }
    }
    ::lua_pushboolean(lua, failed == 0 ? 1 : 0);
    ::lua_insert(lua, 1);
    return ::lua_gettop(lua);
}

int refuse_unknown_global(lua_State* lua)
{
    return ::luaL_error(lua, "Script attempted to access nonexistent global variable '%s'",
                        ::lua_tostring(lua, 2));
}

void open_library(lua_State* lua, const char* name, lua_CFunction open)
{
    ::lua_pushcfunction(lua, open);
    ::lua_pushstring(lua, name);
    ::lua_call(lua, 1, 0);
}

// Replaces the table on top by a read-only view of it.
void make_read_only(lua_State* lua)
{
    ::lua_newtable(lua);
    ::lua_createtable(lua, 0, 3);
    ::lua_pushvalue(lua, -3);
    ::lua_setfield(lua, -2, "__index");
    ::lua_pushcfunction(lua, refuse_change);
    ::lua_setfield(lua, -2, "__newindex");
    ::lua_pushboolean(lua, 0);
    ::lua_setfield(lua, -2, "__metatable");
    ::lua_setmetatable(lua, -2);
    ::lua_replace(lua, -2);
}

// Like tostring(), but ignores metatables.
void push_text_of(lua_State* lua, int index)
{
    switch (::lua_type(lua, index)) {
    case LUA_TSTRING:
    case LUA_TNUMBER: ::lua_pushvalue(lua, index); break;
    case LUA_TBOOLEAN:
        ::lua_pushstring(lua, ::lua_toboolean(lua, index) != 0 ? "true" : "false");
        break;
    default: ::lua_pushstring(lua, luaL_typename(lua, index));
    }
}

// The position in the script at that depth of calls, or at the next depth if that is a C function.
bool find_place(lua_State* lua, lua_Debug& place)
{
    for (const int level : {1, 2}) {
        if (::lua_getstack(lua, level, &place) == 0) return false;
        ::lua_getinfo(lua, "Sl", &place);
        if (*place.what != 'C') return true;
    }
    return true;
}

int describe_error(lua_State* lua)
{
    ::lua_settop(lua, 1);
    lua_Debug place{};
    const bool found = find_place(lua, place);
    if (!lua_istable(lua, 1)) {
        ::lua_createtable(lua, 0, 3);
        ::lua_pushliteral(lua, "ERR ");
        push_text_of(lua, 1);
        ::lua_concat(lua, 2);
        ::lua_setfield(lua, -2, "err");
    }
    if (found) {
        ::lua_pushstring(lua, place.source);
        ::lua_setfield(lua, -2, "source");
        ::lua_pushinteger(lua, place.currentline);
        ::lua_setfield(lua, -2, "line");
    }
    return 1;
}

}  // namespace

lua_State* new_lua() noexcept
{
    return ::lua_newstate(reallocate, nullptr);
}

void push_globals(lua_State* lua)
{
    open_library(lua, "", ::luaopen_base);
    open_library(lua, LUA_TABLIBNAME, ::luaopen_table);
    open_library(lua, LUA_STRLIBNAME, ::luaopen_string);
    open_library(lua, LUA_MATHLIBNAME, ::luaopen_math);

    ::lua_newtable(lua);
    for (const char* const name : plain_globals) {
        lua_getglobal(lua, name);
        ::lua_setfield(lua, -2, name);
    }
    for (const char* const name : libraries) {
        lua_getglobal(lua, name);
        set_read_only_field(lua, name);
    }
    ::lua_pushcfunction(lua, pcall_with_texts);
    ::lua_setfield(lua, -2, "pcall");
    ::lua_pushcfunction(lua, checked_rawset);
    ::lua_setfield(lua, -2, "rawset");
    lua_getglobal(lua, "setmetatable");
    ::lua_pushcclosure(lua, checked_setmetatable, 1);
    ::lua_setfield(lua, -2, "setmetatable");

    // The metatable of all strings.
    ::lua_pushliteral(lua, "");
    ::lua_getmetatable(lua, -1);
    ::lua_pushboolean(lua, 0);
    ::lua_setfield(lua, -2, "__metatable");
    ::lua_pop(lua, 2);

    ::lua_createtable(lua, 0, 1);
    ::lua_pushcfunction(lua, refuse_unknown_global);
    ::lua_setfield(lua, -2, "__index");
    ::lua_setmetatable(lua, -2);

    ::lua_pushvalue(lua, -1);
    make_read_only(lua);
    ::lua_pushvalue(lua, -1);
    ::lua_setfield(lua, -3, "_G");
    ::lua_replace(lua, LUA_GLOBALSINDEX);
}

void set_read_only_field(lua_State* lua, const char* name)
{
    make_read_only(lua);
    ::lua_setfield(lua, -2, name);
}

void push_error_handler(lua_State* lua)
{
    ::lua_pushcfunction(lua, describe_error);
}

}  // namespace pawl::store::memory
