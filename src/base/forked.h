// Tells a process from the child that it forked.
//
// A child inherits the parent's memory, but not its threads, and must not use its connections. So
// an object that owns threads or sockets stores the mark when it is created, and compares it before
// each use.
#pragma once

namespace pawl::base {

// Differs between a process and its children. Cheap: no system call.
[[nodiscard]] unsigned process_mark() noexcept;

}  // namespace pawl::base
