// Simulates a study of `simgrid_study` with SimGrid 3.32 (libsimgrid-dev): an actor for each thread that takes the next task of
// its application when its last one is over. Prints the same lines as `simgrid_study NAME ours`.
//
//   g++ -O2 -std=c++17 simulate.cpp -lsimgrid -o simulate && ./simulate < study.txt
//
// Memory is a host behind a link, the controller; a thread that reads it is a communication that no more than its limit passes.
// Model CM02 without latencies and TCP, so that sharing is max-min. A thread that only computes is an execution.
#include "../simgrid/machine.hpp"

#include <chrono>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

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
  configure("1e-9");

  Machine machine;
  std::vector<App> apps;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (machine.read(key, words))
      continue;
    if (key == "app") {
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

  machine.build();

  for (auto& app : apps) {
    for (int thread = 0; thread < app.threads; thread++) {
      for (size_t n = 0; n < machine.nodes.size(); n++) {
        sg4::Actor::create("thread", machine.cores[n], [&app, n, &machine] {
          while (app.next < app.sizes.size()) {
            const double size = app.sizes[app.next++];
            if (app.exec) {
              sg4::this_actor::execute(size);
            } else {
              machine.load(n, app.home < 0 ? n : size_t(app.home), size, app.limit);
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
