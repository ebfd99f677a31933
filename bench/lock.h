// What a worker drives: a lock of any kind, behind one interface.
#pragma once

namespace pawl::bench {

class lock {
public:
    lock() = default;
    virtual ~lock() = default;
    lock(const lock&) = delete;
    lock& operator=(const lock&) = delete;

    // Throws when nothing happens for seconds: a benchmark in which somebody starves has failed.
    virtual void acquire() = 0;
    virtual void release() = 0;
};

// Also done before the clock runs: connections are made and scripts are loaded then.
inline void use_once(lock& contended)
{
    contended.acquire();
    contended.release();
}

}  // namespace pawl::bench
