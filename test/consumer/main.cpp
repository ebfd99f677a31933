// A user's smallest program. It needs no server.
#include <pawl/pawl.h>

#include <iostream>
#include <string>

namespace {

// Whether a client of this URL is refused, with these words.
bool is_refused(const std::string& url, const std::string& words)
{
    try {
        pawl::client client{url};
    } catch (const pawl::error& e) {
        std::cout << "refused, as it should be: " << e.what() << '\n';
        return e.code() == pawl::errc::bad_argument &&
               std::string{e.what()}.find(words) != std::string::npos;
    }
    std::cerr << "a client was made from " << url << '\n';
    return false;
}

}  // namespace

int main()
{
    std::cout << "pawl " << pawl::version() << '\n';
    if (pawl::version() != PAWL_VERSION) {
        std::cerr << "the headers are of version " PAWL_VERSION "\n";
        return 1;
    }
    const bool bad = is_refused("gopher://nowhere", "redis://");
    // It does not link the library for tests, and is told what is missing.
    const bool not_linked = is_refused("memory:", "link pawl::testing");
    return bad && not_linked ? 0 : 1;
}
