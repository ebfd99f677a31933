// The operations that change a hold or ask for a value, and that <pawl/coro.h> can await. Not for
// users.
#pragma once

#include <pawl/async.h>
#include <pawl/counting_semaphore.h>
#include <pawl/detail/async_result.h>
#include <pawl/detail/coro_operations.h>
#include <pawl/detail/coro_resume.h>
#include <pawl/hold.h>
#include <pawl/leader.h>
#include <pawl/once_per.h>
#include <pawl/shared_mutex.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace pawl::coro::detail {

class downgrade_operation {
public:
    downgrade_operation(shared_mutex& lock, hold& writer) noexcept : lock_{&lock}, writer_{&writer}
    {
    }

    template <class ResumeOn>
    void start(const std::shared_ptr<call_with_place<ResumeOn>>& call)
    {
        async::downgrade(*lock_, *writer_, std::make_unique<tell_acquired<ResumeOn>>(call));
    }

    void call_off() noexcept {}

    [[nodiscard]] static hold result(call& from)
    {
        if (from.code()) pawl::detail::raise(from.code(), from.message());
        return from.take();
    }

private:
    shared_mutex* lock_;
    hold* writer_;
};

class upgrade_operation {
public:
    upgrade_operation(shared_mutex& lock, hold& reader) noexcept : lock_{&lock}, reader_{&reader} {}

    template <class ResumeOn>
    void start(const std::shared_ptr<call_with_place<ResumeOn>>& call)
    {
        async::try_upgrade(*lock_, *reader_, std::make_unique<tell_acquired<ResumeOn>>(call));
    }

    void call_off() noexcept {}

    [[nodiscard]] static std::optional<hold> result(call& from)
    {
        if (!from.code()) return from.take();
        if (pawl::detail::is_just_no(from.code())) return std::nullopt;
        pawl::detail::raise(from.code(), from.message());
    }

private:
    shared_mutex* lock_;
    hold* reader_;
};

class resize_operation {
public:
    resize_operation(counting_semaphore& what, unsigned capacity) noexcept
        : what_{&what}, capacity_{capacity}
    {
    }

    template <class ResumeOn>
    void start(const std::shared_ptr<call_with_place<ResumeOn>>& call)
    {
        async::resize(*what_, capacity_, std::make_unique<tell_done<ResumeOn>>(call));
    }

    void call_off() noexcept {}

    static void result(call& from)
    {
        if (from.code()) pawl::detail::raise(from.code(), from.message());
    }

private:
    counting_semaphore* what_;
    unsigned capacity_;
};

// The value is not in the call, because most calls have none. The completion shares it with the
// operation, which may be destroyed before the answer.
template <class Value, class ResumeOn>
class tell_value final : public async::value_completion<Value> {
public:
    tell_value(std::shared_ptr<call_with_place<ResumeOn>> call, std::shared_ptr<Value> where)
        : call_{std::move(call)}, where_{std::move(where)}
    {
    }

    void done(Value got, std::error_code ec, std::string_view message) noexcept override
    {
        *where_ = std::move(got);
        if (call_->answered({}, ec, message)) call_->go_on(call_);
    }

private:
    std::shared_ptr<call_with_place<ResumeOn>> call_;
    std::shared_ptr<Value> where_;
};

template <class Value>
class question {
public:
    void call_off() noexcept {}

    [[nodiscard]] Value result(const call& from) const
    {
        if (from.code()) pawl::detail::raise(from.code(), from.message());
        return std::move(*value_);
    }

protected:
    question() = default;

    template <class ResumeOn>
    [[nodiscard]] auto told(const std::shared_ptr<call_with_place<ResumeOn>>& call) const
    {
        return std::make_unique<tell_value<Value, ResumeOn>>(call, value_);
    }

private:
    std::shared_ptr<Value> value_ = std::make_shared<Value>();
};

class yield_operation : public question<bool> {
public:
    yield_operation(leader::term& term, std::string_view candidate)
        : term_{&term}, candidate_{candidate}
    {
    }

    template <class ResumeOn>
    void start(const std::shared_ptr<call_with_place<ResumeOn>>& call)
    {
        async::yield_to(*term_, candidate_, told(call));
    }

private:
    leader::term* term_;
    std::string candidate_;
};

class current_operation : public question<std::optional<leader_info>> {
public:
    explicit current_operation(leader& where) : where_{&where} {}

    template <class ResumeOn>
    void start(const std::shared_ptr<call_with_place<ResumeOn>>& call)
    {
        async::current(*where_, told(call));
    }

private:
    leader* where_;
};

class due_operation : public question<std::chrono::milliseconds> {
public:
    explicit due_operation(once_per& what) : what_{&what} {}

    template <class ResumeOn>
    void start(const std::shared_ptr<call_with_place<ResumeOn>>& call)
    {
        async::due_in(*what_, told(call));
    }

private:
    once_per* what_;
};

}  // namespace pawl::coro::detail
