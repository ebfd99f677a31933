#include "store/memory/command.h"

#include <array>
#include <initializer_list>
#include <unordered_map>

namespace pawl::store::memory {
namespace {

constexpr std::size_t longest_name = 32;

using command_map = std::unordered_map<std::string_view, command>;

command_map all_commands()
{
    command_map all;
    for (const auto part : {hash_commands(), key_commands(), list_commands(), server_commands(),
                            script_commands(), sorted_set_commands(), string_commands()}) {
        for (const command& each : part) all.emplace(each.name, each);
    }
    return all;
}

// Names are short and in lower case. A word that does not fit is not a name.
class name_buffer {
public:
    [[nodiscard]] bool append(std::string_view word) noexcept
    {
        if (word.size() > text_.size() - size_) return false;
        for (const char c : word) {
            text_[size_++] = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        }
        return true;
    }
    [[nodiscard]] std::string_view view() const noexcept { return {text_.data(), size_}; }

private:
    std::array<char, longest_name> text_{};
    std::size_t size_ = 0;
};

const command* find(std::string_view name) noexcept
{
    static const command_map all = all_commands();
    const auto found = all.find(name);
    return found != all.end() ? &found->second : nullptr;
}

}  // namespace

bool command::takes(std::size_t words) const noexcept
{
    const auto count = static_cast<word_count>(words);
    return arity < 0 ? count >= -arity : count == arity;
}

const command* find_command(std::span<const std::string_view> words) noexcept
{
    name_buffer name;
    if (!name.append(words[0])) return nullptr;
    const command* const found = find(name.view());
    if (!found || !found->is(command::container) || words.size() == 1) return found;
    if (!name.append("|") || !name.append(words[1])) return nullptr;
    return find(name.view());
}

bool is_container(std::string_view word) noexcept
{
    const command* const found = find_command({&word, 1});
    return found != nullptr && found->is(command::container);
}

}  // namespace pawl::store::memory
