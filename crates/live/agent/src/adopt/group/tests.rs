//! A made-up folder with a made-up kernel, and a real group where this machine lets one make it.

mod made_up;
mod real;
