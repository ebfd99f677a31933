// A user's smallest program. It needs no server.
#include <pawl/pawl.h>

#include <iostream>
#include <string>

namespace {

// Whether a client with this URL is refused, with this text in the message.
bool is_refused(const std::string& url, const std::string& words)
{
    try {
        pawl::client client{url};
    } catch (const pawl::error& e) {
        std::cout << "refused, as it should be: " << e.what() << '\n';
        return e.code() == pawl::errc::bad_argument &&
               std::string{e.what()}.find(words) != std::string::npos;
    }
    std::cerr << "the constructor accepted " << url << '\n';
    return false;
}

}  // namespace

int main()
{
    std::cout << "pawl " << pawl::version() << '\n';
    if (pawl::version() != PAWL_VERSION) {
        std::cerr << "the headers have version " PAWL_VERSION "\n";
        return 1;
    }
    const bool bad = is_refused("gopher://nowhere", "redis://");
    // This program does not link the library for tests. The message says what is missing.
    const bool not_linked = is_refused("memory:", "link pawl::testing");
    return bad && not_linked ? 0 : 1;
}
