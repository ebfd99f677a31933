// Host names that have, in this process, the addresses that a test gives them. A test that includes this
// replaces getaddrinfo(3) in the whole program; other names are looked up as ever.
#pragma once

#include <string>
#include <vector>

namespace pawl::test {

class fake_host {
public:
    // The addresses are numbers, and are found in this order.
    fake_host(std::string name, std::vector<std::string> addresses);
    ~fake_host();
    fake_host(const fake_host&) = delete;
    fake_host& operator=(const fake_host&) = delete;

private:
    std::string name_;
};

}  // namespace pawl::test
