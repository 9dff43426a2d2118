/** Implements the `tsort` utility. */
import type { Program } from "../../System.ts"
import { yieldNow } from "../../Coroutine.ts"
import { defineUtility } from "../shared/defineUtility.ts"

interface Item {
  readonly name: string
  readonly next: Array<Item>
  before: number
}

/** `tsort [FILE]`: orders items so that the first of each pair precedes the second. Source: tsort(1). */
export const tsort: Program = defineUtility("tsort", "", async (io) => {
  const items = new Map<string, Item>()
  const itemOf = (name: string): Item => {
    const known = items.get(name) ?? { before: 0, name, next: [] }
    items.set(name, known)
    return known
  }
  let first: string | undefined
  let label = "-"
  for (const input of io.inputs()) {
    label = input.path
    await io.forEachLine([input], (line) => {
      for (const word of line.split(/[ \t]+/)) {
        if (word === "") continue
        if (first === undefined) first = word
        else {
          const [one, two] = [itemOf(first), itemOf(word)]
          if (one !== two) {
            one.next.push(two)
            two.before++
          }
          first = undefined
        }
      }
    })
  }
  if (first !== undefined) io.fail(`${label}: input contains an odd number of tokens`)
  // GNU's tree of items is in the order of their names.
  const names = [...items.values()].sort((a, b) => a.name < b.name ? -1 : 1)
  const left = new Set(names)
  let ready = names.filter(({ before }) => before === 0)
  while (left.size > 0) {
    for (let at = 0; at < ready.length; at++) {
      const item = ready[at]
      if (item === undefined) break
      left.delete(item)
      io.out.putBinary(`${item.name}\n`)
      // The successors that were named last come first.
      for (const next of item.next.toReversed()) if (--next.before === 0) ready.push(next)
      if (io.out.isFull) await io.out.flush()
      if ((at & 255) === 255) await yieldNow(io.system)
    }
    if (left.size === 0) break
    const loop = findLoop(left)
    io.warn(`${label}: input contains a loop:`)
    for (const { name } of loop) io.printError(name)
    const [start, next] = [loop.at(-1), loop[0]]
    if (start === undefined || next === undefined) break
    start.next.splice(start.next.indexOf(next), 1)
    ready = --next.before === 0 ? [next] : []
    await io.flushAndYield()
  }
}, { maxOperands: 1 })

/** The items of a cycle: each precedes the next one, and the last precedes the first. */
const findLoop = (left: ReadonlySet<Item>): ReadonlyArray<Item> => {
  const before = new Map<Item, Item>()
  for (const item of left) for (const next of item.next) if (left.has(next) && !before.has(next)) before.set(next, item)
  const path: Array<Item> = []
  const seen = new Map<Item, number>()
  for (let at: Item | undefined = [...left][0]; at !== undefined; at = before.get(at)) {
    const place = seen.get(at)
    if (place !== undefined) return [...path.slice(place, place + 1), ...path.slice(place + 1).reverse()]
    seen.set(at, path.length)
    path.push(at)
  }
  return []
}
