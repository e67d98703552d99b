//! From the words of the protocol to those of the model, and back.

use numasim_model::dynamics::{self, Order};
use numasim_policy as policy;
use numasim_protocol as protocol;

/// Which orders an application can follow.
pub(super) const fn control(control: protocol::Control) -> dynamics::Control {
    match control {
        protocol::Control::PerNode => dynamics::Control::PerNode,
        protocol::Control::Total => dynamics::Control::Total,
        protocol::Control::Cores => dynamics::Control::Cores,
        protocol::Control::None => dynamics::Control::None,
    }
}

/// What an application waits for.
pub(super) const fn waiting(waiting: protocol::Waiting) -> Option<policy::Waiting> {
    match waiting {
        protocol::Waiting::None => None,
        protocol::Waiting::Input => Some(policy::Waiting::Input),
        protocol::Waiting::Output => Some(policy::Waiting::Output),
        protocol::Waiting::Call => Some(policy::Waiting::Call),
    }
}

/// What an application may use.
pub(super) fn order(order: &Order) -> protocol::Order {
    match order {
        Order::PerNode(threads) => protocol::Order::PerNode(threads.clone()),
        Order::Total(threads) => protocol::Order::Total(*threads),
        Order::Cores(cores) => protocol::Order::Cores(cores.clone()),
    }
}

/// "1 node", "2 nodes".
pub(super) fn count(number: impl TryInto<u64>, one: &str, many: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}
