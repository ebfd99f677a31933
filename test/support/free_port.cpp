#include "support/free_port.h"

#include "support/socket.h"

namespace pawl::test {

std::uint16_t free_port()
{
    const socket_fd probe = bind_loopback(0);
    return local_port(probe);
}

}  // namespace pawl::test
