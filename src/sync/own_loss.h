// The stop source of one reader, when several readers share a lease. It follows that of the lease, until the
// reader has left: a token must not report the loss of a lock that its hold had released before.
#pragma once

#include <stop_token>
#include <utility>

namespace pawl::sync {

template <class Grant>
class own_loss {
public:
    // `whose` must outlive it.
    own_loss(const Grant& whose, std::stop_token of_lease)
        : follow_{std::move(of_lease), request_stop{&whose, source_}}
    {
    }

    [[nodiscard]] const std::stop_source& source() const noexcept { return source_; }

private:
    struct request_stop {
        void operator()() const noexcept
        {
            if (!whose->has_holds()) return;
            auto mine = source;  // *this may be destroyed before request_stop() returns
            mine.request_stop();
        }

        const Grant* whose;
        std::stop_source source;
    };

    std::stop_source source_;
    std::stop_callback<request_stop> follow_;
};

}  // namespace pawl::sync
