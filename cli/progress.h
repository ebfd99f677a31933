// One line on stderr that is overwritten again and again, if stderr is a terminal that can do that.
#pragma once

#include "screen.h"

#include <string>
#include <unistd.h>

namespace pawl::cli {

class progress {
public:
    progress() = default;
    ~progress() { clear(); }
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;

    void show(const std::string& text);
    void clear();

private:
    bool works_ = can_redraw(STDERR_FILENO);
    bool shown_ = false;
};

}  // namespace pawl::cli
