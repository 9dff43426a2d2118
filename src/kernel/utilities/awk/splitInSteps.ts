/** Splits a long text as `split` does, but lets other processes run meanwhile. */
import { yieldNow } from "../../Coroutine.ts"
import type { System } from "../../System.ts"
import type { Splitter } from "./Fields.ts"

/** Parts between two looks at the clock. */
const partsPerStep = 4_096

/** End of the next part and start of the one after it; both are the length of the text at the last part. */
type Find = (from: number) => Promise<readonly [end: number, next: number]>

const isBlank = (code: number): boolean => code === 32 || code === 9 || code === 10

const makeFind = (system: System, text: string, by: Exclude<Splitter, { _tag: "Content" }>, utf8: boolean): Find => {
  const { length } = text
  switch (by._tag) {
    case "Blank":
      return (from) => {
        let end = from
        while (end < length && !isBlank(text.charCodeAt(end))) end++
        let next = end
        while (next < length && isBlank(text.charCodeAt(next))) next++
        return Promise.resolve([end, next])
      }
    case "Letter":
      return (from) => {
        const end = text.indexOf(by.letter, from)
        return Promise.resolve(end < 0 ? [length, length] : [end, end + 1])
      }
    case "Each":
      return (from) => {
        let end = from + 1
        while (utf8 && end < length && (text.charCodeAt(end) & 0xc0) === 0x80) end++
        return Promise.resolve([end, end])
      }
    case "Regex":
      return async (from) => {
        for (let at = from; at < length;) {
          if (!await by.regex.exec(system, text, at)) break
          const { end, start } = by.regex
          if (end > start) return [start, end]
          at = end + 1
        }
        return [length, length]
      }
  }
}

/** Calls `visit` with each part, and the separator after it. */
export const splitInSteps = async (
  system: System,
  text: string,
  by: Splitter,
  utf8: boolean,
  visit: (part: string, separator: string | undefined) => void,
): Promise<void> => {
  if (text === "") return
  let parts = 0
  const turn = async (): Promise<void> => {
    if (++parts % partsPerStep === 0) await yieldNow(system)
  }
  if (by._tag === "Content") {
    let pending: readonly [start: number, end: number] | undefined
    for (let from = 0, last = -1; from <= text.length && await by.regex.exec(system, text, from);) {
      const { end, start } = by.regex
      if (start === end && start === last) {
        from = end + 1
        continue
      }
      if (pending !== undefined) visit(text.slice(...pending), text.slice(pending[1], start))
      pending = [start, end]
      last = end
      from = end > start ? end : end + 1
      await turn()
    }
    if (pending !== undefined) visit(text.slice(...pending), undefined)
    return
  }
  const find = makeFind(system, text, by, utf8)
  let from = 0
  if (by._tag === "Blank") { while (from < text.length && isBlank(text.charCodeAt(from))) from++ }
  // A blank at the end separates nothing; another separator has an empty part after it.
  const isTerminated = by._tag === "Blank" || by._tag === "Each"
  if (isTerminated && from === text.length) return
  for (;;) {
    const [end, next] = await find(from)
    const isLast = isTerminated ? next >= text.length : end >= text.length
    visit(text.slice(from, end), isLast ? undefined : text.slice(end, next))
    if (isLast) return
    from = next
    await turn()
  }
}
