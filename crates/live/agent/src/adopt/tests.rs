//! Orders to made-up threads, which come and go at the worst moment, and to real processes.

mod made_up;
mod real;
