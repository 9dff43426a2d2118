/** Formats metrics as Prometheus text (https://prometheus.io/docs/instrumenting/exposition_formats/). */
import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import { commandDuration, commandsQueued, commandsRunning, commandsStarted } from "../shell/metrics.ts"

export const PROMETHEUS_TYPE = "text/plain; version=0.0.4; charset=utf-8"

/** Metrics without labels: they are reported as 0 before the first count. */
const unlabelled = [commandDuration, commandsQueued, commandsRunning, commandsStarted]

const escaped = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")

type Labels = ReadonlyArray<readonly [name: string, value: string]>

const labelsText = (labels: Labels): string =>
  labels.length === 0
    ? ""
    : `{${labels.map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`).join(",")}}`

const numberText = (value: number | bigint): string =>
  value === Infinity ? "+Inf" : value === -Infinity ? "-Inf" : String(value)

const line = (name: string, labels: Labels, value: number | bigint): string =>
  `${name}${labelsText(labels)} ${numberText(value)}\n`

/** The lines of one snapshot and its Prometheus type; `undefined` for types that this package does not use. */
const samples = (
  name: string,
  labels: Labels,
  snapshot: Metric.Metric.Snapshot,
): { readonly type: string; readonly name: string; readonly text: string } | undefined => {
  switch (snapshot.type) {
    case "Counter":
      return { type: "counter", name: `${name}_total`, text: line(`${name}_total`, labels, snapshot.state.count) }
    case "Gauge":
      return { type: "gauge", name, text: line(name, labels, snapshot.state.value) }
    case "Histogram": {
      const { buckets, count, sum } = snapshot.state
      const finite = buckets.filter(([boundary]) => Number.isFinite(boundary))
      const text = [
        ...finite.map(([boundary, below]) => line(`${name}_bucket`, [...labels, ["le", numberText(boundary)]], below)),
        line(`${name}_bucket`, [...labels, ["le", "+Inf"]], count),
        line(`${name}_sum`, labels, sum),
        line(`${name}_count`, labels, count),
      ]
      return { type: "histogram", name, text: text.join("") }
    }
    default:
      return undefined
  }
}

/** Formats the metrics of Sluice in a registry, including those without a count. */
export const prometheusText = (context: Context.Context<never>): string => {
  for (const metric of unlabelled) metric.valueUnsafe(context)
  const families = new Map<string, { readonly head: string; text: string }>()
  for (const snapshot of Metric.snapshotUnsafe(context)) {
    if (!snapshot.id.startsWith("sluice_")) continue
    const labels = Object.entries(snapshot.attributes ?? {})
    const found = samples(snapshot.id, labels, snapshot)
    if (found === undefined) continue
    const head = `# HELP ${found.name} ${escaped(snapshot.description ?? "")}\n# TYPE ${found.name} ${found.type}\n`
    const family = families.get(found.name) ?? { head, text: "" }
    families.set(found.name, family)
    family.text += found.text
  }
  return [...families].sort(([a], [b]) => a < b ? -1 : 1).map(([, { head, text }]) => head + text).join("")
}
