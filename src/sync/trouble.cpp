#include "sync/trouble.h"

namespace pawl::sync {

trouble trouble_of(const core::failure& got)
{
    return {core::errc_of(got.what), got.detail};
}

trouble lost_because(cause why)
{
    return {errc::lost, std::string{to_string(why)}};
}

}  // namespace pawl::sync
