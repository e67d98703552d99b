#!/usr/bin/env bash
# Downloads Debian's kernel for virtual machines and unpacks it. It is never installed and never runs on the host itself.
# Usage: tests/guest/kernel.sh FOLDER   (prints the path of the kernel)
set -euo pipefail

folder=$1
mkdir -p "$folder"
find_kernel() { find "$folder/boot" -name 'vmlinuz-*' 2>/dev/null | sort | tail -n 1; }

if [[ -z $(find_kernel) ]]; then
    package=$(apt-cache depends linux-image-cloud-amd64 | awk '/Depends:/ { print $2; exit }')
    [[ -n $package ]] || { echo "error: apt does not know the package linux-image-cloud-amd64" >&2; exit 1; }
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    # apt would download as a user of its own, who may not write into this folder.
    (cd "$scratch" && apt-get download -qq -o APT::Sandbox::User=root "$package" >&2)
    # Only the kernel: the modules would take 10 times the room.
    dpkg-deb --fsys-tarfile "$scratch/$package"_*.deb | tar -x -C "$folder" --wildcards './boot/vmlinuz-*'
fi
kernel=$(find_kernel)
[[ -n $kernel ]] || { echo "error: there is no kernel in the package" >&2; exit 1; }
printf '%s\n' "$kernel"
