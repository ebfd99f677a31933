// The Lua environment of scripts: the safe part of its libraries, read only.
#pragma once

struct lua_State;

namespace pawl::store::memory {

// Creates a Lua state. If there is no memory, the process ends.
[[nodiscard]] lua_State* new_lua() noexcept;

// Opens the libraries and pushes the table of globals. Scripts see it through a read-only table.
void push_globals(lua_State* lua);

// The table on top becomes a read-only field of the table below it.
void set_read_only_field(lua_State* lua, const char* name);

// Pushes the function that converts an error to the form that Redis uses: {err =, source =, line
// =}.
void push_error_handler(lua_State* lua);

}  // namespace pawl::store::memory
