//! Upper bounds: the Lagrangian dual of "one option per node".
//!
//! # Problem
//! Choose an option x_n for each node n. Applications then get G_a <= sum over n of potential_a(x_n), and every
//! memory m that others read serves no more than its bandwidth B_m.
//!
//! # Approach
//! The score F is concave in G, so for any prices y >= 0 per unit of G (in units of `unit_gflops`):
//! F(G) <= K(y) + sum_a y_a G_a / unit_a, with K from the objective (a conjugate). Further prices, each valid for any
//! value >= 0: lambda_m for bandwidth of a memory that is read from outside, plus_k and minus_k for thread totals that must stay in a
//! range (`min_threads`, `max_threads`, and the ranges of a [`Ranges`] box when the search splits the space), mu_w for
//! what threads on other nodes ask of memory w (at most R_w in a cell of [`super::cells`]). With all prices fixed the nodes
//! are independent:
//!
//! ```text
//! bound = K(y) + sum_m lambda_m B_m + sum_w mu_w R_w - sum_k (plus_k lowest_k - minus_k highest_k)
//!       + sum_n max over options x of sum_a [ max(0, e_a) potential_a(x) + min(0, e_a) least_a(x)
//!                                            + plus_a min(threads_a(x), lowest_a) - minus_a threads_a(x) ]
//!                                     - sum_w mu_w reads_w(x)
//! ```
//!
//! Why: a thread group that gets g GFLOPS draws g x fraction_m / AI from memory m, so that g earns
//! e = y/unit - sum lambda fraction / AI per GFLOP, and least <= g <= potential. Least is 0, but where potentials do not say what is got and
//! the model promises something whatever others do ([`numasim_model::sharing::least`]). Where at least m threads are wanted in all, the sum over nodes of
//! min(threads, m) is at least m, too, and mixtures of a full node and an empty one do not reach it.
//!
//! Prices are improved by subgradient steps (Polyak's rule with the best known score as target). Any prices give a
//! valid bound, so that rounding and early stops cost strength, never truth.
//!
//! | objective | y | K(y) |
//! |---|---|---|
//! | total-gflops | the weights, fixed | 0 |
//! | fair, makespan | y >= 0, sum 1 | 0 |
//! | geomean | y > 0 | sum w (ln(w / y) - 1) |

mod bound;
mod drawn;
mod less;
mod own;
mod prices;
mod relaxation;

pub(super) use bound::best_option;
pub(super) use less::Few;
pub(super) use own::Shares;
pub(super) use prices::Ranges;
pub(super) use prices::{Earnings, Effort, Improved, Prices};
pub(super) use relaxation::{Class, Drawn, Relaxation, Watched};
