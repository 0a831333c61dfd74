#!/usr/bin/env bash
# Analyses one long video on a Slurm cluster: an array of segments, which are joined when all of them are there.
#
#   submit-segments.sh VIDEO RESULTS [SEGMENTS] [OPTION…]     OPTION is one of 'vidscan analyze'
#
# RESULTS/VIDEO.vidscan is then what 'vidscan analyze' alone would have written. All nodes must see VIDEO and RESULTS under
# the same paths; see README.md for what to set. Segments that ended stay as RESULTS/VIDEO.part-K-of-SEGMENTS.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
video=${1:?which video} results=${2:?where the results go}
segments=${3:-8}
shift $(($# < 3 ? $# : 3))
[[ $segments =~ ^[1-9][0-9]*$ ]] || { echo "submit-segments.sh: '$segments' is no number of segments" >&2; exit 2; }
video=$(realpath -se -- "$video")
results=$(realpath -sm -- "$results")
mkdir -p "$results/log"
read -ra options <<<"${SLURM_OPTIONS:-}"
array=$(sbatch --parsable --output="$results/log/%x-%A_%a.log" "${options[@]}" --array="0-$((segments - 1))" \
  "$here/vidscan-segments.sbatch" "$video" "$results" "$@")
array=${array%%;*}
# Only when every segment succeeded: a video with a hole is no result.
join=$(sbatch --parsable --output="$results/log/%x-%j.log" "${options[@]}" --dependency="afterok:$array" \
  --kill-on-invalid-dep=yes "$here/vidscan-segments-join.sbatch" "$video" "$results" "$segments")
echo "array $array, join ${join%%;*}"
