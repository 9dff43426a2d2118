/** Draws the timeline of a command as SVG (waiting, running, output, windows), and lists its timings as text. */
import { makeDescriptions, makeSvgElement } from "./dom.ts"
import type { Command } from "./decodeCommand.ts"
import type { ActivityHistogram } from "./ActivityHistogram.ts"
import { windowText } from "./WindowList.ts"
import type { CommandWindows } from "./CommandWindows.ts"
import { formatDuration, formatSize } from "./formatText.ts"

export interface TimelineInput {
  readonly command: Command
  readonly timing: ActivityHistogram
  readonly windows: CommandWindows
  readonly end: number
}

/** Lengths in CSS pixels. */
const leftMargin = 72
const rightMargin = 16
const laneHeight = 22
const laneGap = 10
const barHeight = 56
const axisHeight = 24

/** Computes the step of an axis: 1, 2 or 5 times a power of ten, so that there are at most `maxSteps`. */
const axisStep = (range: number, maxSteps: number): number => {
  const minStep = range / Math.max(1, maxSteps)
  const power = 10 ** Math.floor(Math.log10(Math.max(minStep, 1)))
  return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= minStep) ?? power * 10
}

/** When the program was started; unknown while it runs. */
const startOf = ({ durationMillis, ended }: Command): number | undefined =>
  ended === undefined || durationMillis === undefined ? undefined : ended - durationMillis

export const drawTimeline = ({ command, end, timing, windows }: TimelineInput, width: number): SVGElement => {
  const { requested, slotMillis, slots } = timing
  const range = Math.max(end - requested, slots.length * slotMillis, 1)
  const plotWidth = Math.max(width - leftMargin - rightMargin, 80)
  const x = (time: number): number => leftMargin + Math.max(0, Math.min(1, (time - requested) / range)) * plotWidth
  const block = (kind: string, y: number, from: number, to: number, title: string): SVGElement =>
    makeSvgElement(
      "rect",
      { class: kind, x: x(from), y, width: Math.max(x(to) - x(from), 2), height: laneHeight - 6, rx: 2 },
      makeSvgElement("title", {}, title),
    )
  const name = (text: string, y: number): SVGElement => makeSvgElement("text", { class: "lane", x: 0, y: y + 12 }, text)
  const started = startOf(command) ?? requested
  const parts: Array<SVGElement> = []

  let y = 4
  parts.push(name("run", y))
  if (started > requested) {
    parts.push(block("waits", y, requested, started, `waited ${formatDuration(started - requested)}`))
  }
  parts.push(block("runs", y, started, end, `ran ${formatDuration(Math.max(0, end - started))}`))
  y += laneHeight + laneGap

  const maxBytes = Math.max(1, ...slots.map(({ stderr, stdout }) => Math.max(stdout, stderr)))
  for (const stream of ["stdout", "stderr"] as const) {
    if (timing.total(stream) === 0) continue
    parts.push(name(stream, y + barHeight - 16))
    for (const [at, slot] of slots.entries()) {
      if (slot[stream] === 0) continue
      const from = requested + at * slotMillis
      const height = Math.max(2, slot[stream] / maxBytes * barHeight)
      parts.push(makeSvgElement(
        "rect",
        {
          class: stream,
          x: x(from),
          y: y + barHeight - height,
          width: Math.max(plotWidth * slotMillis / range - 1, 2),
          height,
        },
        makeSvgElement(
          "title",
          {},
          `${formatSize(slot[stream])} of ${stream} after ${formatDuration(at * slotMillis)}`,
        ),
      ))
    }
    parts.push(
      makeSvgElement("line", {
        class: "axis",
        x1: leftMargin,
        y1: y + barHeight + 0.5,
        x2: leftMargin + plotWidth,
        y2: y + barHeight + 0.5,
      }),
    )
    y += barHeight + laneGap
  }

  if (windows.total > 0) {
    parts.push(name("windows", y))
    for (const window of windows.windows) {
      const odd = window.number % 2 === 0 ? "even" : "odd"
      parts.push(block(`window ${odd}`, y, window.from, window.to, windowText(window, requested)))
    }
    y += laneHeight + laneGap
  }

  const step = axisStep(range, plotWidth / 90)
  for (let at = 0; at <= range; at += step) {
    const where = x(requested + at)
    parts.push(
      makeSvgElement("line", { class: "grid", x1: where, y1: 0, x2: where, y2: y }),
      makeSvgElement("text", { x: where, y: y + 14, "text-anchor": at === 0 ? "start" : "middle" }, formatDuration(at)),
    )
  }
  const about = `Timeline of ${formatDuration(range)}: ${formatSize(timing.total("stdout"))} of stdout, ${
    formatSize(timing.total("stderr"))
  } of stderr, ${windows.total} windows`
  return makeSvgElement("svg", {
    width,
    height: y + axisHeight,
    viewBox: `0 0 ${width} ${y + axisHeight}`,
    role: "img",
    "aria-label": about,
  }, ...parts)
}

export const listTimings = ({ command, end, timing }: TimelineInput): ReadonlyArray<HTMLElement> => {
  const { first, last, requested } = timing
  const started = startOf(command)
  const after = (time: number | undefined): string | undefined =>
    time === undefined ? undefined : `after ${formatDuration(Math.max(0, time - requested))}`
  return makeDescriptions([
    ["Waited", started === undefined ? undefined : formatDuration(Math.max(0, started - requested))],
    ["First output", after(first)],
    ["Last output", after(last)],
    [command.ended === undefined ? "So far" : "Ended", after(command.ended ?? end)],
    ["Stdout", formatSize(timing.total("stdout"))],
    ["Stderr", formatSize(timing.total("stderr"))],
    ["One bar", timing.slots.length === 0 ? undefined : formatDuration(timing.slotMillis)],
  ])
}
