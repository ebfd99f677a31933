#include "store/memory/engine.h"

#include "store/memory/execution.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace pawl::store::memory {
namespace {

// Requests have larger limits than replies.
constexpr redis::resp_limits request_limits{.bulk_bytes = std::size_t{512} << 20,
                                            .nodes = std::size_t{1} << 24};

bool is_request(const redis::reply_view& request)
{
    if (request.type() != redis::resp_type::array) return false;
    bool all = true;
    request.for_each([&](const auto& word) { all = all && word.type() == redis::resp_type::bulk; });
    return all;
}

}  // namespace

engine::engine(clock now)
    : now_{std::move(now)}, machine_{std::make_unique<machine>()}, parser_{request_limits}
{
}

engine::~engine() = default;

void engine::execute(session from, std::span<const std::string_view> words, std::string& out)
{
    if (words.empty()) return;
    look_at_clock();
    resp3_reply answer{out};
    call what{*machine_, from, words, answer};
    memory::execute(what);
}

std::size_t engine::execute_bytes(session from, std::string_view bytes, std::string& out)
{
    std::size_t done = 0;
    while (done < bytes.size()) {
        const auto rest = bytes.substr(done);
        parser_.reset();
        const auto status = parser_.parse(rest);
        if (status == redis::parse_status::more) return done;
        if (status == redis::parse_status::malformed || !is_request(parser_.reply(rest))) {
            resp3_reply{out}.error("ERR Protocol error: expected an array of strings");
            return bytes.size();
        }
        words_.clear();
        parser_.reply(rest).for_each([&](const auto& word) { words_.push_back(word.text()); });
        execute(from, words_, out);
        done += parser_.consumed();
    }
    return done;
}

void engine::on_push(subscriptions::delivery deliver)
{
    machine_->channels.on_push(std::move(deliver));
}

std::size_t engine::listeners(std::string_view channel) const
{
    return machine_->channels.listeners(channel);
}

void engine::disconnect(session who)
{
    machine_->channels.remove(who);
}

void engine::lose_data()
{
    machine_->data.clear();
}

void engine::flush_scripts()
{
    machine_->scripts.flush();
}

void engine::restart(bool keep_data)
{
    flush_scripts();
    machine_->channels.clear();
    ++machine_->replication.history;
    if (!keep_data) lose_data();
}

void engine::refuse_writes(bool full)
{
    machine_->memory_full = full;
}

void engine::listeners_elsewhere(bool now)
{
    machine_->channels.listen_elsewhere(now);
}

void engine::has_replicas(unsigned connected, unsigned acknowledging)
{
    machine_->replication.replicas = connected;
    machine_->replication.acknowledging = acknowledging;
}

bool engine::is_primary() const
{
    return machine_->replication.primary;
}

void engine::make_primary(bool now)
{
    auto& says = machine_->replication;
    if (now && !says.primary) ++says.history;
    says.primary = now;
}

engine::snapshot engine::save() const
{
    return machine_->data;
}

void engine::restore(const snapshot& then)
{
    machine_->data = then;
}

void engine::set_run_id(std::string id)
{
    machine_->run_id = std::move(id);
}

std::vector<keyspace::key_info> engine::keys()
{
    look_at_clock();
    machine_->data.expire_all();
    return machine_->data.keys();
}

void engine::look_at_clock()
{
    machine_->now = now_();
    machine_->data.set_now(std::chrono::floor<std::chrono::milliseconds>(machine_->now));
}

}  // namespace pawl::store::memory
