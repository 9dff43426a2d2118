/** Declares Effect metrics of commands: counts, gauges and durations. */
import * as Metric from "effect/Metric"

/** Commands whose process was started. */
export const commandsStarted: Metric.Counter<number> = /* @__PURE__ */ Metric.counter("sluice_commands_started", {
  description: "Commands whose process was started",
  incremental: true,
})

const finished = (attributes?: Metric.Metric.Attributes): Metric.Counter<number> =>
  Metric.counter("sluice_commands_finished", {
    description: "Commands that ended, by reason",
    incremental: true,
    attributes,
  })

/** Ended commands, by `reason`: `Exit`, the tag of the fault, or `Closed` when its consumer closed it. */
export const commandsFinished: Metric.Counter<number> = /* @__PURE__ */ finished()

const byReason = new Map<string, Metric.Counter<number>>()

/**
 * {@link commandsFinished} of one reason, made once: there are about a dozen. Each has its attributes built in, because
 * `Metric.withAttributes` builds a context and the key of the series at each update.
 */
export const finishedBy = (reason: string): Metric.Counter<number> => {
  const known = byReason.get(reason)
  if (known !== undefined) return known
  const metric = finished({ reason })
  byReason.set(reason, metric)
  return metric
}

/** Commands that run now. */
export const commandsRunning: Metric.Gauge<number> = /* @__PURE__ */ Metric.gauge("sluice_commands_running", {
  description: "Commands that run now",
})

/** Commands that wait for a slot now. */
export const commandsQueued: Metric.Gauge<number> = /* @__PURE__ */ Metric.gauge("sluice_commands_queued", {
  description: "Commands that wait for a slot now",
})

const bytesOf = (attributes?: Metric.Metric.Attributes): Metric.Counter<number> =>
  Metric.counter("sluice_output_bytes", {
    description: "Bytes of output that were read",
    incremental: true,
    attributes,
  })

/** Bytes of output that were read, by `stream`. */
export const outputBytes: Metric.Counter<number> = /* @__PURE__ */ bytesOf()

/** {@link outputBytes} of stdout. */
export const stdoutBytes: Metric.Counter<number> = /* @__PURE__ */ bytesOf({ stream: "stdout" })

/** {@link outputBytes} of stderr. */
export const stderrBytes: Metric.Counter<number> = /* @__PURE__ */ bytesOf({ stream: "stderr" })

/** Milliseconds from the spawn to the exit. */
export const commandDuration: Metric.Histogram<number> = /* @__PURE__ */ Metric.histogram(
  "sluice_command_duration_ms",
  {
    description: "Milliseconds from the spawn to the exit",
    boundaries: /* @__PURE__ */ Metric.exponentialBoundaries({ start: 1, factor: 2, count: 20 }),
  },
)
