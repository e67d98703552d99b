//! Work on several threads, or, without the feature `parallel`, the same on one: the only file that names rayon.
//!
//! Results are the same either way: what is handed out here is a batch of fixed size, nothing in it depends on the
//! rest of the batch, and results come back in order. Without the feature this crate compiles where there are no threads
//! (`wasm32-unknown-unknown`).

/// What the iterators need; taken whole, as rayon's prelude is.
pub(crate) mod prelude {
    #[cfg(feature = "parallel")]
    pub(crate) use rayon::prelude::*;

    #[cfg(not(feature = "parallel"))]
    pub(crate) use super::sequential::*;
}

/// rayon's names for what a plain iterator does: those that this crate uses, and no more.
#[cfg(not(feature = "parallel"))]
mod sequential {
    use std::cmp::Ordering;

    pub(crate) trait IntoParallelIterator: IntoIterator + Sized {
        fn into_par_iter(self) -> Self::IntoIter {
            self.into_iter()
        }
    }

    impl<I: IntoIterator> IntoParallelIterator for I {}

    pub(crate) trait ParallelSlice<T> {
        fn par_iter(&self) -> std::slice::Iter<'_, T>;
        fn par_chunks(&self, size: usize) -> std::slice::Chunks<'_, T>;
    }

    impl<T> ParallelSlice<T> for [T] {
        fn par_iter(&self) -> std::slice::Iter<'_, T> {
            self.iter()
        }

        fn par_chunks(&self, size: usize) -> std::slice::Chunks<'_, T> {
            self.chunks(size)
        }
    }

    pub(crate) trait ParallelSliceMut<T> {
        fn par_sort_unstable_by(&mut self, compare: impl Fn(&T, &T) -> Ordering);
    }

    impl<T> ParallelSliceMut<T> for [T] {
        fn par_sort_unstable_by(&mut self, compare: impl Fn(&T, &T) -> Ordering) {
            self.sort_unstable_by(compare);
        }
    }

    pub(crate) trait ParallelIterator: Iterator + Sized {
        /// rayon: the inner iterators are walked by one thread each.
        fn flat_map_iter<I: IntoIterator>(
            self,
            inner: impl FnMut(Self::Item) -> I,
        ) -> impl Iterator<Item = I::Item> {
            self.flat_map(inner)
        }

        /// rayon: each thread begins with a state of its own.
        fn map_init<S, T>(
            self,
            init: impl Fn() -> S,
            mut map: impl FnMut(&mut S, Self::Item) -> T,
        ) -> impl Iterator<Item = T> {
            let mut state = init();
            self.map(move |item| map(&mut state, item))
        }
    }

    impl<I: Iterator> ParallelIterator for I {}
}

#[cfg(test)]
pub(crate) use tests::on_threads;

#[cfg(test)]
mod tests {
    /// Runs `work` on a pool of so many threads of its own; without the feature on the one there is.
    pub(crate) fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
        #[cfg(feature = "parallel")]
        return rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool").install(work);
        #[cfg(not(feature = "parallel"))]
        {
            let _ = threads;
            work()
        }
    }
}
