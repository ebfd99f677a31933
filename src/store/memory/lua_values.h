// Values between Redis and Lua, as Redis converts them.
#pragma once

#include "store/memory/reply.h"

#include <array>
#include <cstddef>
#include <string_view>

struct lua_State;

namespace pawl::store::memory {

// Leaves the reply of a command on the stack of a script.
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
    std::array<frame, 4> frames_{};  // no command's reply is deeper
    std::size_t depth_ = 0;
};

// Pushes the table {err = text}, with ERR in front where the text has no code.
void push_error(lua_State* lua, std::string_view text);

// Where the names of the special fields are kept on the stack, so that none is looked up each time.
class field_names {
public:
    // Pushes them.
    explicit field_names(lua_State* lua);

    int err, ok, real, map, set;
};

// The value on top of the stack becomes a reply, and is popped. `resp3`: the script asked for it.
void reply_with_top(lua_State* lua, const field_names& names, bool resp3, reply& out);

}  // namespace pawl::store::memory
