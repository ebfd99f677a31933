#include "board.h"

#include <cerrno>
#include <sys/mman.h>
#include <system_error>
#include <time.h>
#include <unistd.h>

namespace pawl::bench {
namespace {

int create_memory()
{
    const int fd = ::memfd_create("pawl-bench", 0);  // not closed by exec, because workers need it
    if (fd < 0) throw std::system_error{errno, std::generic_category(), "memfd_create"};
    if (::ftruncate(fd, sizeof(board)) != 0) {
        const int problem = errno;
        ::close(fd);
        throw std::system_error{problem, std::generic_category(), "ftruncate"};
    }
    return fd;
}

}  // namespace

shared_board::shared_board() : shared_board{create_memory()} {}

shared_board::shared_board(int fd) : fd_{fd}
{
    void* const memory = ::mmap(nullptr, sizeof(board), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) {
        const int problem = errno;
        ::close(fd);
        throw std::system_error{problem, std::generic_category(), "mmap"};
    }
    // All zeros is a valid board. It must not be constructed, least of all by a second process.
    board_ = static_cast<board*>(memory);
}

shared_board::~shared_board()
{
    ::munmap(board_, sizeof(board));
    ::close(fd_);
}

std::int64_t now_ns() noexcept
{
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace pawl::bench
