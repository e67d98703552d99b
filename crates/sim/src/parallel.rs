//! Work on several threads or, without the feature `parallel`, on one: the only file that uses rayon.
//!
//! Results are the same either way. Each job is a batch of fixed size, nothing in it depends on the rest of the batch, and results come
//! back in order. Without the feature this crate compiles on targets without threads (`wasm32-unknown-unknown`).

use std::cmp::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// The result for each item, in the order of the items.
pub(crate) fn map<T: Send, R: Send>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    map_with(items, || (), |(), item| work(item))
}

/// Like [`map`], with a state that is created at most once per thread and that no result depends on.
pub(crate) fn map_with<T: Send, S: Send, R: Send>(
    items: impl IntoIterator<Item = T>,
    init: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, T) -> R + Sync,
) -> Vec<R> {
    let items: Vec<Mutex<Option<T>>> = items.into_iter().map(|item| Mutex::new(Some(item))).collect();
    let results: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    let states = Mutex::new(Vec::new());
    each(items.len(), &|number| {
        let Some(item) = locked(&items[number]).take() else { return };
        let free = locked(&states).pop();
        let mut state = free.unwrap_or_else(&init);
        let result = work(&mut state, item);
        *locked(&results[number]) = Some(result);
        locked(&states).push(state);
    });
    results
        .into_iter()
        .filter_map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner))
        .collect()
}

fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Not generic: rayon is compiled once instead of once per caller.
fn each(jobs: usize, work: &(dyn Fn(usize) + Sync)) {
    #[cfg(feature = "parallel")]
    (0..jobs).into_par_iter().for_each(work);
    #[cfg(not(feature = "parallel"))]
    (0..jobs).for_each(work);
}

/// Sorts; `compare` must distinguish any two items.
pub(crate) fn sort_unstable_by<T: Send>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering + Sync) {
    #[cfg(feature = "parallel")]
    items.par_sort_unstable_by(compare);
    #[cfg(not(feature = "parallel"))]
    items.sort_unstable_by(compare);
}

#[cfg(test)]
pub(crate) use tests::on_threads;

#[cfg(test)]
mod tests {
    /// Runs `work` on a separate pool of this number of threads; without the feature, on the current thread.
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
