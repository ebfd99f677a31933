// The interface that a worker uses for a lock of any kind.
#pragma once

namespace pawl::bench {

class lock {
public:
    lock() = default;
    virtual ~lock() = default;
    lock(const lock&) = delete;
    lock& operator=(const lock&) = delete;

    // Throws if nothing happens for seconds: a benchmark in which a caller starves has failed.
    virtual void acquire() = 0;
    virtual void release() = 0;
};

// Also done before the measurement: it makes connections and loads scripts.
inline void use_once(lock& contended)
{
    contended.acquire();
    contended.release();
}

}  // namespace pawl::bench
