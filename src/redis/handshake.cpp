#include "redis/handshake.h"

#include "redis/password.h"

#include <array>
#include <charconv>
#include <variant>
#include <vector>

namespace pawl::redis {

handshake::handshake(const server_config& config) : config_{&config} {}

handshake::status handshake::start(std::string& out)
{
    auto password = read_password(*config_);
    if (auto* const failed = std::get_if<failure>(&password)) {
        problem_ = std::move(*failed);
        return status::failed;
    }
    password_ = std::get<std::string>(std::move(password));
    return say_hello(out);
}

// A user name without a password is sent too: that user may need no password.
bool handshake::must_authenticate() const noexcept
{
    return !password_.empty() || !config_->user.empty();
}

handshake::status handshake::say_hello(std::string& out)
{
    stage_ = stage::hello;
    std::vector<std::string_view> words{"HELLO", "3"};
    if (must_authenticate()) {
        words.insert(words.end(), {"AUTH", "default", password_});
        if (!config_->user.empty()) words[3] = config_->user;
    }
    words.insert(words.end(), {"SETNAME", config_->name});
    append_request(out, words);
    return status::more;
}

handshake::status handshake::say_auth(std::string& out)
{
    if (!must_authenticate()) return say_name(out);
    stage_ = stage::auth;
    std::vector<std::string_view> words{"AUTH"};
    if (!config_->user.empty()) words.emplace_back(config_->user);
    words.emplace_back(password_);
    append_request(out, words);
    return status::more;
}

handshake::status handshake::say_name(std::string& out)
{
    stage_ = stage::set_name;
    append_request(out, std::array<std::string_view, 3>{"CLIENT", "SETNAME", config_->name});
    return status::more;
}

handshake::status handshake::say_select(std::string& out)
{
    if (config_->database == 0) return status::done;
    stage_ = stage::select;
    append_request(out,
                   std::array<std::string_view, 2>{"SELECT", std::to_string(config_->database)});
    return status::more;
}

handshake::status handshake::on_reply(const reply_view& reply, std::string& out)
{
    const bool error = reply.is_error();
    const auto text = reply.text();
    if (stage_ == stage::hello && error &&
        (text.starts_with("ERR unknown command") || text.starts_with("NOPROTO"))) {
        return say_auth(out);
    }
    // The name is only for people, so a user who may not set it can still use the connection.
    if (error && stage_ != stage::set_name) {
        problem_ = failure_of_error(without_password(text));
        return status::failed;
    }
    switch (stage_) {
    case stage::hello:
        read_facts(reply);
        if (!problem_.detail.empty()) return status::failed;
        if (facts_.replica) {
            problem_ = {failure_kind::not_now, "the server is a replica"};
            return status::failed;
        }
        return say_select(out);
    case stage::auth: return say_name(out);
    case stage::set_name: return say_select(out);
    case stage::select: break;
    }
    return status::done;
}

// A server that does not know AUTH repeats its arguments in the error.
std::string handshake::without_password(std::string_view text) const
{
    std::string clean{text};
    if (password_.empty()) return clean;
    for (auto at = clean.find(password_); at != std::string::npos; at = clean.find(password_, at)) {
        clean.replace(at, password_.size(), "***");
        at += 3;
    }
    return clean;
}

// Before 6.0.6 there is no LPOS, and so no queue. Its messages are not needed.
bool handshake::has_lpos(std::string_view version)
{
    std::array<int, 3> parts{};
    const auto* at = version.data();
    const auto* const end = at + version.size();
    for (auto& part : parts) {
        at = std::from_chars(at, end, part).ptr;
        if (at == end) break;
        ++at;  // the dot
    }
    return parts >= std::array{6, 0, 6};
}

void handshake::read_facts(const reply_view& hello)
{
    bool is_new = true;
    for (std::size_t i = 0; i + 1 < hello.size(); i += 2) {
        const auto key = hello[i].text();
        if (key == "version") {
            const auto text = hello[i + 1].text();
            std::from_chars(text.data(), text.data() + text.size(), facts_.major_version);
            is_new = has_lpos(text);
        } else if (key == "proto") {
            facts_.resp3 = hello[i + 1].integer() == 3;
        } else if (key == "role") {
            facts_.replica = hello[i + 1].text() == "replica";
        } else if (key == "mode") {
            check_mode(hello[i + 1].text());
        }
    }
    facts_.resp3 = facts_.resp3 && is_new;
}

// Checked here and not when a command fails: a lock whose slot is on this node would work, and the
// next one would not.
void handshake::check_mode(std::string_view mode)
{
    if (mode == "sentinel") {
        problem_ = {failure_kind::refused,
                    "the server is a Sentinel, which pawl does not support yet; use the URL of the "
                    "master that it watches"};
    } else if (mode == "cluster") {
        problem_ = {
            failure_kind::refused,
            "the server is a node of a Redis Cluster, which pawl does not support yet; use a "
            "server with cluster-enabled no"};
    }
}

}  // namespace pawl::redis
