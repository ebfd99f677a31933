// What `pawl doctor` has found, for people and for programs.
#pragma once

#include <pawl/doctor.h>

#include <cstddef>
#include <string>
#include <vector>

namespace pawl::cli {

class doctor_report {
public:
    // `server`: the address of the store.
    doctor_report(std::string server, std::vector<finding> all);

    // The worst first. Findings that several servers share are shown once. Those that are fine are left
    // out unless `verbose` is true.
    [[nodiscard]] std::string as_text(bool verbose) const;

    // One object on one line. Bytes that are not UTF-8 become U+FFFD.
    [[nodiscard]] std::string as_json() const;

    [[nodiscard]] int exit_status() const;

private:
    [[nodiscard]] std::size_t count(severity of) const;
    [[nodiscard]] severity worst() const;
    [[nodiscard]] std::string part(severity of) const;
    [[nodiscard]] std::string unchecked() const;
    [[nodiscard]] std::string sum() const;

    std::string server_;
    std::vector<finding> all_;
    bool has_several_servers_ = false;
};

}  // namespace pawl::cli
