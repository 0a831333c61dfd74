#!/usr/bin/env bash
# Analyses many files on a Slurm cluster: an array of parts, and a table of all faces when the last of them has ended.
#
#   submit.sh INPUT RESULTS [PARTS] [OPTION…]     OPTION is one of 'vidscan batch'
#
# INPUT is a folder, or @LIST: a file with a path a line. All nodes must see INPUT and RESULTS under the same paths. PARTS
# (8) is a good deal more than the nodes, so that none waits long for the last; see README.md for what to set.
#
# Run it again, with as many parts, when these have ended: only what is new, changed or failed is done.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
input=${1:?what to analyse} results=${2:?where the results go}
parts=${3:-8}
shift $(($# < 3 ? $# : 3))
[[ $parts =~ ^[1-9][0-9]*$ ]] || { echo "submit.sh: '$parts' is no number of parts" >&2; exit 2; }
# Not where sbatch happens to be called, and found again wherever it is called next.
if [[ $input == @* ]]; then input=@$(realpath -se -- "${input#@}"); else input=$(realpath -se -- "$input"); fi
results=$(realpath -sm -- "$results")
mkdir -p "$results/log"
read -ra options <<<"${SLURM_OPTIONS:-}"
array=$(sbatch --parsable --output="$results/log/%x-%A_%a.log" "${options[@]}" --array="0-$((parts - 1))" \
  "$here/vidscan-array.sbatch" "$input" "$results" "$@")
# On a federation of clusters it says 'number;cluster'.
array=${array%%;*}
# After any end: a part in which some files failed has delivered the others.
merge=$(sbatch --parsable --output="$results/log/%x-%j.log" "${options[@]}" --dependency="afterany:$array" \
  "$here/vidscan-merge.sbatch" "$results")
echo "array $array, merge ${merge%%;*}"
