#include "text.h"

#include <iomanip>
#include <sstream>

namespace pawl::bench {

std::string number(double value, int digits)
{
    std::ostringstream text;
    text << std::fixed << std::setprecision(digits) << value;
    return text.str();
}

std::string times(double ratio)
{
    return number(ratio, ratio < 0.1 ? 4 : ratio < 100 ? 2 : 0);
}

}  // namespace pawl::bench
