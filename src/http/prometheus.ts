/**
 * Metrics as Prometheus reads them.
 *
 * Source: https://prometheus.io/docs/instrumenting/exposition_formats/, "Text-based format".
 *
 * @module
 */
import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import { commandDuration, commandsQueued, commandsRunning, commandsStarted } from "../shell/metrics.ts"

/** Media type of the text format. */
export const PROMETHEUS_TYPE = "text/plain; version=0.0.4; charset=utf-8"

/** Those that have no labels: they are 0 before they were counted. */
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

/** The lines of one snapshot, and how Prometheus calls its kind; nothing of kinds that are not ours. */
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

/** The metrics of Sluice in a registry, those that nobody has counted yet among them. */
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
