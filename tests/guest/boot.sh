#!/usr/bin/env bash
# Boots a guest and waits until it has done its jobs.
# Usage: tests/guest/boot.sh KERNEL INITRAMFS NAME JOB...
#   writes NAME.results (what the jobs said) and NAME.console (what the kernel said)
#   environment: NODES=4, CORES=2 on each, in DIES=1 with an L3 cache each, THREADS=1 on each core, FAR=1 for one more node with memory
#   only, NODE_MIB=1024, LIMIT=300 seconds
set -euo pipefail

kernel=$1 initramfs=$2 name=$3
shift 3
nodes=${NODES:-4} cores=${CORES:-2} dies=${DIES:-1} threads=${THREADS:-1} far=${FAR:-0} mib=${NODE_MIB:-1024} limit=${LIMIT:-300}
total=$((nodes + far)) cpus=$((cores * threads))
# This version of QEMU gives an L3 cache to each die of Intel's processors only.
cpu=max
((dies == 1 && threads == 1)) || cpu=max,vendor=GenuineIntel

# Distance, latency (ns) and bandwidth (MiB/s) of a pair of nodes: two pairs of sockets, and a far memory.
pair() {
    local i=$1 j=$2
    if ((i == j)); then
        if ((i < nodes)); then echo 10 10 40960; else echo 10 90 2560; fi
    elif ((i >= nodes || j >= nodes)); then echo 40 90 2560
    elif (((i ^ j) == 1)); then echo 12 20 20480
    elif (((i ^ j) == 2)); then echo 21 40 10240
    else echo 31 60 5120; fi
}

numa=() hmat=()
for ((i = 0; i < total; i++)); do
    numa+=(-object "memory-backend-ram,id=m$i,size=${mib}M")
    if ((i < nodes)); then
        numa+=(-numa "node,nodeid=$i,cpus=$((cpus * i))-$((cpus * i + cpus - 1)),memdev=m$i,initiator=$i")
    else
        numa+=(-numa "node,nodeid=$i,memdev=m$i,initiator=0")
    fi
done
for ((i = 0; i < total; i++)); do
    for ((j = 0; j < total; j++)); do
        read -r distance latency bandwidth < <(pair "$i" "$j")
        numa+=(-numa "dist,src=$i,dst=$j,val=$distance")
        ((i < nodes)) || continue # a node without cores reads nothing
        what="hmat-lb,initiator=$i,target=$j,hierarchy=memory"
        hmat+=(-numa "$what,data-type=access-latency,latency=$latency"
            -numa "$what,data-type=access-bandwidth,bandwidth=${bandwidth}M")
    done
done

rm -f "$name.results" "$name.console"
start=$SECONDS code=0
# TCG, always: on some hosted machines /dev/kvm opens, and the guest hangs. The first serial port is the kernel's console,
# the second one carries results, so that no message of the kernel comes between their lines. no_timer_check: on a busy host the
# emulated timer comes too late for the kernel, which looks once whether it ticks, and panics.
timeout "$limit" qemu-system-x86_64 -accel tcg,thread=multi -machine q35,hmat=on -cpu "$cpu" \
    -smp "$((nodes * cpus)),sockets=$nodes,dies=$dies,cores=$((cores / dies)),threads=$threads" -m "$((total * mib))M" "${numa[@]}" "${hmat[@]}" \
    -kernel "$kernel" -initrd "$initramfs" -append "console=ttyS0 panic=-1 quiet no_timer_check jobs=$(IFS=,; echo "$*")" \
    -nodefaults -no-user-config -display none -nic none -monitor none -no-reboot \
    -serial "file:$name.console" -serial "file:$name.results" || code=$?

printf '%s: %d+%d nodes x %d cores, jobs %s: %d s\n' \
    "$(basename "$name")" "$nodes" "$far" "$cores" "$*" "$((SECONDS - start))"
if ((code != 0)) || ! grep -q '^== end' "$name.results"; then
    printf 'error: the guest did not end as it should (qemu: exit code %d)\n' "$code" >&2
    tail -n 30 "$name.console" "$name.results" >&2
    exit 1
fi
