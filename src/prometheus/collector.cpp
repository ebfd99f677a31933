#include <pawl/prometheus.h>

#include <utility>

namespace pawl::prometheus {

collector::collector(const client& client, std::string label)
    : client_{&client}, label_{std::move(label)}
{
    if (label_.empty()) label_ = client.id();
}

collector::~collector() = default;

std::vector<::prometheus::MetricFamily> collector::Collect() const
{
    return families_of(client_->metrics(), label_);
}

}  // namespace pawl::prometheus
