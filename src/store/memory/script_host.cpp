#include "store/memory/script_host.h"

#include "store/memory/execution.h"
#include "store/memory/lua_sandbox.h"
#include "store/memory/redis_library.h"

#include <cmath>
#include <lua.hpp>

namespace pawl::store::memory {
namespace {

int push_host_globals(lua_State* lua, script_host& host)
{
    push_globals(lua);
    redis_library::open(lua, host);
    return ::lua_gettop(lua);
}

int push_handler(lua_State* lua)
{
    push_error_handler(lua);
    return ::lua_gettop(lua);
}

// Like %.17g, but fast for whole numbers.
number_text text_of(double number) noexcept
{
    constexpr double exact = 1e15;
    if (std::abs(number) < exact && number != 0 && number == std::trunc(number)) {
        return number_text{static_cast<std::int64_t>(number)};
    }
    return number_text{number};
}

}  // namespace

void script_host::closer::operator()(lua_State* lua) const noexcept
{
    ::lua_close(lua);
}

script_host::script_host(machine& server)
    : server_{server},
      lua_{new_lua()},
      globals_{push_host_globals(lua_.get(), *this)},
      error_handler_{push_handler(lua_.get())},
      names_{lua_.get()}
{
}

script_host::~script_host() = default;

const script* script_host::find(std::string_view sha) const
{
    auto found = scripts_.find(sha);
    if (found == scripts_.end()) {
        std::string lower{sha};
        for (char& c : lower) {
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        }
        found = scripts_.find(lower);
    }
    return found != scripts_.end() ? &found->second : nullptr;
}

const script* script_host::add(std::string_view text, std::string_view sha, reply& out)
{
    script made{std::string{sha}, read_header(text), LUA_NOREF};
    if (!made.header.problem.empty()) {
        out.error(made.header.problem);
        return nullptr;
    }
    lua_State* const lua = lua_.get();
    const auto body = text.substr(made.header.size);
    if (::luaL_loadbuffer(lua, body.data(), body.size(), "@user_script") != 0) {
        out.error(std::string{"ERR Error compiling script (new function): "} +
                  ::lua_tostring(lua, -1));
        ::lua_pop(lua, 1);
        return nullptr;
    }
    made.function = ::luaL_ref(lua, LUA_REGISTRYINDEX);
    return &scripts_.emplace(made.sha, std::move(made)).first->second;
}

void script_host::flush()
{
    for (const auto& each : scripts_) {
        ::luaL_unref(lua_.get(), LUA_REGISTRYINDEX, each.second.function);
    }
    scripts_.clear();
}

void script_host::run(const script& what, session from, const arguments& with, reply& out)
{
    lua_State* const lua = lua_.get();
    const int base = ::lua_gettop(lua);
    const bool unbounded = what.header.present && (what.header.allow_oom || what.header.no_writes);
    running_ = {from, {.read_only = what.header.no_writes, .may_exceed_memory = unbounded}, false};
    set_array("KEYS", with.keys);
    set_array("ARGV", with.others);
    ::lua_rawgeti(lua, LUA_REGISTRYINDEX, what.function);
    if (::lua_pcall(lua, 0, 1, error_handler_) == 0) {
        reply_with_top(lua, names_, running_.resp3, out);
    } else {
        reply_with_error(what, out);
    }
    ::lua_settop(lua, base);
}

void script_host::set_array(const char* name, std::span<const std::string_view> words)
{
    lua_State* const lua = lua_.get();
    ::lua_createtable(lua, static_cast<int>(words.size()), 0);
    int at = 0;
    for (const auto word : words) {
        ::lua_pushlstring(lua, word.data(), word.size());
        ::lua_rawseti(lua, -2, ++at);
    }
    ::lua_setfield(lua, globals_, name);
}

// The error is on top of the stack.
void script_host::reply_with_error(const script& what, reply& out)
{
    lua_State* const lua = lua_.get();
    const auto field = [&](const char* name) {
        ::lua_getfield(lua, -1, name);
        const char* const text = ::lua_tostring(lua, -1);
        std::string copy = text ? text : "";
        ::lua_pop(lua, 1);
        return copy;
    };
    if (!lua_istable(lua, -1)) {
        const char* const text = ::lua_tostring(lua, -1);
        return out.error("ERR Error running script " + what.sha + ", " +
                         (text ? text : "execution failure"));
    }
    std::string text = field("err");
    if (text.empty()) text = "ERR execution failure";
    const auto source = field("source");
    const auto line = field("line");
    if (!source.empty() && !line.empty()) {
        text.append(" script: ").append(what.sha).append(", on ").append(source);
        text.append(":").append(line).append(".");
    }
    out.error(text);
}

bool script_host::call_command(lua_State* lua)
{
    if (!read_words(lua)) return true;
    lua_reply out{lua, running_.resp3};
    call what{server_, running_.from, words_, out};
    execute_in_script(what, running_.limits);
    return out.failed();
}

bool script_host::read_words(lua_State* lua)
{
    const int count = ::lua_gettop(lua);
    if (count == 0) {
        push_error(lua, "ERR Please specify at least one argument for this redis lib call");
        return false;
    }
    words_.clear();
    numbers_.clear();
    numbers_.reserve(static_cast<std::size_t>(count));
    for (int at = 1; at <= count; ++at) {
        if (::lua_type(lua, at) == LUA_TNUMBER) {
            numbers_.push_back(text_of(::lua_tonumber(lua, at)));
            words_.push_back(numbers_.back().view());
            continue;
        }
        std::size_t size = 0;
        const char* const text = ::lua_tolstring(lua, at, &size);
        if (!text) {
            push_error(lua, "ERR Lua redis lib command arguments must be strings or integers");
            return false;
        }
        words_.emplace_back(text, size);
    }
    return true;
}

}  // namespace pawl::store::memory
