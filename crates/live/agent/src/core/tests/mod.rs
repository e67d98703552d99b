//! The rules of the agent, sentence by sentence.

mod answering;
mod deciding;
mod showing;
