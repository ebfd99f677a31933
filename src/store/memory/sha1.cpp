#include "store/memory/sha1.h"

#include <cstddef>
#include <openssl/evp.h>
#include <stdexcept>

namespace pawl::store::memory {

sha1_text sha1(std::string_view text)
{
    std::array<unsigned char, 20> bytes{};
    if (::EVP_Digest(text.data(), text.size(), bytes.data(), nullptr, ::EVP_sha1(), nullptr) != 1) {
        throw std::runtime_error{"OpenSSL has no SHA-1"};
    }
    constexpr std::string_view hexadecimal = "0123456789abcdef";
    sha1_text result{};
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        result.digits[2 * at] = hexadecimal[bytes[at] / 16U];
        result.digits[2 * at + 1] = hexadecimal[bytes[at] % 16U];
    }
    return result;
}

}  // namespace pawl::store::memory
