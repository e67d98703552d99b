//! Results reported in the text of the thesis: the bars of its figures are images, and the text contains the values of only a few.

use numasim_graph::values::SchedulerKind::{self, Dep, RipDep, RipMw, RipSp, Sa};

use crate::machines::Platform;

/// The geometric mean of the seven codes (sections 3.2.1 to 3.2.3); "around 20 % performance loss" is 0.8.
pub(crate) fn mean(platform: Platform, kind: SchedulerKind) -> Option<f64> {
    Some(match (platform, kind) {
        (Platform::SandyBridge, Sa) => 1.16,
        (Platform::SandyBridge, Dep) => 1.14,
        (Platform::SandyBridge, RipDep) => 1.12,
        (Platform::SandyBridge, RipMw) => 0.90,
        (Platform::Uv100, Dep) => 1.98,
        (Platform::Uv100, RipDep) => 2.02,
        (Platform::Uv100, RipSp) => 1.28,
        (Platform::Uv100, RipMw) => 1.09,
        (Platform::Power8, Dep) => 1.20,
        (Platform::Power8, Sa) => 1.10,
        (Platform::Power8, RipDep) => 1.11,
        (Platform::Power8, RipSp | RipMw) => 0.80,
        _ => return None,
    })
}

/// A single code.
pub(crate) fn single(platform: Platform, code: &str, kind: SchedulerKind) -> Option<f64> {
    Some(match (platform, code, kind) {
        (Platform::SandyBridge, "cg", Dep) => 1.42,
        (Platform::SandyBridge, "cg", RipDep) => 1.34,
        (Platform::SandyBridge, "gauss-seidel" | "red-black", Sa) => 1.11,
        (Platform::SandyBridge, "gauss-seidel" | "red-black", RipDep) => 1.07,
        (Platform::Uv100, "gauss-seidel" | "red-black", Sa) => 2.05,
        (Platform::Uv100, "gauss-seidel", RipDep) => 2.01,
        (Platform::Uv100, "red-black", RipDep) => 2.08,
        _ => return None,
    })
}
