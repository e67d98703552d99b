#!/usr/bin/env bash
# Packs what the guest needs: a shell (busybox), a program with its shared libraries, tests/guest/overlay, and other files.
# Usage: tests/guest/initramfs.sh OUT.cpio PROGRAM [FILE...]   (files come to /input, programs with their libraries; numactl and systemd come with it, and what belongs to them)
set -euo pipefail

here=$(dirname "$(realpath "$0")")
out=$(realpath -m "$1")
program=$2
shift 2

image=$(mktemp -d)
trap 'rm -rf "$image"' EXIT
mkdir -p "$image"/{bin,dev,etc,input,proc,run,sys,tmp}
cp /bin/busybox "$image/bin/busybox"
for tool in sh mount cat echo grep sed cut paste kill ln poweroff mkdir mkfifo rmdir chmod tr cp rm sleep sync unshare; do
    ln -s busybox "$image/bin/$tool"
done
# Emitted scripts spread pages with numactl and move them with migratepages; numastat says where they are. taskset is that of hosts.
programs=("$program" "$(command -v numactl)" "$(command -v migratepages)" "$(command -v numastat)" "$(command -v taskset)"
    "$(command -v numad)" /lib/systemd/systemd)
cp "${programs[@]}" "$image/bin/"
# The loader and every library at the path where the program looks for it.
# Other programs among the files have libraries too; of the rest ldd says that they are none.
(ldd "${programs[@]}" "$@" 2>/dev/null || true) | grep -v ':$' | grep -oE '/[^ ]+\.so[^ ]*' | sort -u | while read -r library; do
    install -D "$(realpath "$library")" "$image$library"
done
cp -a "$here/overlay/." "$image/"
for file in "$@"; do cp "$file" "$image/input/"; done
chmod +x "$image/init"
(cd "$image" && find . | cpio -o -H newc --quiet) >"$out"
