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
#include "../simgrid/machine.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

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
  configure("1e-12");

  Machine machine;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (machine.read(key, words))
      continue;
    if (key == "comm" || key == "exec") {
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

  machine.build();
  for (size_t n = 0; n < machine.nodes.size(); n++) {
    for (int core = 0; core < machine.nodes[n].cores; core++) {
      cores.emplace_back();
      cores.back().node = n;
    }
  }

  for (size_t task = 0; task < tasks.size(); task++)
    if (tasks[task].parents == 0)
      queue.push_back(int(task));
  for (auto& core : cores) {
    sg4::Actor::create("core", machine.cores[core.node], [&core, &machine] {
      while (true) {
        core.given->acquire();
        if (core.over)
          return;
        const int number = core.task;
        const Task& task = tasks[number];
        if (task.exec) {
          sg4::this_actor::execute(task.size);
        } else {
          machine.load(core.node, size_t(task.home), task.size, task.limit);
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
  sg4::Actor::create("begin", machine.cores[0], [] { deal(); });
  const auto begin = std::chrono::steady_clock::now();
  engine.run();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf("seconds %.9f\ntasks %zu\nends %.12f\nmakespan %.15f\n", seconds.count(), finished, ends, makespan);
}
