#include "redis/handshake.h"

#include "base/mutant.h"
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
    if (config_->database == 0) return say_info(out);
    stage_ = stage::select;
    append_request(out,
                   std::array<std::string_view, 2>{"SELECT", std::to_string(config_->database)});
    return status::more;
}

handshake::status handshake::say_info(std::string& out)
{
    if (!config_->wants_run_id) return status::done;
    stage_ = stage::info;
    append_request(out, std::array<std::string_view, 2>{"INFO", "server"});
    return status::more;
}

// Without the run id, a server that has lost its locks could not be told from one that has them.
handshake::status handshake::read_info(std::string_view text)
{
    constexpr std::string_view name = "\nrun_id:";
    const auto at = text.find(name);
    if (at != std::string_view::npos) {
        const auto value = text.substr(at + name.size());
        facts_.run_id = value.substr(0, value.find_first_of("\r\n"));
    }
    if (!facts_.run_id.empty()) return status::done;
    problem_ = {
        failure_kind::refused,
        "the server does not tell its run_id in INFO server, which a node of a quorum must"};
    return status::failed;
}

// HELLO is unknown, or was disabled. Some servers do not say so before AUTH: a HELLO with a password is otherwise
// never answered with NOAUTH.
bool handshake::is_without_hello(std::string_view error) const noexcept
{
    return error.starts_with("ERR unknown command") || error.starts_with("NOPROTO") ||
           (error.starts_with("NOAUTH") && must_authenticate());
}

handshake::status handshake::on_reply(const reply_view& reply, std::string& out)
{
    const bool error = reply.is_error();
    const auto text = reply.text();
    if (stage_ == stage::hello && error && is_without_hello(text)) return say_auth(out);
    // The name is only for people, so a user who may not set it can still use the connection.
    if (error && stage_ != stage::set_name) {
        problem_ = failure_of_error(without_password(text));
        return status::failed;
    }
    switch (stage_) {
    case stage::hello:
        read_facts(reply);
        if (!problem_.detail.empty()) return status::failed;
        if (facts_.replica && !config_->may_be_replica && !base::is(base::mutant::role_ignored)) {
            problem_ = {failure_kind::replica, "the server is a replica"};
            return status::failed;
        }
        return say_select(out);
    case stage::auth: return say_name(out);
    case stage::set_name: return say_select(out);
    case stage::select: return say_info(out);
    case stage::info: break;
    }
    return read_info(text);
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
            facts_.cluster = hello[i + 1].text() == "cluster";
            check_mode(hello[i + 1].text());
        }
    }
    facts_.resp3 = facts_.resp3 && is_new;
}

// Checked here and not when a command fails: a lock whose slot is on this node would work, and the
// next one would not.
void handshake::check_mode(std::string_view mode)
{
    using wanted = server_config::mode;
    const auto refuse = [this](std::string why) {
        problem_ = {failure_kind::refused, std::move(why)};
    };
    if (config_->speaks == wanted::sentinel && mode != "sentinel") {
        refuse("the server is not a Sentinel, but the URL names it as one; use redis://");
    } else if (config_->speaks != wanted::sentinel && mode == "sentinel") {
        refuse("the server is a Sentinel; use redis+sentinel://HOST[:PORT],…/SERVICE");
    } else if (config_->speaks == wanted::cluster && mode != "cluster") {
        refuse("the server is not a node of a Redis Cluster; use redis://");
    } else if (config_->speaks == wanted::standalone && mode == "cluster") {
        refuse("the server is a node of a Redis Cluster; use redis+cluster://HOST[:PORT],…");
    }
}

}  // namespace pawl::redis
