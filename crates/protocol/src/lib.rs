//! What applications and an agent say to each other: messages, and the lines that carry them.
