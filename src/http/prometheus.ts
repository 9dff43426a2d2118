/** Formats the metrics of Sluice as Prometheus text (https://prometheus.io/docs/instrumenting/exposition_formats/). */
import * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import { commandDuration, commandsQueued, commandsRunning, commandsStarted } from "../shell/metrics.ts"

export const prometheusType = "text/plain; version=0.0.4; charset=utf-8"

/** Metrics without labels: they are reported as 0 before the first count. */
const unlabelled = [commandDuration, commandsQueued, commandsRunning, commandsStarted]

/** Formats the metrics of Sluice in a registry. */
export const prometheusText = async (context: Context.Context<never>): Promise<string> => {
  // Loaded at the first scrape: it imports Effect's router.
  const { formatUnsafe } = await import("effect/observability/PrometheusMetrics")
  for (const metric of unlabelled) metric.valueUnsafe(context)
  const all = [...Context.get(context, Metric.MetricRegistry)].filter(([, { id }]) => id.startsWith("sluice_"))
  const counters = new Set(all.flatMap(([, { id, type }]) => type === "Counter" ? [id] : []))
  return formatUnsafe(Context.add(context, Metric.MetricRegistry, new Map(all)), {
    metricNameMapper: (id) => counters.has(id) ? `${id}_total` : id,
  })
}
