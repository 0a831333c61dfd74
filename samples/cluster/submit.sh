#!/usr/bin/env bash
# Analyses many files on a Slurm cluster: an array of shards, and a job that writes one table of all faces.
#
#   submit.sh INPUT RESULTS [SHARDS] [OPTION…]     OPTION: see 'vidscan batch --help'
#
# INPUT is a folder, or @LIST: a file with one path per line. All nodes must see INPUT and RESULTS under the same paths. Use
# many more SHARDS (8) than nodes, so that the nodes finish at about the same time. README.md describes the settings.
#
# Run it again when all tasks have ended, with the same number of shards: it analyses only new, changed or failed files.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
input=${1:?missing INPUT} results=${2:?missing RESULTS}
shards=${3:-8}
shift $(($# < 3 ? $# : 3))
[[ $shards =~ ^[1-9][0-9]*$ ]] || { echo "submit.sh: '$shards' is not a number of shards" >&2; exit 2; }
# Absolute paths, because the tasks run in another folder, and the journals identify files by path.
if [[ $input == @* ]]; then input=@$(realpath -se -- "${input#@}"); else input=$(realpath -se -- "$input"); fi
results=$(realpath -sm -- "$results")
mkdir -p "$results/log"
read -ra options <<<"${SLURM_OPTIONS:-}"
array=$(sbatch --parsable --output="$results/log/%x-%A_%a.log" "${options[@]}" --array="0-$((shards - 1))" \
  "$here/vidscan-array.sbatch" "$input" "$results" "$@")
# On a federation of clusters sbatch prints 'number;cluster'.
array=${array%%;*}
# afterany, because a shard in which some files failed has delivered the others.
merge=$(sbatch --parsable --output="$results/log/%x-%j.log" "${options[@]}" --dependency="afterany:$array" \
  "$here/vidscan-merge.sbatch" "$results")
echo "array $array, merge ${merge%%;*}"
