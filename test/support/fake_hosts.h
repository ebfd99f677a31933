// Host names with addresses that a test chooses, in this process only. A test that includes this
// replaces getaddrinfo(3) in the whole program. Other names are looked up as usual.
#pragma once

#include <string>
#include <vector>

namespace pawl::test {

class fake_host {
public:
    // The addresses are numeric, and are returned in this order.
    fake_host(std::string name, std::vector<std::string> addresses);
    ~fake_host();
    fake_host(const fake_host&) = delete;
    fake_host& operator=(const fake_host&) = delete;

private:
    std::string name_;
};

}  // namespace pawl::test
