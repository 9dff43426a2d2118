# Labels of pods, with a default.
jq -r '.items[] | .metadata as $m | "\($m.name): \($m.labels.app // "none")"' data/pods.json
jq '[.items[].status.containerStatuses // [] | .[].restartCount] | add' data/pods.json
