#include "sync/trouble.h"

namespace pawl::sync {

trouble lost_because(cause why)
{
    return {errc::lost, std::string{to_string(why)}};
}

}  // namespace pawl::sync
