//! Whether the host is a virtual machine, and by what that shows.

use super::System;

/// Vendors and products of firmware that only virtual machines have. Amazon's metal machines carry the vendor of its
/// virtual ones, so that the name of the product decides.
const PRODUCTS: [&str; 9] = [
    "kvm",
    "qemu",
    "vmware",
    "virtualbox",
    "bochs",
    "xen",
    "parallels",
    "google compute engine",
    "virtual machine",
];

impl System {
    /// What shows that this is a virtual machine; empty if nothing does; `None` where the system cannot tell.
    /// `flag`: the processor says that a hypervisor is there; a dedicated host does not set it, so it decides.
    pub(super) fn virtual_machine(&self, flag: Option<bool>) -> Option<String> {
        let dmi = |name: &str| self.line(&format!("sys/class/dmi/id/{name}")).filter(|text| !text.is_empty());
        let product = dmi("product_name");
        if flag == Some(true) {
            let kind = self.line("sys/hypervisor/type").or_else(|| match (dmi("sys_vendor"), &product) {
                (Some(vendor), Some(product)) => Some(format!("{vendor} {product}")),
                (vendor, product) => vendor.or_else(|| product.clone()),
            });
            let flag = "the processor has the flag hypervisor".to_owned();
            return Some(kind.map_or(flag.clone(), |kind| format!("{flag}, {kind}")));
        }
        if let Some(kind) = self.line("sys/hypervisor/type") {
            return Some(format!("hypervisor {kind}"));
        }
        if let Some(kind) = self.line("proc/device-tree/hypervisor/compatible") {
            return Some(format!("hypervisor {}", kind.trim_matches('\0')));
        }
        let vendor = dmi("sys_vendor");
        let names = [vendor.clone(), product.clone()].into_iter().flatten();
        let virtual_name = names.into_iter().find(|name| {
            let name = name.to_lowercase();
            PRODUCTS.iter().any(|product| name.contains(product))
        });
        match (virtual_name, flag, product) {
            (Some(name), _, _) => Some(name),
            (None, Some(false), _) | (None, None, Some(_)) => Some(String::new()),
            (None, _, None) | (None, Some(true), _) => None,
        }
    }
}
