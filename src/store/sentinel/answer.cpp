#include "store/sentinel/answer.h"

#include <array>
#include <charconv>
#include <system_error>

namespace pawl::store {
namespace {

using kind = sentinel_answer::kind;

template <class Number>
std::optional<Number> number_in(std::string_view text)
{
    Number value{};
    const auto* const end = text.data() + text.size();
    const auto [at, problem] = std::from_chars(text.data(), end, value);
    if (problem != std::errc{} || at != end) return std::nullopt;
    return value;
}

sentinel_answer unreadable(std::string_view what)
{
    return {.what = kind::refused, .detail = "unexpected reply: " + std::string{what}};
}

}  // namespace

void append_question(std::string& out, std::string_view service)
{
    using words = std::array<std::string_view, 3>;
    redis::append_request(out, words{"SENTINEL", "MASTER", service});
    redis::append_request(out, words{"SENTINEL", "GET-MASTER-ADDR-BY-NAME", service});
}

bool answer_reader::on_reply(const redis::reply_view& reply)
{
    if (!has_first_) {
        has_first_ = true;
        read_epoch(reply);
        return false;
    }
    // If the first command was refused, that is the answer.
    if (answer_.detail.empty()) read_address(reply);
    return true;
}

void answer_reader::read_epoch(const redis::reply_view& reply)
{
    if (reply.is_error()) {
        // "ERR No such master with that name". The second reply then has no address.
        if (reply.text().starts_with("ERR No such ")) return;
        answer_ = answer_of(redis::failure_of_error(reply.text()));
        return;
    }
    for (std::size_t i = 0; i + 1 < reply.size(); i += 2) {
        if (reply[i].text() == "config-epoch") {
            epoch_ = number_in<std::uint64_t>(reply[i + 1].text());
        }
    }
    if (!epoch_) answer_ = unreadable("SENTINEL MASTER says no config-epoch");
}

void answer_reader::read_address(const redis::reply_view& reply)
{
    if (reply.is_error()) {
        answer_ = answer_of(redis::failure_of_error(reply.text()));
        return;
    }
    if (reply.is_null() || !epoch_) {
        answer_ = {.what = kind::unknown_service};
        return;
    }
    const auto port = reply.size() == 2 ? number_in<std::uint16_t>(reply[1].text()) : std::nullopt;
    if (!port || *port == 0 || reply[0].text().empty()) {
        answer_ = unreadable("SENTINEL GET-MASTER-ADDR-BY-NAME says no address");
        return;
    }
    answer_ = {.what = kind::primary,
               .primary = {.host = std::string{reply[0].text()}, .port = *port},
               .epoch = *epoch_};
}

sentinel_answer answer_of(const redis::failure& why)
{
    const bool refused = why.what == redis::failure_kind::refused;
    return {.what = refused ? kind::refused : kind::no_answer,
            .detail = why.detail,
            .nobody_listens = why.what == redis::failure_kind::nobody_listens};
}

bool is_about(std::string_view message, std::string_view service) noexcept
{
    return message.starts_with(service) && message.substr(service.size()).starts_with(' ');
}

}  // namespace pawl::store
