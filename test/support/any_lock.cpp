#include "support/any_lock.h"

#include <stdexcept>
#include <string>

namespace pawl::test {

std::string_view to_string(lock_kind kind)
{
    switch (kind) {
    case lock_kind::plain: return "plain";
    case lock_kind::hash: return "hash";
    case lock_kind::recursive: return "recursive";
    case lock_kind::fair: return "fair";
    case lock_kind::fair_hash: break;
    }
    return "fair_hash";
}

lock_kind lock_kind_of(std::string_view name)
{
    for (const lock_kind kind : all_lock_kinds) {
        if (to_string(kind) == name) return kind;
    }
    throw std::invalid_argument{"no such kind of lock: " + std::string{name}};
}

std::ostream& operator<<(std::ostream& out, lock_kind kind)
{
    return out << to_string(kind);
}

any_lock::any_lock(lock_kind kind, client& own, std::string_view name, lock_options options)
{
    const bool hash = kind == lock_kind::hash || kind == lock_kind::fair_hash;
    if (kind != lock_kind::recursive) options.layout = hash ? layout::hash : layout::plain;
    if (kind == lock_kind::recursive) {
        lock_ = &made_.emplace<recursive_mutex>(own, name, options);
    } else if (is_fair(kind)) {
        lock_ = &made_.emplace<fair_mutex>(own, name, options);
    } else {
        lock_ = &made_.emplace<mutex>(own, name, options);
    }
}

}  // namespace pawl::test
