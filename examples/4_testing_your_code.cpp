// Testing your own code: a nightly import under a lock, and what happens to it when the lock is
// lost.
//
// The importer is the program, and the rest are its tests. They need no server: the lock is on a
// memory_server in this process. It has levers to cause rare faults and to let hours pass at once.
//
//   4_testing_your_code
#undef NDEBUG  // the tests are assertions

#include <pawl/pawl.h>
#include <pawl/testing.h>

#include <cassert>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

namespace {

// ── The program ─────────────────────────────────────────────────────────────────────────────────

// The destination of the rows. It refuses a write with a smaller fence than the greatest it has
// seen. In a database this is a column, and a condition in the UPDATE.
class table {
public:
    [[nodiscard]] bool write(std::string row, std::uint64_t fence)
    {
        if (fence < greatest_fence_) return false;
        greatest_fence_ = fence;
        rows_.push_back(std::move(row));
        return true;
    }

    [[nodiscard]] const std::vector<std::string>& rows() const { return rows_; }

private:
    std::uint64_t greatest_fence_ = 0;
    std::vector<std::string> rows_;
};

using row_source = std::function<std::optional<std::string>()>;

class importer {
public:
    enum class result { done, busy, stopped };

    importer(pawl::mutex& lock, table& to) : lock_{&lock}, table_{&to} {}

    [[nodiscard]] result run(const row_source& next_row)
    {
        const std::optional<pawl::hold> held = lock_->try_acquire();
        if (!held) return result::busy;
        while (const std::optional<std::string> row = next_row()) {
            // An importer that has lost the lock stops, because another may have begun.
            if (held->lost().stop_requested()) return result::stopped;
            // It may have lost the lock without knowing it yet. Then the table refuses the row.
            if (!table_->write(*row, held->fence())) return result::stopped;
        }
        return result::done;
    }

private:
    pawl::mutex* lock_;
    table* table_;
};

// ── Its tests ───────────────────────────────────────────────────────────────────────────────────

using result = importer::result;

// Three rows. Before the second one, `happens` is called.
row_source three_rows(std::function<void()> happens = [] {})
{
    return [count = 0, happens = std::move(happens)]() mutable -> std::optional<std::string> {
        if (++count > 3) return std::nullopt;
        if (count == 2) happens();
        return "row " + std::to_string(count);
    };
}

// The fixture of each test. In the real program each client is a separate process. Here all are in
// this process, and use the same server.
struct night {
    pawl::testing::memory_server server;
    pawl::client client{server.url()};
    pawl::mutex lock{client, "import"};
    table rows;
    importer import{lock, rows};
};

void imports_all_rows_and_gives_the_lock_back()
{
    night tonight;
    assert(tonight.import.run(three_rows()) == result::done);
    assert(tonight.rows.rows().size() == 3);
    assert(!tonight.server.is_locked("import"));
}

void is_not_run_twice_at_once()
{
    night tonight;
    pawl::client other{tonight.server.url()};
    pawl::mutex same_lock{other, "import"};
    const pawl::hold held = same_lock.acquire();
    assert(tonight.import.run(three_rows()) == result::busy);
    assert(tonight.rows.rows().empty());
}

void may_take_all_night()
{
    night tonight;
    const auto slow = three_rows([&] { tonight.server.advance(8h); });
    assert(tonight.import.run(slow) == result::done);  // the lock was renewed all the time
}

void stops_when_the_server_is_away_for_too_long()
{
    night tonight;
    const auto interrupted = three_rows([&] {
        tonight.server.freeze();
        tonight.server.advance(31s);  // the lease is 30 s, and it could not be renewed
    });
    assert(tonight.import.run(interrupted) == result::stopped);
    assert(tonight.rows.rows().size() == 1);
    tonight.server.thaw();
}

void survives_an_outage_shorter_than_its_lease()
{
    night tonight;
    const auto interrupted = three_rows([&] {
        tonight.server.freeze();
        tonight.server.advance(15s);
        tonight.server.thaw();
    });
    assert(tonight.import.run(interrupted) == result::done);
}

void writes_nothing_over_the_rows_of_the_next_one()
{
    night tonight;
    pawl::client other{tonight.server.url()};
    pawl::mutex same_lock{other, "import"};
    importer next{same_lock, tonight.rows};
    const auto overtaken = three_rows([&] {
        // The server loses the lock. Until its next renewal the first importer does not know it,
        // and only the fence stops it.
        tonight.server.lose("import");
        assert(next.run(three_rows()) == result::done);
    });
    assert(tonight.import.run(overtaken) == result::stopped);
    assert(tonight.rows.rows().size() == 1 + 3);
}

}  // namespace

int main()
try {
    imports_all_rows_and_gives_the_lock_back();
    is_not_run_twice_at_once();
    may_take_all_night();
    stops_when_the_server_is_away_for_too_long();
    survives_an_outage_shorter_than_its_lease();
    writes_nothing_over_the_rows_of_the_next_one();
    std::cout << "=> 6 tests passed, and no server was needed\n";
    return EXIT_SUCCESS;
} catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return EXIT_FAILURE;
}
