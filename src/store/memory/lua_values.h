// Converts values between Redis and Lua, in the same way as Redis.
#pragma once

#include "store/memory/reply.h"

#include <array>
#include <cstddef>
#include <string_view>

struct lua_State;

namespace pawl::store::memory {

// Puts the reply of a command on the stack of a script.
class lua_reply final : public reply {
public:
    lua_reply(lua_State* lua, bool resp3) noexcept : lua_{lua}, resp3_{resp3} {}

    [[nodiscard]] bool is_resp3() const noexcept override { return resp3_; }
    [[nodiscard]] bool failed() const noexcept { return failed_; }

    void status(std::string_view text) override;
    void error(std::string_view text) override;
    void integer(std::int64_t number) override;
    void real(double number) override;
    void boolean(bool truth) override;
    void bulk(std::string_view text) override;
    void null() override;
    void array(std::size_t size) override;
    void map(std::size_t pairs) override;
    void set(std::size_t size) override { array(size); }
    void push(std::size_t size) override { array(size); }

private:
    // A table that is being filled.
    struct frame {
        std::size_t left;  // values still to come
        int next;          // index of the next one
        bool is_map;
    };

    void open(frame what);
    void placed();
    void close();

    lua_State* lua_;
    bool resp3_;
    bool failed_ = false;
    std::array<frame, 4> frames_{};  // no command has a deeper reply
    std::size_t depth_ = 0;
};

// Pushes the table {err = text}. Adds ERR if the text has no error code.
void push_error(lua_State* lua, std::string_view text);

// Keeps the names of the special fields on the stack, so that they are not created each time.
class field_names {
public:
    // Pushes them.
    explicit field_names(lua_State* lua);

    int err, ok, real, map, set;
};

// Converts the value on top of the stack to a reply and pops it. `resp3`: the script asked for
// RESP3.
void reply_with_top(lua_State* lua, const field_names& names, bool resp3, reply& out);

}  // namespace pawl::store::memory
