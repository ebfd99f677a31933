// Runs Lua scripts like Redis, and caches the compiled scripts.
//
// Lua raises errors with longjmp. So a function that Lua calls must not have objects to destroy
// when it raises one. If there is no memory the process ends, so that Lua never jumps over C++
// objects.
#pragma once

#include "store/memory/lua_values.h"
#include "store/memory/numbers.h"
#include "store/memory/script_header.h"
#include "store/memory/script_limits.h"
#include "store/memory/subscriptions.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

struct lua_State;

namespace pawl::store::memory {

struct machine;

struct script {
    std::string sha;
    script_header header;
    int function;  // its reference in Lua's registry
};

class script_host {
public:
    explicit script_host(machine& server);
    ~script_host();
    script_host(const script_host&) = delete;
    script_host& operator=(const script_host&) = delete;

    // Finds a script by the SHA-1 of its text, in lower or upper case. Null if it is unknown. Valid
    // until flush().
    [[nodiscard]] const script* find(std::string_view sha) const;

    // Compiles and stores a new script. Null if that fails: then `out` has the error.
    const script* add(std::string_view text, std::string_view sha, reply& out);

    void flush();

    struct arguments {
        std::span<const std::string_view> keys;
        std::span<const std::string_view> others;
    };
    void run(const script& what, session from, const arguments& with, reply& out);

private:
    friend struct redis_library;

    struct closer {
        void operator()(lua_State* lua) const noexcept;
    };
    struct text_hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept
        {
            return std::hash<std::string_view>{}(text);
        }
    };

    // The script that is running.
    struct run_state {
        session from = 0;
        script_limits limits;
        bool resp3 = false;
    };

    // Executes a request of the script. Its words are the whole stack of `lua`. Pushes the reply,
    // and returns whether it is an error.
    bool call_command(lua_State* lua);
    bool read_words(lua_State* lua);
    void set_array(const char* name, std::span<const std::string_view> words);
    void reply_with_error(const script& what, reply& out);

    machine& server_;
    std::unique_ptr<lua_State, closer> lua_;
    int globals_;        // positions on the Lua stack
    int error_handler_;  //
    field_names names_;
    std::unordered_map<std::string, script, text_hash, std::equal_to<>> scripts_;
    run_state running_;
    std::uint64_t random_ = 0;  // the state of math.random
    std::vector<std::string_view> words_;
    std::vector<number_text> numbers_;  // the texts of the words that are numbers
};

}  // namespace pawl::store::memory
