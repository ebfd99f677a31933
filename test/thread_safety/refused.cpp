// Compiled once for each shape, by CMakeLists.txt. clang refuses all but GUARDED.
#include "common/mutex.h"

namespace pawl::test {

class counter {
public:
    void add()
    {
#ifdef GUARDED
        common::unique_lock held{mutex_};
        changed_.wait(held, [this]() PAWL_REQUIRES(mutex_) { return count_ < 10; });
        add_one();
        held.unlock();
        changed_.notify_all();
        const common::scoped_lock again{mutex_};
        ++count_;
#elif defined(UNGUARDED)
        ++count_;
#elif defined(UNGUARDED_CALL)
        add_one();
#elif defined(UNLOCKED_EARLY)
        common::unique_lock held{mutex_};
        held.unlock();
        ++count_;
#elif defined(UNGUARDED_CONDITION)
        common::unique_lock held{mutex_};
        changed_.wait(held, [this] { return count_ < 10; });
#endif
    }

private:
    void add_one() PAWL_REQUIRES(mutex_) { ++count_; }

    common::mutex mutex_;
    common::condition_variable changed_;
    int count_ PAWL_GUARDED_BY(mutex_) = 0;
};

void use()
{
    counter one;
    one.add();
}

}  // namespace pawl::test
