#!/usr/bin/env bash
# Analyses many files on a Slurm cluster: an array of shards, and a job that merges their tables when the last has ended.
#
#   submit.sh INPUT RESULTS [SHARDS] [OPTION…]     OPTION is an option of 'vidscan batch'
#
# INPUT is a folder, or @LIST: a file with one path per line. All nodes must see INPUT and RESULTS under the same paths. Choose
# SHARDS (8) several times larger than the number of nodes, so that no node waits long for the last. README.md lists the settings.
#
# Run it again with the same number of shards when they have ended: only new, changed and failed files are analysed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
input=${1:?what to analyse} results=${2:?where the results go}
parts=${3:-8}
shift $(($# < 3 ? $# : 3))
[[ $parts =~ ^[1-9][0-9]*$ ]] || { echo "submit.sh: '$parts' is not a number of shards" >&2; exit 2; }
# Absolute paths, because sbatch and later calls may have other working directories.
if [[ $input == @* ]]; then input=@$(realpath -se -- "${input#@}"); else input=$(realpath -se -- "$input"); fi
results=$(realpath -sm -- "$results")
mkdir -p "$results/log"
read -ra options <<<"${SLURM_OPTIONS:-}"
array=$(sbatch --parsable --output="$results/log/%x-%A_%a.log" "${options[@]}" --array="0-$((parts - 1))" \
  "$here/vidscan-array.sbatch" "$input" "$results" "$@")
# On a federation of clusters, sbatch prints 'number;cluster'.
array=${array%%;*}
# afterany, because a shard in which some files failed has delivered the others.
merge=$(sbatch --parsable --output="$results/log/%x-%j.log" "${options[@]}" --dependency="afterany:$array" \
  "$here/vidscan-merge.sbatch" "$results")
echo "array $array, merge ${merge%%;*}"
