#!/bin/sh
# Counts the words and lines of files, and stores the counts as output.
set -eu
files="" flags=""
while [ $# -gt 0 ]; do
  case $1 in
    --file) files="$files $2"; shift ;;
    --words) flags="$flags -w" ;;
    --lines) flags="$flags -l" ;;
    *) echo "count.sh: unknown argument $1" >&2; exit 2 ;;
  esac
  shift
done
# shellcheck disable=SC2086  # both lists hold plain words
wc $flags $files | tee "$KINETIC_OUTPUT_DIR/counts.txt"
echo "counted as job $KINETIC_JOB_ID" >&2
