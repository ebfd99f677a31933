// The metrics of a client for Prometheus, through prometheus-cpp: a collectable to register with an
// exposer, which asks it for the present figures at each scrape.
//
//   prometheus::Exposer exposer{"127.0.0.1:9100"};
//   const auto metrics = std::make_shared<pawl::prometheus::collector>(client);
//   exposer.RegisterCollectable(metrics);
//
// Needs prometheus-cpp and the library pawl::prometheus: find_package(pawl COMPONENTS prometheus), or
// pkg-config pawl-prometheus. The rest of pawl does not need them. docs/metrics.md has the names.
#pragma once

#include <pawl/client.h>
#include <pawl/export.h>
#include <pawl/metrics.h>

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <string>
#include <vector>

namespace pawl::prometheus {

class PAWL_EXPORT collector final : public ::prometheus::Collectable {
public:
    // All figures get the label client="LABEL". The default is the id of the client, which is new
    // for each client: give a label if figures of several runs of a program belong together.
    // The client must outlive the collector and each scrape. A scrape that is under way keeps the
    // collector alive, so it is not enough to reset a pointer to it: before the client is destroyed,
    // call exposer.RemoveCollectable(collector), which waits for a scrape, or destroy the exposer.
    // A byte of the label, or of the name of a lock, that is not part of valid UTF-8 becomes U+FFFD.
    // Round trips: none.
    // On failure: throws std::bad_alloc only.
    explicit collector(const client& client, std::string label = {});
    ~collector() override;

    collector(const collector&) = delete;
    collector& operator=(const collector&) = delete;

    // Returns the present figures. The exposer calls it.
    // Round trips: none.
    // On failure: throws std::bad_alloc only.
    // Threads: any thread may call it.
    // Cancellation: none. It does not wait.
    [[nodiscard]] std::vector<::prometheus::MetricFamily> Collect() const override;

private:
    const client* client_;
    std::string label_;
};

// Returns a snapshot as metric families, with the label client="LABEL".
// Round trips: none.
// On failure: throws std::bad_alloc only.
// Threads: any thread may call it.
// Cancellation: none. It does not wait.
[[nodiscard]] PAWL_EXPORT std::vector<::prometheus::MetricFamily> families_of(
    const metrics& what, const std::string& label);

}  // namespace pawl::prometheus
