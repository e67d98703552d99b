// Solves the networks that `max_min_networks` wrote with the max-min solver of SimGrid 3.32 (libsimgrid-dev), compares
// the rates, and measures the time of a solve.
//
//   g++ -O2 -std=c++17 compare.cpp -lsimgrid -o compare && ./compare < networks.txt
//
// The headers of the solver are not installed; the functions below are exported by the library, and nothing of the layout
// of its classes is used. A rate is read as the usage of a resource of its own that nothing limits.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace simgrid::kernel::resource {
class Action;
class Resource;
} // namespace simgrid::kernel::resource

namespace simgrid::kernel::lmm {
class Variable;
class Constraint {
public:
  double get_usage() const;
};
class System {
public:
  static System* build(std::string_view solver_name, bool selective_update);
  Constraint* constraint_new(resource::Resource* id, double bound_value);
  Variable* variable_new(resource::Action* id, double sharing_penalty, double bound, size_t number_of_constraints);
  void expand(Constraint* cnst, Variable* var, double value, bool force_creation);
  void update_constraint_bound(Constraint* cnst, double bound);
  void variable_free_all();
  void solve();
};
} // namespace simgrid::kernel::lmm

using simgrid::kernel::lmm::Constraint;
using simgrid::kernel::lmm::System;
using simgrid::kernel::lmm::Variable;

struct Readers {
  int count;
  double bound, rate;
  std::vector<std::pair<size_t, double>> uses;
};

struct Network {
  std::string name;
  double our_ns;
  std::vector<double> bounds;
  std::vector<Readers> readers;
};

// The network as SimGrid has it: one variable for each thread, or, `grouped`, one for equal threads, whose right is
// their number. With `meters` each variable has a resource of its own; the systems stay in memory until the end.
struct Built {
  System* system;
  std::vector<Constraint*> resources, meters;
};

static void add_readers(Built& built, const Network& network, bool grouped, bool meters)
{
  for (const auto& readers : network.readers)
    for (int i = 0; i < (grouped ? 1 : readers.count); i++) {
      const double many  = grouped ? readers.count : 1;
      Variable* variable = built.system->variable_new(nullptr, 1.0 / many, many * readers.bound, readers.uses.size() + 1);
      for (auto [resource, weight] : readers.uses)
        built.system->expand(built.resources[resource], variable, weight, false);
      if (meters) {
        built.meters.push_back(built.system->constraint_new(nullptr, 1e12));
        built.system->expand(built.meters.back(), variable, 1.0, false);
      }
    }
}

static Built build(const Network& network, bool grouped, bool meters)
{
  Built built{System::build("maxmin", false), {}, {}};
  for (double bound : network.bounds)
    built.resources.push_back(built.system->constraint_new(nullptr, bound));
  add_readers(built, network, grouped, meters);
  return built;
}

// Nanoseconds of one call of `work`, the best of five times many.
template <class Work> static double nanoseconds(Work work)
{
  const int calls = 2000;
  double best     = 1e300;
  for (int round = 0; round < 5; round++) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; i++)
      work(i);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best                                                = std::min(best, took.count() / calls);
  }
  return best;
}

// One solve of a system that stands, after every resource got a bound that is not the one before.
static double solve_again(const Network& network, bool grouped)
{
  Built built = build(network, grouped, false);
  return nanoseconds([&](int i) {
    for (size_t r = 0; r < built.resources.size(); r++)
      built.system->update_constraint_bound(built.resources[r], network.bounds[r] * (i % 2 ? 1.0 : 1.01));
    built.system->solve();
  });
}

// Another allocation of threads on the same machine: the old variables go, new ones come, and the system is solved.
static double other_allocation(const Network& network, bool grouped)
{
  Built built = build(network, grouped, false);
  return nanoseconds([&](int) {
    built.system->variable_free_all();
    add_readers(built, network, grouped, false);
    built.system->solve();
  });
}

static std::vector<Network> read()
{
  std::vector<Network> all;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream in(line);
    std::string kind;
    in >> kind;
    if (kind == "network") {
      all.push_back({});
      in >> all.back().name >> all.back().our_ns;
    } else if (kind == "c") {
      all.back().bounds.push_back(0);
      in >> all.back().bounds.back();
    } else if (kind == "v") {
      Readers readers{};
      in >> readers.count >> readers.bound >> readers.rate;
      size_t resource;
      double weight;
      while (in >> resource >> weight)
        readers.uses.emplace_back(resource, weight);
      all.back().readers.push_back(readers);
    }
  }
  return all;
}

int main()
{
  const auto networks = read();
  size_t rates = 0, apart = 0;
  double worst = 0;
  std::string worst_name;
  for (const auto& network : networks) {
    Built built = build(network, false, true);
    built.system->solve();
    size_t meter = 0;
    for (const auto& readers : network.readers)
      for (int i = 0; i < readers.count; i++, rates++) {
        const double theirs = built.meters[meter++]->get_usage();
        const double error  = std::abs(theirs - readers.rate) / std::max(theirs, readers.rate);
        apart += error > 1e-4;
        if (error > worst) {
          worst      = error;
          worst_name = network.name;
        }
      }
  }
  std::printf("%zu networks, %zu rates of threads: largest relative difference %.2g (%s), %zu differ by more than 1e-4\n\n",
              networks.size(), rates, worst, worst_name.c_str(), apart);
  for (size_t n = 0; n < std::min<size_t>(2, networks.size()); n++) {
    const double ours = networks[n].our_ns;
    std::printf("%s: numasim %.0f ns for any allocation\n", networks[n].name.c_str(), ours);
    const auto line = [&](const char* what, double ns) { std::printf("  SimGrid, %-46s %9.0f ns %7.1fx\n", what, ns, ns / ours); };
    line("solved again, a variable for each thread", solve_again(networks[n], false));
    line("solved again, equal threads as one variable", solve_again(networks[n], true));
    line("another allocation, a variable for each thread", other_allocation(networks[n], false));
    line("another allocation, equal threads as one", other_allocation(networks[n], true));
  }
}
