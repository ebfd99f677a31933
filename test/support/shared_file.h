// A value that processes share through a mapped file. It outlives a process that is killed.
#pragma once

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

namespace pawl::test {

// T consists of lock-free atomics, which are zero at first.
template <class T>
class shared_file {
public:
    // Creates the file if it does not exist.
    explicit shared_file(const std::string& path)
    {
        const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        void* at = MAP_FAILED;
        if (fd >= 0 && ::ftruncate(fd, sizeof(T)) == 0) {
            at = ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        }
        const int problem = errno;
        if (fd >= 0) ::close(fd);
        if (at == MAP_FAILED) {
            throw std::system_error{problem, std::generic_category(), "share " + path};
        }
        value_ = static_cast<T*>(at);
    }
    ~shared_file() { ::munmap(value_, sizeof(T)); }
    shared_file(const shared_file&) = delete;
    shared_file& operator=(const shared_file&) = delete;

    [[nodiscard]] T& operator*() const noexcept { return *value_; }
    [[nodiscard]] T* operator->() const noexcept { return value_; }

private:
    T* value_;
};

// A file that one process at a time can own. The kernel takes it away from a dead process.
class file_token {
public:
    explicit file_token(const std::string& path)
        : fd_{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)}
    {
        if (fd_ < 0) throw std::system_error{errno, std::generic_category(), "open " + path};
    }
    ~file_token() { ::close(fd_); }
    file_token(const file_token&) = delete;
    file_token& operator=(const file_token&) = delete;

    [[nodiscard]] bool try_take() const noexcept { return ::flock(fd_, LOCK_EX | LOCK_NB) == 0; }
    void take() const noexcept
    {
        while (::flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
        }
    }
    void give() const noexcept { ::flock(fd_, LOCK_UN); }

private:
    int fd_;
};

}  // namespace pawl::test
