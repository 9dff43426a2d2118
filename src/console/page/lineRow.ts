/** Makes the element of a line of output: its number as a link, its time, and its styled text with matches. */
import { makeElement } from "./dom.ts"
import { lineText, type OutputLine, type Span } from "./OutputLines.ts"

export interface LineMarks {
  readonly href: string
  readonly isMarked: boolean
  readonly matches: Iterable<readonly [start: number, end: number]>
  readonly current: number | undefined
}

const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hourCycle: "h23",
})

const styled = (text: string, classes: string): Node | string =>
  classes === "" ? text : makeElement("span", { class: classes }, text)

/** Spans cut at the starts and ends of matches, which are wrapped in `mark`. */
const textNodes = (
  spans: Iterable<Span>,
  matches: LineMarks["matches"],
  current: number | undefined,
): ReadonlyArray<Node | string> => {
  const nodes: Array<Node | string> = []
  const ranges = [...matches]
  let at = 0
  let next = 0
  for (const { classes, text } of spans) {
    const end = at + text.length
    let from = at
    for (let range = ranges[next]; range !== undefined && range[0] < end; range = ranges[next]) {
      const start = Math.max(range[0], from)
      const stop = Math.min(range[1], end)
      if (start > from) nodes.push(styled(text.slice(from - at, start - at), classes))
      const isCurrent = range[0] === current ? "current" : undefined
      nodes.push(makeElement("mark", { class: isCurrent }, styled(text.slice(start - at, stop - at), classes)))
      from = stop
      // A match may go on in the next span.
      if (range[1] > end) break
      next++
    }
    if (from < end) nodes.push(styled(text.slice(from - at), classes))
    at = end
  }
  return nodes
}

export const lineRow = (
  number: number,
  line: OutputLine,
  { current, href, isMarked, matches }: LineMarks,
): HTMLElement => {
  const { omitted, spans, time } = line
  const rest = omitted === 0 ? [] : [{ text: lineText({ ...line, spans: [] }), classes: "dim" }]
  const date = new Date(time)
  return makeElement(
    "li",
    { class: isMarked ? "marked" : undefined, "data-line": number },
    makeElement(
      "a",
      { href, tabindex: -1, "aria-label": `Line ${number}`, "aria-current": isMarked ? "true" : undefined },
      String(number),
    ),
    makeElement("time", { datetime: date.toISOString(), title: date.toISOString() }, clock.format(date)),
    makeElement("span", { class: "content" }, ...textNodes([...spans, ...rest], matches, current)),
  )
}
