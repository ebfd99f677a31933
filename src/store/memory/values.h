// The values of keys. Every type has a defined order, by insertion or by score, so that two runs of
// the same requests have the same replies.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pawl::store::memory {

// Fields in the order of insertion, as in a small hash of Redis. A lookup goes through all fields,
// because the hashes of locks are small.
class hash {
public:
    using field = std::pair<std::string, std::string>;

    [[nodiscard]] const std::string* find(std::string_view name) const noexcept;
    bool set(std::string_view name, std::string_view value);  // whether the field is new
    bool erase(std::string_view name);
    [[nodiscard]] const std::vector<field>& fields() const noexcept { return fields_; }
    [[nodiscard]] std::size_t size() const noexcept { return fields_.size(); }

private:
    std::vector<field> fields_;
};

using list = std::deque<std::string>;

// Members sorted by score, and by name where scores are equal.
class sorted_set {
public:
    struct member {
        double score;
        std::string name;
    };

    // Scores from `min` to `max`, without the bounds that are excluded.
    struct interval {
        double min = 0;
        double max = 0;
        bool min_excluded = false;
        bool max_excluded = false;

        [[nodiscard]] bool contains(double score) const noexcept;
    };

    [[nodiscard]] std::optional<std::size_t> rank(std::string_view name) const noexcept;
    void set(std::string_view name, double score);
    void erase(std::size_t rank, std::size_t count = 1);
    [[nodiscard]] const std::vector<member>& members() const noexcept { return members_; }
    [[nodiscard]] std::size_t size() const noexcept { return members_.size(); }

    // The ranks of the members in the interval: the first, and the one after the last.
    [[nodiscard]] std::pair<std::size_t, std::size_t> within(const interval& scores) const noexcept;

private:
    std::vector<member> members_;
};

using content = std::variant<std::string, hash, list, sorted_set>;

// The name that TYPE returns.
[[nodiscard]] std::string_view type_name(const content& what) noexcept;

}  // namespace pawl::store::memory
