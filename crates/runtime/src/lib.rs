//! A task runtime: workers bound to cores or NUMA nodes, whose number an agent may change while tasks run.
