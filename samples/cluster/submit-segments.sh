#!/usr/bin/env bash
# Analyses one long video on a Slurm cluster: an array of segments, and a job that merges them.
#
#   submit-segments.sh VIDEO RESULTS [SEGMENTS] [OPTION…]     OPTION: see 'vidscan analyze --help'
#
# RESULTS/VIDEO.vidscan is then what a single 'vidscan analyze' would have written. All nodes must see VIDEO and RESULTS under
# the same paths; README.md describes the settings. The segments are kept as RESULTS/VIDEO.part-K-of-SEGMENTS.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
video=${1:?missing VIDEO} results=${2:?missing RESULTS}
segments=${3:-8}
shift $(($# < 3 ? $# : 3))
[[ $segments =~ ^[1-9][0-9]*$ ]] || { echo "submit-segments.sh: '$segments' is not a number of segments" >&2; exit 2; }
video=$(realpath -se -- "$video")
results=$(realpath -sm -- "$results")
mkdir -p "$results/log"
read -ra options <<<"${SLURM_OPTIONS:-}"
array=$(sbatch --parsable --output="$results/log/%x-%A_%a.log" "${options[@]}" --array="0-$((segments - 1))" \
  "$here/vidscan-segments.sbatch" "$video" "$results" "$@")
array=${array%%;*}
# Only if every segment succeeded, because the merge needs all of them.
join=$(sbatch --parsable --output="$results/log/%x-%j.log" "${options[@]}" --dependency="afterok:$array" \
  --kill-on-invalid-dep=yes "$here/vidscan-segments-join.sbatch" "$video" "$results" "$segments")
echo "array $array, join ${join%%;*}"
