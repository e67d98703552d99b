//! Events by time, first in first out among equal times.
//!
//! # Approach
//! A binary heap of (time, number). Every entry stores its slot and every slot its position in the heap, so that an event can
//! be moved or cancelled: O(log n) each. Numbers follow the order of scheduling, so that no two entries are equal. Slots are
//! reused; a generation in the key distinguishes an old event from the new one in its slot.

use crate::time::SimTime;

/// A scheduled event, until it is handed out or cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EventKey {
    slot: u32,
    generation: u32,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    time: SimTime,
    number: u64,
    slot: u32,
}

impl Entry {
    fn is_before(&self, other: &Self) -> bool {
        (self.time, self.number) < (other.time, other.number)
    }
}

#[derive(Clone, Debug)]
struct Slot<E> {
    generation: u32,
    /// The position in the heap, if there is an event.
    place: usize,
    event: Option<E>,
}

/// Events by time. Events of equal times come out in the order of scheduling; a moved event counts as newly scheduled.
#[derive(Clone, Debug)]
pub struct EventQueue<E> {
    heap: Vec<Entry>,
    slots: Vec<Slot<E>>,
    free: Vec<u32>,
    next_number: u64,
}

impl<E> Default for EventQueue<E> {
    fn default() -> Self {
        Self { heap: Vec::new(), slots: Vec::new(), free: Vec::new(), next_number: 0 }
    }
}

impl<E> EventQueue<E> {
    /// An empty queue.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of events.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Whether the queue is empty.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// Schedules `event` for `time`. An event for [`SimTime::NEVER`] stays in the queue and comes last.
    pub fn schedule(&mut self, time: SimTime, event: E) -> EventKey {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot { generation: 0, place: 0, event: None });
            u32::try_from(self.slots.len() - 1).unwrap_or(u32::MAX)
        });
        let place = self.heap.len();
        let number = self.number();
        self.heap.push(Entry { time, number, slot });
        let filled = &mut self.slots[slot as usize];
        filled.event = Some(event);
        filled.place = place;
        let key = EventKey { slot, generation: filled.generation };
        self.rise(place);
        key
    }

    /// Moves an event to `time`; returns whether it was still pending.
    pub fn move_to(&mut self, key: EventKey, time: SimTime) -> bool {
        let Some(place) = self.place_of(key) else { return false };
        let number = self.number();
        let entry = &mut self.heap[place];
        let earlier = time < entry.time;
        entry.time = time;
        entry.number = number;
        if earlier {
            self.rise(place);
        } else {
            self.sink(place);
        }
        true
    }

    /// Cancels an event and returns it, if it is still pending.
    pub fn cancel(&mut self, key: EventKey) -> Option<E> {
        let place = self.place_of(key)?;
        self.remove(place)
    }

    /// The time of an event, if it is still pending.
    pub fn time_of(&self, key: EventKey) -> Option<SimTime> {
        self.place_of(key).map(|place| self.heap[place].time)
    }

    /// The time of the next event.
    pub fn next_time(&self) -> Option<SimTime> {
        self.heap.first().map(|entry| entry.time)
    }

    /// Removes and returns the next event.
    pub fn pop(&mut self) -> Option<(SimTime, E)> {
        let time = self.next_time()?;
        self.remove(0).map(|event| (time, event))
    }

    /// Removes and returns the next event, if it comes at `latest` or before.
    pub fn pop_until(&mut self, latest: SimTime) -> Option<(SimTime, E)> {
        if self.next_time()? <= latest { self.pop() } else { None }
    }

    fn number(&mut self) -> u64 {
        let number = self.next_number;
        self.next_number += 1;
        number
    }

    fn place_of(&self, key: EventKey) -> Option<usize> {
        let slot = self.slots.get(key.slot as usize)?;
        (slot.generation == key.generation && slot.event.is_some()).then_some(slot.place)
    }

    fn remove(&mut self, place: usize) -> Option<E> {
        let slot = self.heap.swap_remove(place).slot;
        if place < self.heap.len() {
            self.slots[self.heap[place].slot as usize].place = place;
            // The entry that came from the end may belong above or below.
            self.sink(place);
            self.rise(place);
        }
        self.free.push(slot);
        let emptied = &mut self.slots[slot as usize];
        emptied.generation = emptied.generation.wrapping_add(1);
        emptied.event.take()
    }

    /// Moves the entry at `place` up to its position.
    fn rise(&mut self, mut place: usize) {
        let entry = self.heap[place];
        while place > 0 {
            let parent = (place - 1) / 2;
            let above = self.heap[parent];
            if !entry.is_before(&above) {
                break;
            }
            self.put(place, above);
            place = parent;
        }
        self.put(place, entry);
    }

    /// Moves the entry at `place` down to its position.
    fn sink(&mut self, mut place: usize) {
        let entry = self.heap[place];
        loop {
            let left = 2 * place + 1;
            let Some(&(mut below)) = self.heap.get(left) else { break };
            let mut child = left;
            if let Some(&right) = self.heap.get(left + 1)
                && right.is_before(&below)
            {
                below = right;
                child = left + 1;
            }
            if !below.is_before(&entry) {
                break;
            }
            self.put(place, below);
            place = child;
        }
        self.put(place, entry);
    }

    fn put(&mut self, place: usize, entry: Entry) {
        self.heap[place] = entry;
        self.slots[entry.slot as usize].place = place;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(seconds: f64) -> SimTime {
        SimTime::from_seconds(seconds).expect("a time")
    }

    fn all<E>(queue: &mut EventQueue<E>) -> Vec<E> {
        std::iter::from_fn(|| queue.pop().map(|(_, event)| event)).collect()
    }

    #[test]
    fn events_of_equal_times_come_in_scheduling_order() {
        let mut queue = EventQueue::new();
        for (time, event) in [(2.0, "d"), (1.0, "a"), (1.0, "b"), (1.0, "c")] {
            queue.schedule(at(time), event);
        }
        assert_eq!(all(&mut queue), ["a", "b", "c", "d"]);
    }

    #[test]
    fn a_moved_event_comes_after_existing_events() {
        let mut queue = EventQueue::new();
        let moved = queue.schedule(at(0.5), "moved");
        queue.schedule(at(1.0), "first");
        assert!(queue.move_to(moved, at(1.0)));
        assert_eq!(queue.time_of(moved), Some(at(1.0)));
        assert_eq!(all(&mut queue), ["first", "moved"]);
    }

    #[test]
    fn a_key_identifies_one_event_only() {
        let mut queue = EventQueue::new();
        let old = queue.schedule(at(1.0), "old");
        assert_eq!(queue.cancel(old), Some("old"));
        let new = queue.schedule(at(1.0), "new, in the same slot");
        assert_eq!(queue.cancel(old), None);
        assert!(!queue.move_to(old, at(3.0)));
        assert_eq!(queue.time_of(new), Some(at(1.0)));
        assert_eq!(queue.len(), 1);
    }

    #[test]
    fn events_at_never_come_last() {
        let mut queue = EventQueue::new();
        queue.schedule(SimTime::NEVER, "never");
        queue.schedule(at(1e300), "late");
        assert_eq!(queue.pop_until(at(1e299)), None);
        assert_eq!(all(&mut queue), ["late", "never"]);
    }

    #[derive(Clone, Debug)]
    enum Step {
        Schedule(u8),
        Move(usize, u8),
        Cancel(usize),
        Pop,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            3 => any::<u8>().prop_map(Step::Schedule),
            1 => (any::<prop::sample::Index>(), any::<u8>()).prop_map(|(i, t)| Step::Move(i.index(1000), t)),
            1 => any::<prop::sample::Index>().prop_map(|i| Step::Cancel(i.index(1000))),
            2 => Just(Step::Pop),
        ]
    }

    proptest! {
        #![proptest_config(crate::random::questions(256))]

        /// Compares with a list that is searched for the smallest (time, number).
        #[test]
        fn the_queue_is_a_list_by_time_and_number(steps in prop::collection::vec(step(), 0..300)) {
            let mut queue = EventQueue::new();
            let mut keys: Vec<EventKey> = Vec::new();
            // Time, number of the last scheduling, number of the event.
            let mut list: Vec<(u8, usize, usize)> = Vec::new();
            for (number, step) in steps.into_iter().enumerate() {
                match step {
                    // Only sixteen distinct times, so that many are equal.
                    Step::Schedule(time) => {
                        list.push((time / 16, number, keys.len()));
                        keys.push(queue.schedule(at(f64::from(time / 16)), keys.len()));
                    }
                    Step::Move(which, time) if which < keys.len() => {
                        let there = list.iter_mut().find(|entry| entry.2 == which);
                        prop_assert_eq!(queue.move_to(keys[which], at(f64::from(time / 16))), there.is_some());
                        if let Some(entry) = there {
                            *entry = (time / 16, number, which);
                        }
                    }
                    Step::Cancel(which) if which < keys.len() => {
                        let there = list.iter().position(|entry| entry.2 == which);
                        prop_assert_eq!(queue.cancel(keys[which]), there.map(|i| list.remove(i).2));
                    }
                    Step::Move(..) | Step::Cancel(_) => {}
                    Step::Pop => {
                        let first = list.iter().copied().min();
                        list.retain(|&entry| Some(entry) != first);
                        let expected = first.map(|(time, _, event)| (at(f64::from(time)), event));
                        prop_assert_eq!(queue.pop(), expected);
                    }
                }
                prop_assert_eq!(queue.len(), list.len());
            }
        }
    }
}
