#!/usr/bin/env bash
# Analyses many files on a Slurm cluster: an array of parts, and a table of all faces when the last of them has ended.
#
#   submit.sh INPUT RESULTS [PARTS] [OPTION…]     OPTION is one of 'vidscan batch'
#
# Run it again, with as many parts, and only what is new, changed or failed is done. VIDSCAN names the program where it is
# not on the nodes' PATH; SLURM_OPTIONS tells sbatch more: SLURM_OPTIONS='--partition=night --mem=8G'.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
input=${1:?what to analyse} results=${2:?where the results go}
parts=${3:-8}
shift $(($# < 3 ? $# : 3))
mkdir -p "$results"
read -ra options <<<"${SLURM_OPTIONS:-}"
array=$(sbatch --parsable "${options[@]}" --array="0-$((parts - 1))" "$here/vidscan-array.sbatch" "$input" "$results" "$@")
# After any end: a part in which some files failed has delivered the others.
merge=$(sbatch --parsable "${options[@]}" --dependency="afterany:$array" "$here/vidscan-merge.sbatch" "$results")
echo "array $array, merge $merge"
