// Simulates a graph of `simgrid_tasks` with SimGrid 3.32 (libsimgrid-dev): an actor for each core that runs the tasks it is given.
// Prints the same lines as `simgrid_tasks NAME SEED ours`.
//
//   g++ -O2 -std=c++17 simulate.cpp -lsimgrid -o simulate && ./simulate < graph.txt
//
// Memory is a host behind a link, the controller; a task that reads it is a communication that no more than its limit passes. Model
// CM02 without latencies and TCP, so that sharing is max-min. A task that only computes is an execution.
//
// One queue, first in, first out: of the tasks that end at one time all are counted first, by number; those that become ready go to the end of
// the queue by number; then idle cores, by number, take the first ones.
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
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

struct Task {
  bool exec;
  double size;
  int home;
  double limit;
  int parents = 0;
  std::vector<int> children;
};

struct Core {
  size_t node;
  int task = -1;
  bool over = false;
  sg4::SemaphorePtr given = sg4::Semaphore::create(0);
};

static std::vector<Task> tasks;
static std::vector<Core> cores;
static std::vector<int> ended;
static std::deque<int> queue;
static size_t finished = 0;
static double makespan = 0.0, ends = 0.0;

// Counts what has ended, and gives tasks to idle cores.
static void deal() {
  std::vector<int> ready;
  std::sort(ended.begin(), ended.end());
  for (int task : ended) {
    finished++;
    ends += sg4::Engine::get_clock();
    for (int child : tasks[task].children)
      if (--tasks[child].parents == 0)
        ready.push_back(child);
  }
  ended.clear();
  std::sort(ready.begin(), ready.end());
  queue.insert(queue.end(), ready.begin(), ready.end());
  for (auto& core : cores) {
    if (queue.empty())
      break;
    if (core.task < 0) {
      core.task = queue.front();
      queue.pop_front();
      core.given->release();
    }
  }
  if (finished == tasks.size()) {
    makespan = sg4::Engine::get_clock();
    for (auto& core : cores) {
      core.over = true;
      core.given->release();
    }
  }
}

int main(int argc, char** argv) {
  sg4::Engine engine(&argc, argv);
  sg4::Engine::set_config("network/model:CM02");
  sg4::Engine::set_config("network/TCP-gamma:0");
  sg4::Engine::set_config("network/crosstraffic:0");
  sg4::Engine::set_config("network/latency-factor:1");
  sg4::Engine::set_config("network/bandwidth-factor:1");
  sg4::Engine::set_config("network/weight-S:0");
  sg4::Engine::set_config("surf/precision:1e-12");
  sg4::Engine::set_config("maxmin/precision:1e-12");

  std::vector<Node> nodes;
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
    } else if (key == "comm" || key == "exec") {
      Task task{};
      task.exec = key == "exec";
      words >> task.size;
      if (!task.exec)
        words >> task.home >> task.limit;
      tasks.push_back(task);
    } else if (key == "edge") {
      int from, to;
      words >> from >> to;
      tasks[from].children.push_back(to);
      tasks[to].parents++;
    }
  }

  auto* zone = sg4::create_full_zone("machine");
  std::vector<sg4::Host*> hosts, memories;
  std::vector<sg4::Link*> controllers;
  for (size_t n = 0; n < nodes.size(); n++) {
    const auto number = std::to_string(n);
    hosts.push_back(zone->create_host("cores" + number, nodes[n].gflops * 1e9)->set_core_count(nodes[n].cores)->seal());
    memories.push_back(zone->create_host("memory" + number, 1.0)->seal());
    controllers.push_back(zone->create_link("controller" + number, nodes[n].controller * 1e9)->set_latency(0.0)->seal());
    for (int core = 0; core < nodes[n].cores; core++) {
      cores.emplace_back();
      cores.back().node = n;
    }
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
      zone->add_route(hosts[from]->get_netpoint(), memories[to]->get_netpoint(), nullptr, nullptr, route, false);
    }
  }
  zone->seal();

  for (size_t task = 0; task < tasks.size(); task++)
    if (tasks[task].parents == 0)
      queue.push_back(int(task));
  for (auto& core : cores) {
    sg4::Actor::create("core", hosts[core.node], [&core, &hosts, &memories] {
      while (true) {
        core.given->acquire();
        if (core.over)
          return;
        const int number = core.task;
        const Task& task = tasks[number];
        if (task.exec) {
          sg4::this_actor::execute(task.size);
        } else {
          // The limit first: a communication with both ends begins.
          auto reading = sg4::Comm::sendto_init();
          reinterpret_cast<CommImpl*>(reading->get_impl())->set_rate(task.limit * 1e9);
          reading->set_payload_size(uint64_t(task.size));
          reading->set_source(hosts[core.node])->set_destination(memories[task.home])->wait();
        }
        ended.push_back(number);
        core.task = -1;
        // All others that end at this time come first; then the first of them deals for all.
        sg4::this_actor::yield();
        if (!ended.empty())
          deal();
      }
    });
  }
  sg4::Actor::create("begin", hosts[0], [] { deal(); });
  const auto begin = std::chrono::steady_clock::now();
  engine.run();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf("seconds %.9f\ntasks %zu\nends %.12f\nmakespan %.15f\n", seconds.count(), finished, ends, makespan);
}
