// What scripts find in Lua: the harmless part of its libraries, and nothing that can be changed.
#pragma once

struct lua_State;

namespace pawl::store::memory {

// A new Lua. Memory that cannot be had ends the process.
[[nodiscard]] lua_State* new_lua() noexcept;

// Opens the libraries and pushes the table of globals. Scripts see it through another, which they
// cannot change.
void push_globals(lua_State* lua);

// The table on top becomes a field of the one below it, as something to read only.
void set_read_only_field(lua_State* lua, const char* name);

// Pushes what makes of an error what Redis shows of it: {err =, source =, line =}.
void push_error_handler(lua_State* lua);

}  // namespace pawl::store::memory
