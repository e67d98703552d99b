// Simulates a study of `simgrid_study` with SimGrid 3.32 (libsimgrid-dev): an actor for each thread that takes the next task of
// its application when its last one is over. Prints the same lines as `simgrid_study NAME ours`.
//
//   g++ -O2 -std=c++17 simulate.cpp -lsimgrid -o simulate && ./simulate < study.txt
//
// Memory is a host behind a link, the controller; a thread that reads it is a communication that no more than its limit passes.
// Model CM02 without latencies and TCP, so that sharing is max-min. A thread that only computes is an execution.
#include <simgrid/s4u.hpp>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

// SimGrid 3.32 does not hand the limit of a communication between two hosts on to its kernel; this header is not installed, the
// function is exported.
namespace simgrid::kernel::activity {
class CommImpl {
public:
  CommImpl& set_rate(double rate);
};
} // namespace simgrid::kernel::activity

using simgrid::kernel::activity::CommImpl;
namespace sg4 = simgrid::s4u;

struct Node {
  int cores;
  double gflops, controller;
};

struct App {
  bool exec;
  int home; // the thread's own node where negative
  double limit;
  int threads;
  std::vector<double> sizes;
  size_t next = 0;
  double finished = 0.0;
};

static unsigned long events = 0;

int main(int argc, char** argv) {
  sg4::Engine engine(&argc, argv);
  sg4::Engine::set_config("network/model:CM02");
  sg4::Engine::set_config("network/TCP-gamma:0");
  sg4::Engine::set_config("network/crosstraffic:0");
  sg4::Engine::set_config("network/latency-factor:1");
  sg4::Engine::set_config("network/bandwidth-factor:1");
  sg4::Engine::set_config("network/weight-S:0");
  sg4::Engine::set_config("surf/precision:1e-9");
  sg4::Engine::set_config("maxmin/precision:1e-9");

  std::vector<Node> nodes;
  std::vector<App> apps;
  std::map<std::pair<int, int>, double> links;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (key == "node") {
      Node node;
      words >> node.cores >> node.gflops >> node.controller;
      nodes.push_back(node);
    } else if (key == "link") {
      int from, to;
      double gbs;
      words >> from >> to >> gbs;
      links[{from, to}] = gbs;
    } else if (key == "app") {
      App app;
      std::string kind, home;
      words >> kind >> home >> app.limit >> app.threads;
      app.exec = kind == "exec";
      app.home = home == "local" ? -1 : std::stoi(home);
      apps.push_back(app);
    } else if (key == "task") {
      double size;
      words >> size;
      apps.back().sizes.push_back(size);
    }
  }

  auto* zone = sg4::create_full_zone("machine");
  std::vector<sg4::Host*> cores, memories;
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
        route.emplace_back(
            zone->create_link(name, links[{int(from), int(to)}] * 1e9)->set_latency(0.0)->seal());
      }
      route.emplace_back(controllers[to]);
      zone->add_route(cores[from]->get_netpoint(), memories[to]->get_netpoint(), nullptr, nullptr, route, false);
    }
  }
  zone->seal();

  for (auto& app : apps) {
    for (int thread = 0; thread < app.threads; thread++) {
      for (size_t n = 0; n < nodes.size(); n++) {
        sg4::Actor::create("thread", cores[n], [&app, n, &cores, &memories] {
          auto* memory = memories[app.home < 0 ? n : size_t(app.home)];
          while (app.next < app.sizes.size()) {
            const double size = app.sizes[app.next++];
            if (app.exec) {
              sg4::this_actor::execute(size);
            } else {
              // The limit first: a communication with both ends begins.
              auto reading = sg4::Comm::sendto_init();
              reinterpret_cast<CommImpl*>(reading->get_impl())->set_rate(app.limit * 1e9);
              reading->set_payload_size(uint64_t(size));
              reading->set_source(cores[n])->set_destination(memory)->wait();
            }
            events++;
            app.finished = sg4::Engine::get_clock();
          }
        });
      }
    }
  }
  const auto begin = std::chrono::steady_clock::now();
  engine.run();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf("seconds %.9f\nevents %lu\n", seconds.count(), events);
  for (const auto& app : apps)
    std::printf("finished %.12f\n", app.finished);
}
