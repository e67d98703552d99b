#!/bin/sh
mpirun --map-by rankfile:file=rankfile -np 4 ./solver : \
    -np 1 numactl --membind=0 ./io
