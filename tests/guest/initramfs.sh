#!/usr/bin/env bash
# Packs what the guest needs: a shell (busybox), a program with its shared libraries, tests/guest/root, and other files.
# Usage: tests/guest/initramfs.sh OUT.cpio PROGRAM [FILE...]   (files come to /input)
set -euo pipefail

here=$(dirname "$(realpath "$0")")
out=$(realpath -m "$1")
program=$2
shift 2

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/{bin,dev,etc,input,proc,run,sys,tmp}
cp /bin/busybox "$root/bin/busybox"
for tool in sh mount cat echo grep sed poweroff taskset mkdir cp rm sleep sync; do
    ln -s busybox "$root/bin/$tool"
done
cp "$program" "$root/bin/"
# The loader and every library at the path where the program looks for it.
ldd "$program" | grep -oE '/[^ ]+\.so[^ ]*' | sort -u | while read -r library; do
    install -D "$(realpath "$library")" "$root$library"
done
cp -a "$here/root/." "$root/"
for file in "$@"; do cp "$file" "$root/input/"; done
chmod +x "$root/init"
(cd "$root" && find . | cpio -o -H newc --quiet) >"$out"
