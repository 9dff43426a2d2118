# Which pods are not ready?
jq -r '.items[]
  | select(.status.phase != "Running" or ([.status.containerStatuses[]?.ready] | all | not))
  | "\(.metadata.namespace)/\(.metadata.name) \(.status.phase) restarts=\([.status.containerStatuses[]?.restartCount] | add // 0)"' data/pods.json
