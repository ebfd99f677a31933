// Tells a process from the child that it forked.
//
// A child inherits the parent's memory but neither its threads nor the right to its connections. So
// whatever owns threads or sockets notes the mark when it is made and compares it before each use.
#pragma once

namespace pawl::base {

// Differs between a process and any of its children. Cheap: no system call.
[[nodiscard]] unsigned process_mark() noexcept;

}  // namespace pawl::base
