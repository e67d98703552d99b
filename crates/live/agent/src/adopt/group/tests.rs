//! A made-up folder with a made-up kernel, and a real group if this machine permits making one.

mod made_up;
mod real;
