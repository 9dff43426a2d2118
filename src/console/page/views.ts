/**
 * The windows and the timeline of a run.
 *
 * @module
 */
import { draw, make } from "./dom.ts"
import type { Run } from "./Run.ts"
import { size, span } from "./words.ts"

/** Rows that are shown of the windows: the last ones. */
const mostRows = 200

/** The windows as rows of a table. */
export const windowRows = ({ bursts, start }: Run): ReadonlyArray<HTMLElement> =>
  bursts.slice(-mostRows).map(({ characters, first, from, stream, to }) =>
    make(
      "tr",
      {},
      make("td", {}, `+${span(from - start)}`),
      make("td", {}, span(to - from)),
      make("td", { class: stream }, stream),
      make("td", {}, size(characters)),
      make("td", { class: "first" }, first),
    )
  )

/** What stands above them. */
export const windowCaption = ({ bursts, dropped }: Run): string => {
  const all = bursts.length + dropped
  const shown = Math.min(bursts.length, mostRows)
  return `${all} ${all === 1 ? "window" : "windows"}, parted by 100 ms of silence${
    shown < all ? `; the last ${shown} are shown` : ""
  }`
}

const width = 800
const height = 120

const bars = (
  { slotMillis, slots }: Run,
  stream: "stdout" | "stderr",
  most: number,
  long: number,
): ReadonlyArray<SVGElement> => {
  const step = width * slotMillis / long
  return slots.flatMap((slot, at) => {
    const tall = slot[stream] / most * (height - 20)
    if (tall === 0) return []
    const below = stream === "stderr" ? slot.stdout / most * (height - 20) : 0
    return [draw("rect", {
      class: stream,
      x: at * step,
      y: height - below - Math.max(tall, 1),
      width: Math.max(step - 0.5, 0.5),
      height: Math.max(tall, 1),
    })]
  })
}

/** How much came when, drawn; `end` is when it ended, or now. */
export const timeline = (run: Run, end: number): SVGElement => {
  const most = Math.max(1, ...run.slots.map(({ stderr, stdout }) => stdout + stderr))
  const long = Math.max(end - run.start, run.slots.length * run.slotMillis, 1)
  const about = `Output over ${span(long)}: at most ${size(most)} in ${span(run.slotMillis)}`
  return draw(
    "svg",
    { viewBox: `0 0 ${width} ${height + 20}`, role: "img", "aria-label": about },
    draw("line", { class: "axis", x1: 0, y1: height + 0.5, x2: width, y2: height + 0.5 }),
    ...bars(run, "stdout", most, long),
    ...bars(run, "stderr", most, long),
    draw("text", { x: 0, y: height + 15 }, "0"),
    draw("text", { x: width, y: height + 15, "text-anchor": "end" }, span(long)),
  )
}

/** The timeline in words. */
export const timelineCaption = (run: Run): string => {
  const [out, err] = run.slots.reduce(([o, e], slot) => [o + slot.stdout, e + slot.stderr], [0, 0])
  return `${size(out)} of stdout and ${size(err)} of stderr; one bar is ${span(run.slotMillis)}`
}
