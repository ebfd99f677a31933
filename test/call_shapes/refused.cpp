// Compiled once for each shape, by CMakeLists.txt. All but ACCEPTED are refused.
#include "../async/task.h"

#include <pawl/coro.h>

#include <functional>
#include <memory>
#include <string>

namespace pawl::test {

struct place {
    void operator()(coro::resumption go_on) const { go_on(); }
    std::shared_ptr<int> keeps;
};

task shape(acquirable& lock, std::shared_ptr<int> keeps, std::string text)
{
#ifdef ACCEPTED
    const auto named = [keeps, text](coro::resumption go_on) { go_on(); };
    hold held = co_await coro::acquire(lock, {}, named);
#elif defined(CLOSURE)
    hold held =
        co_await coro::acquire(lock, {}, [keeps, text](coro::resumption go_on) { go_on(); });
#elif defined(STD_FUNCTION)
    hold held =
        co_await coro::acquire(lock, {}, std::function<void(coro::resumption)>{place{keeps}});
#elif defined(AGGREGATE)
    hold held = co_await coro::acquire(lock, {}, place{keeps});
#endif
    co_await coro::release(std::move(held));
}

}  // namespace pawl::test
