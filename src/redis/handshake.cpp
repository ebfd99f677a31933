#include "redis/handshake.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <vector>

namespace pawl::redis {

handshake::handshake(const server_config& config) : config_{&config} {}

handshake::status handshake::start(std::string& out)
{
    if (!read_password()) return status::failed;
    return say_hello(out);
}

bool handshake::read_password()
{
    password_ = config_->password;
    if (!config_->password_env.empty()) {
        // NOLINTNEXTLINE(concurrency-mt-unsafe): only setenv() elsewhere could disturb it.
        const char* const value = std::getenv(config_->password_env.c_str());
        if (value == nullptr) {
            problem_ = {failure_kind::refused,
                        "password_env: the variable " + config_->password_env + " is not set"};
            return false;
        }
        password_ = value;
    }
    if (!config_->password_file.empty()) {
        std::ifstream file{config_->password_file};
        if (!std::getline(file, password_)) {
            problem_ = {failure_kind::refused, "password_file: '" + config_->password_file +
                                                   "' cannot be read or is empty"};
            return false;
        }
        if (password_.ends_with('\r')) password_.pop_back();
    }
    return true;
}

handshake::status handshake::say_hello(std::string& out)
{
    stage_ = stage::hello;
    std::vector<std::string_view> words{"HELLO", "3"};
    if (!password_.empty()) {
        words.insert(words.end(), {"AUTH", "default", password_});
        if (!config_->user.empty()) words[3] = config_->user;
    }
    words.insert(words.end(), {"SETNAME", config_->name});
    append_request(out, words);
    return status::more;
}

handshake::status handshake::say_auth(std::string& out)
{
    if (password_.empty()) return say_name(out);
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
    // A name is for people only: a user who may not set one works all the same.
    if (error && stage_ != stage::set_name) {
        problem_ = failure_of_error(text);
        return status::failed;
    }
    switch (stage_) {
    case stage::hello: read_facts(reply); return say_select(out);
    case stage::auth: return say_name(out);
    case stage::set_name: return say_select(out);
    case stage::select: break;
    }
    return status::done;
}

void handshake::read_facts(const reply_view& hello)
{
    for (std::size_t i = 0; i + 1 < hello.size(); i += 2) {
        const auto key = hello[i].text();
        const auto value = hello[i + 1];
        if (key == "proto") facts_.resp3 = value.integer() == 3;
        if (key == "version") {
            const auto text = value.text();
            std::from_chars(text.data(), text.data() + text.size(), facts_.major_version);
        }
    }
}

}  // namespace pawl::redis
