// A connection that answers as the test says.
#pragma once

#include "redis/resp.h"
#include "redis/transport.h"
#include "store/redis/replication.h"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl::store {

using words = std::vector<std::string>;

// Records the requests, and answers from a list.
class scripted final : public redis::transport {
public:
    struct record {
        std::vector<words> requests;
        std::deque<std::string> replies;
        replication about{.primary = true, .history = "one"};  // the answer to INFO replication
        unsigned asked_about = 0;                              // how often that was asked
        std::optional<std::string> info_error;
        base::boot_time since{};
        redis::server_facts facts{.major_version = 7};
        bool is_sent = false;  // whether a request without a reply was sent
        unsigned submitted = 0;
        unsigned submitted_apart = 0;
    };
    explicit scripted(record& where) : record_{&where} {}

    std::optional<redis::failure> call(
        const writer& request, const waiting& /*how*/,
        const std::function<void(const redis::reply_view&)>& read) override
    {
        std::string bytes;
        auto facts = record_->facts;
        facts.since = record_->since;
        const auto left = request(facts, bytes);
        std::string_view rest = bytes;
        std::vector<bool> is_info;
        while (!rest.empty()) {
            redis::reply_parser asked;
            EXPECT_EQ(asked.parse(rest), redis::parse_status::complete);
            words mine;
            asked.reply(rest).for_each([&](const auto& word) { mine.emplace_back(word.text()); });
            rest.remove_prefix(asked.consumed());
            is_info.push_back(mine.front() == "INFO");
            if (!is_info.back()) record_->requests.push_back(std::move(mine));
        }
        EXPECT_EQ(is_info.size(), left);
        for (const bool info : is_info) {
            if (!info && record_->replies.empty()) return redis::failure{{}, {}, record_->is_sent};
            const auto reply = info ? answer_to_info() : std::move(record_->replies.front());
            if (!info) record_->replies.pop_front();
            redis::reply_parser answered;
            EXPECT_EQ(answered.parse(reply), redis::parse_status::complete);
            read(answered.reply(reply));
        }
        return std::nullopt;
    }
    void submit(writer, std::chrono::milliseconds, reader) override { ++record_->submitted; }
    void submit_apart(writer, std::chrono::milliseconds, reader) override
    {
        ++record_->submitted_apart;
    }
    void connect() override {}
    void listen(std::string, redis::listener&) override {}
    [[nodiscard]] const std::string& shown() const noexcept override { return shown_; }

private:
    std::string answer_to_info()
    {
        ++record_->asked_about;
        if (record_->info_error) return *record_->info_error;
        const auto& about = record_->about;
        const auto text = "role:" + std::string{about.primary ? "master" : "slave"} +
                          "\r\nconnected_slaves:" + std::to_string(about.replicas) +
                          "\r\nmaster_replid:" + about.history + "\r\n";
        return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
    }

    record* record_;
    std::string shown_ = "scripted";
};

}  // namespace pawl::store
