// Receives the reply of a command: as bytes for a client, or as values for a script.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pawl::store::memory {

class reply {
public:
    reply() = default;
    virtual ~reply() = default;
    reply(const reply&) = delete;
    reply& operator=(const reply&) = delete;

    // Scripts get RESP2 unless they ask for RESP3.
    [[nodiscard]] virtual bool is_resp3() const noexcept = 0;

    virtual void status(std::string_view text) = 0;
    virtual void error(std::string_view text) = 0;  // begins with its code: ERR, WRONGTYPE, …
    virtual void integer(std::int64_t number) = 0;
    virtual void real(double number) = 0;
    virtual void boolean(bool truth) = 0;
    virtual void bulk(std::string_view text) = 0;
    virtual void null() = 0;

    // The children follow.
    virtual void array(std::size_t size) = 0;
    virtual void map(std::size_t pairs) = 0;
    virtual void set(std::size_t size) = 0;
    virtual void push(std::size_t size) = 0;
};

// Appends RESP3.
class resp3_reply final : public reply {
public:
    explicit resp3_reply(std::string& out) noexcept : out_{out} {}

    [[nodiscard]] bool is_resp3() const noexcept override { return true; }
    void status(std::string_view text) override;
    void error(std::string_view text) override;
    void integer(std::int64_t number) override;
    void real(double number) override;
    void boolean(bool truth) override;
    void bulk(std::string_view text) override;
    void null() override;
    void array(std::size_t size) override;
    void map(std::size_t pairs) override;
    void set(std::size_t size) override;
    void push(std::size_t size) override;

private:
    void line(char type, std::string_view text);
    void length(char type, std::size_t size);

    std::string& out_;
};

}  // namespace pawl::store::memory
