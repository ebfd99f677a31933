// A user's program that shows its metrics to Prometheus. It needs no server.
#include <pawl/pawl.h>
#include <pawl/prometheus.h>

#include <iostream>

int main()
{
    const pawl::client client{"redis://127.0.0.1:1"};
    const pawl::prometheus::collector collector{client, "consumer"};
    for (const auto& family : collector.Collect()) {
        if (family.name == "pawl_grants_total") return 0;
    }
    std::cerr << "there is no pawl_grants_total\n";
    return 1;
}
