//! Loop programs: arrays cut into chunks, and parallel loops over them (paper 003, section 4). What they make, the crate `graph` says.

/// An array of a program, numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrayId(pub u32);

/// `[program]`: arrays and the loops over them, again and again.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Pieces of each array and each loop; `None`: 8 for each worker of the machine.
    pub chunks: Option<u64>,
    /// How often all loops run.
    pub repeat: u64,
    /// `[[program.array]]`.
    pub arrays: Vec<ProgramArray>,
    /// `[[program.loop]]`, in the order in which they run.
    pub loops: Vec<ProgramLoop>,
}

/// An array, which becomes a block for each chunk.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramArray {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: f64,
}

/// A parallel loop over the chunks.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramLoop {
    /// Its name, the kind of its pieces of work.
    pub name: String,
    /// Work of all pieces together, 10^9 FLOP.
    pub gflop: f64,
    /// Arrays of which each piece reads its own chunk.
    pub inputs: Vec<ArrayId>,
    /// Arrays that each piece reads as a whole.
    pub whole: Vec<ArrayId>,
    /// Arrays of which each piece reads and writes its own chunk.
    pub inout: Vec<ArrayId>,
    /// Arrays of which each piece writes its own chunk.
    pub out: Vec<ArrayId>,
    /// How its pieces are created.
    pub shape: LoopShape,
}

numasim_model::words! {
    /// How the pieces of a loop are created.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum LoopShape {
        /// Halves of halves down to a chunk: `parallel_for`.
        #[default]
        Range = "range",
        /// One task creates all.
        List = "list",
    }
}
