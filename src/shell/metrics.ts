/**
 * Declares Effect metrics of commands: counts, gauges and durations.
 *
 * @module
 */
import * as Metric from "effect/Metric"

/** Commands whose process was started. */
export const commandsStarted: Metric.Counter<number> = /* @__PURE__ */ Metric.counter("sluice_commands_started", {
  description: "Commands whose process was started",
  incremental: true,
})

/** Commands that are over, by `reason`: `Exit`, the tag of the fault, or `Closed` when its consumer closed it. */
export const commandsFinished: Metric.Counter<number> = /* @__PURE__ */ Metric.counter("sluice_commands_finished", {
  description: "Commands that are over, by reason",
  incremental: true,
})

/** Commands that run now. */
export const commandsRunning: Metric.Gauge<number> = /* @__PURE__ */ Metric.gauge("sluice_commands_running", {
  description: "Commands that run now",
})

/** Commands that wait for a place now. */
export const commandsQueued: Metric.Gauge<number> = /* @__PURE__ */ Metric.gauge("sluice_commands_queued", {
  description: "Commands that wait for a place now",
})

/** Bytes of output that were read, by `stream`. */
export const outputBytes: Metric.Counter<number> = /* @__PURE__ */ Metric.counter("sluice_output_bytes", {
  description: "Bytes of output that were read",
  incremental: true,
})

/** Milliseconds from the spawn to the exit. */
export const commandDuration: Metric.Histogram<number> = /* @__PURE__ */ Metric.histogram(
  "sluice_command_duration_ms",
  {
    description: "Milliseconds from the spawn to the exit",
    boundaries: /* @__PURE__ */ Metric.exponentialBoundaries({ start: 1, factor: 2, count: 20 }),
  },
)
