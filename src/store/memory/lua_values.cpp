#include "store/memory/lua_values.h"

#include "store/memory/numbers.h"

#include <cassert>
#include <limits>
#include <lua.hpp>

namespace pawl::store::memory {

void lua_reply::status(std::string_view text)
{
    ::lua_createtable(lua_, 0, 1);
    ::lua_pushlstring(lua_, text.data(), text.size());
    ::lua_setfield(lua_, -2, "ok");
    placed();
}

void lua_reply::error(std::string_view text)
{
    failed_ = true;
    push_error(lua_, text);
    ::lua_pushboolean(lua_, 1);
    ::lua_setfield(lua_, -2, "ignore_error_stats_update");
    placed();
}

void lua_reply::integer(std::int64_t number)
{
    ::lua_pushnumber(lua_, static_cast<lua_Number>(number));
    placed();
}

void lua_reply::real(double number)
{
    if (!resp3_) return bulk(number_text{number}.view());
    ::lua_createtable(lua_, 0, 1);
    ::lua_pushnumber(lua_, number);
    ::lua_setfield(lua_, -2, "double");
    placed();
}

void lua_reply::boolean(bool truth)
{
    ::lua_pushboolean(lua_, truth ? 1 : 0);
    placed();
}

void lua_reply::bulk(std::string_view text)
{
    ::lua_pushlstring(lua_, text.data(), text.size());
    placed();
}

void lua_reply::null()
{
    if (resp3_) {
        ::lua_pushnil(lua_);
    } else {
        ::lua_pushboolean(lua_, 0);
    }
    placed();
}

void lua_reply::array(std::size_t size)
{
    ::lua_createtable(lua_, static_cast<int>(size), 0);
    open({.left = size, .next = 1, .is_map = false});
}

// In RESP3 this is the table {map = {…}}. Both tables are on the stack while the inner one is
// filled.
void lua_reply::map(std::size_t pairs)
{
    if (!resp3_) return array(2 * pairs);
    ::lua_createtable(lua_, 0, 1);
    ::lua_createtable(lua_, 0, static_cast<int>(pairs));
    open({.left = 2 * pairs, .next = 1, .is_map = true});
}

void lua_reply::open(frame what)
{
    assert(depth_ < frames_.size());
    frames_[depth_++] = what;
    if (what.left == 0) close();
}

// Moves the value on top of the stack into the table that is being filled.
void lua_reply::placed()
{
    if (depth_ == 0) return;
    frame& parent = frames_[depth_ - 1];
    const bool is_key = parent.is_map && parent.left % 2 == 0;
    if (!parent.is_map) {
        ::lua_rawseti(lua_, -2, parent.next++);
    } else if (!is_key) {
        ::lua_rawset(lua_, -3);
    }
    if (--parent.left == 0) close();
}

void lua_reply::close()
{
    if (frames_[--depth_].is_map) ::lua_setfield(lua_, -2, "map");
    placed();
}

void push_error(lua_State* lua, std::string_view text)
{
    const auto space = text.find(' ');
    const bool has_code = space != text.npos;
    const auto code = has_code ? text.substr(0, space) : std::string_view{"ERR"};
    auto rest = has_code ? text.substr(space + 1) : text;
    rest.remove_prefix(std::min(rest.find_first_not_of("\r\n"), rest.size()));
    rest = rest.substr(0, rest.find_last_not_of("\r\n") + 1);

    ::lua_createtable(lua, 0, 4);
    ::lua_pushlstring(lua, code.data(), code.size());
    ::lua_pushlstring(lua, " ", 1);
    ::lua_pushlstring(lua, rest.data(), rest.size());
    ::lua_concat(lua, 3);
    ::lua_setfield(lua, -2, "err");
}

namespace {

int push_name(lua_State* lua, const char* name)
{
    ::lua_pushstring(lua, name);
    return ::lua_gettop(lua);
}

std::string_view text_at(lua_State* lua, int index)
{
    std::size_t size = 0;
    const char* const text = ::lua_tolstring(lua, index, &size);
    return {text, size};
}

// Redis cuts errors and statuses at the first NUL.
std::string_view c_text_at(lua_State* lua, int index)
{
    return ::lua_tostring(lua, index);
}

// Converts like a cast in C on the machines that Redis runs on.
std::int64_t whole(double number) noexcept
{
    constexpr auto limit = 9223372036854775808.0;
    if (number >= -limit && number < limit) return static_cast<std::int64_t>(number);
    return std::numeric_limits<std::int64_t>::min();
}

class converter {
public:
    converter(lua_State* lua, const field_names& names, bool resp3, reply& out) noexcept
        : lua_{lua}, names_{names}, resp3_{resp3}, out_{out}
    {
    }

    // NOLINTNEXTLINE(misc-no-recursion): tables may be nested, and the Lua stack bounds the depth
    void take_top()
    {
        if (::lua_checkstack(lua_, 4) == 0) {
            out_.error("ERR reached lua stack limit");
        } else {
            convert_top();
        }
        ::lua_pop(lua_, 1);
    }

private:
    void convert_top()
    {
        switch (::lua_type(lua_, -1)) {
        case LUA_TSTRING: return out_.bulk(text_at(lua_, -1));
        case LUA_TNUMBER: return out_.integer(whole(::lua_tonumber(lua_, -1)));
        case LUA_TBOOLEAN: return convert_boolean(::lua_toboolean(lua_, -1) != 0);
        case LUA_TTABLE: return convert_table();
        default: return out_.null();
        }
    }

    void convert_boolean(bool truth)
    {
        if (resp3_) {
            out_.boolean(truth);
        } else if (truth) {
            out_.integer(1);
        } else {
            out_.null();
        }
    }

    // Pushes the field if it exists and has that type.
    bool push_field(int name, int type)
    {
        ::lua_pushvalue(lua_, name);
        ::lua_rawget(lua_, -2);
        if (::lua_type(lua_, -1) == type) return true;
        ::lua_pop(lua_, 1);
        return false;
    }

    void convert_table()
    {
        if (push_field(names_.err, LUA_TSTRING)) {
            out_.error(c_text_at(lua_, -1));
        } else if (push_field(names_.ok, LUA_TSTRING)) {
            out_.status(c_text_at(lua_, -1));
        } else if (push_field(names_.real, LUA_TNUMBER)) {
            out_.real(::lua_tonumber(lua_, -1));
        } else if (push_field(names_.map, LUA_TTABLE)) {
            out_.map(keys_of_top());
            convert_keys(true);
        } else if (push_field(names_.set, LUA_TTABLE)) {
            out_.set(keys_of_top());
            convert_keys(false);
        } else {
            return convert_array();
        }
        ::lua_pop(lua_, 1);
    }

    std::size_t keys_of_top()
    {
        std::size_t count = 0;
        for (::lua_pushnil(lua_); ::lua_next(lua_, -2) != 0; ::lua_pop(lua_, 1)) ++count;
        return count;
    }

    void convert_keys(bool with_values)
    {
        for (::lua_pushnil(lua_); ::lua_next(lua_, -2) != 0;) {
            ::lua_pushvalue(lua_, -2);
            take_top();
            if (with_values) {
                take_top();
            } else {
                ::lua_pop(lua_, 1);
            }
        }
    }

    // Up to the first nil.
    void convert_array()
    {
        int size = 0;
        while (true) {
            ::lua_rawgeti(lua_, -1, size + 1);
            const bool ends = lua_isnil(lua_, -1);
            ::lua_pop(lua_, 1);
            if (ends) break;
            ++size;
        }
        out_.array(static_cast<std::size_t>(size));
        for (int at = 1; at <= size; ++at) {
            ::lua_rawgeti(lua_, -1, at);
            take_top();
        }
    }

    lua_State* lua_;
    const field_names& names_;
    bool resp3_;
    reply& out_;
};

}  // namespace

field_names::field_names(lua_State* lua)
    : err{push_name(lua, "err")},
      ok{push_name(lua, "ok")},
      real{push_name(lua, "double")},
      map{push_name(lua, "map")},
      set{push_name(lua, "set")}
{
}

void reply_with_top(lua_State* lua, const field_names& names, bool resp3, reply& out)
{
    converter{lua, names, resp3, out}.take_top();
}

}  // namespace pawl::store::memory
