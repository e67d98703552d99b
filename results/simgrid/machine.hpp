// A NUMA machine in SimGrid 3.32 (libsimgrid-dev), for the programs of results/simgrid-*: memory is a host behind a link, the controller;
// who reads it is a communication that no more than its limit passes. Model CM02 without latencies and TCP, so that sharing is max-min.
#pragma once
#include <simgrid/s4u.hpp>

#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

// SimGrid 3.32 does not hand the limit of a communication between two hosts on to its kernel; this header is not installed, the
// function is exported.
namespace simgrid::kernel::activity {
class CommImpl {
public:
  CommImpl& set_rate(double rate);
};
} // namespace simgrid::kernel::activity

namespace sg4 = simgrid::s4u;

struct Machine {
  struct Node {
    int cores;
    double gflops, controller;
  };

  std::vector<Node> nodes;
  std::map<std::pair<int, int>, double> links;
  std::vector<sg4::Host*> cores, memories;

  // Reads what stands after a key, `node CORES GFLOPS GBS` or `link FROM TO GBS`; whether it is one of these.
  bool read(const std::string& key, std::istringstream& words) {
    if (key == "node") {
      Node node;
      words >> node.cores >> node.gflops >> node.controller;
      nodes.push_back(node);
    } else if (key == "link") {
      int from, to;
      double gbs;
      words >> from >> to >> gbs;
      links[{from, to}] = gbs;
    } else {
      return false;
    }
    return true;
  }

  // Builds the platform of what was read.
  void build() {
    auto* zone = sg4::create_full_zone("machine");
    std::vector<sg4::Link*> controllers;
    for (size_t n = 0; n < nodes.size(); n++) {
      const auto number = std::to_string(n);
      cores.push_back(zone->create_host("cores" + number, nodes[n].gflops * 1e9)->set_core_count(nodes[n].cores)->seal());
      memories.push_back(zone->create_host("memory" + number, 1.0)->seal());
      controllers.push_back(zone->create_link("controller" + number, nodes[n].controller * 1e9)->set_latency(0.0)->seal());
    }
    for (size_t from = 0; from < nodes.size(); from++) {
      for (size_t to = 0; to < nodes.size(); to++) {
        std::vector<sg4::LinkInRoute> route;
        if (from != to) {
          const auto name = "link" + std::to_string(from) + "-" + std::to_string(to);
          route.emplace_back(zone->create_link(name, links[{int(from), int(to)}] * 1e9)->set_latency(0.0)->seal());
        }
        route.emplace_back(controllers[to]);
        zone->add_route(cores[from]->get_netpoint(), memories[to]->get_netpoint(), nullptr, nullptr, route, false);
      }
    }
    zone->seal();
  }

  // Reads so many bytes of a memory on a core of a node, at no more than so many GB/s.
  void load(size_t node, size_t memory, double bytes, double limit_gbs) const {
    // The limit first: a communication with both ends begins.
    auto reading = sg4::Comm::sendto_init();
    reinterpret_cast<simgrid::kernel::activity::CommImpl*>(reading->get_impl())->set_rate(limit_gbs * 1e9);
    reading->set_payload_size(uint64_t(bytes));
    reading->set_source(cores[node])->set_destination(memories[memory])->wait();
  }
};

// Sharing is max-min, without corrections, at that precision.
inline void configure(const std::string& precision) {
  sg4::Engine::set_config("network/model:CM02");
  sg4::Engine::set_config("network/TCP-gamma:0");
  sg4::Engine::set_config("network/crosstraffic:0");
  sg4::Engine::set_config("network/latency-factor:1");
  sg4::Engine::set_config("network/bandwidth-factor:1");
  sg4::Engine::set_config("network/weight-S:0");
  sg4::Engine::set_config("surf/precision:" + precision);
  sg4::Engine::set_config("maxmin/precision:" + precision);
}
