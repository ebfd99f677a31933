// What every server is asked first, and how its answers become facts.
#pragma once

#include "doctor/facts.h"
#include "store/question.h"

#include <string>
#include <vector>

namespace pawl::doctor {

[[nodiscard]] std::vector<store::command> first_questions(store_kind kind);

// `asked` are the commands that this is the answer to.
[[nodiscard]] server_facts read_first(std::string server, const std::vector<store::command>& asked,
                                      const store::server_answer& answer);

// One round trip with TIME. `to_wall` is what the wall clock of this machine shows more than its boot clock. Nothing if
// the server did not tell its time.
[[nodiscard]] std::optional<sample> read_sample(const store::server_answer& answer,
                                                std::chrono::nanoseconds to_wall);

// What a sentinel has said to SENTINEL MASTER.
[[nodiscard]] sentinel_facts read_sentinel(std::string server, const store::server_answer& answer);

}  // namespace pawl::doctor
