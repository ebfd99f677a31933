// A user's smallest program. It needs no server.
#include <pawl/pawl.h>

#include <iostream>

int main()
{
    std::cout << "pawl " << pawl::version() << '\n';
    if (pawl::version() != PAWL_VERSION) {
        std::cerr << "the headers are of version " PAWL_VERSION "\n";
        return 1;
    }
    try {
        pawl::client client{"gopher://nowhere"};
    } catch (const pawl::error& e) {
        std::cout << "refused, as it should be: " << e.what() << '\n';
        return e.code() == pawl::errc::bad_argument ? 0 : 1;
    }
    std::cerr << "a client was made from a bad URL\n";
    return 1;
}
