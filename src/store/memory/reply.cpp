#include "store/memory/reply.h"

#include "store/memory/numbers.h"

#include <algorithm>

namespace pawl::store::memory {

void resp3_reply::status(std::string_view text)
{
    line('+', text);
}

void resp3_reply::error(std::string_view text)
{
    const auto last = text.find_last_not_of("\r\n");
    line('-', text.substr(0, last == std::string_view::npos ? 0 : last + 1));
}

void resp3_reply::integer(std::int64_t number)
{
    line(':', number_text{number}.view());
}

void resp3_reply::real(double number)
{
    line(',', number_text{number}.view());
}

void resp3_reply::boolean(bool truth)
{
    line('#', truth ? "t" : "f");
}

void resp3_reply::bulk(std::string_view text)
{
    length('$', text.size());
    out_.append(text).append("\r\n");
}

void resp3_reply::null()
{
    line('_', {});
}

void resp3_reply::array(std::size_t size)
{
    length('*', size);
}

void resp3_reply::map(std::size_t pairs)
{
    length('%', pairs);
}

void resp3_reply::set(std::size_t size)
{
    length('~', size);
}

void resp3_reply::push(std::size_t size)
{
    length('>', size);
}

// Scripts and unknown commands may put any bytes into errors and statuses.
void resp3_reply::line(char type, std::string_view text)
{
    out_ += type;
    const auto start = out_.size();
    out_ += text;
    std::replace_if(
        out_.begin() + static_cast<std::ptrdiff_t>(start), out_.end(),
        [](char c) { return c == '\r' || c == '\n'; }, ' ');
    out_ += "\r\n";
}

void resp3_reply::length(char type, std::size_t size)
{
    line(type, number_text{static_cast<std::int64_t>(size)}.view());
}

}  // namespace pawl::store::memory
