/** Counts the bytes of all values of an awk program, in steps. */
import type { Coroutine } from "../../Coroutine.ts"
import { type Cell, NumericText, type Table } from "./values.ts"

const cellsPerStep = 8_192

/** Bytes of the cells, each table once. */
export function* countValues(lists: Iterable<Iterable<Cell>>): Coroutine<number> {
  const tables = new Set<Table>()
  const queue: Array<Table> = []
  let bytes = 0
  let cells = 0
  const count = (cell: Cell): void => {
    if (typeof cell === "string") bytes += cell.length + 16
    else if (cell instanceof NumericText) bytes += 64 + cell.text.length
    else if (cell instanceof Map && !tables.has(cell)) {
      tables.add(cell)
      queue.push(cell)
    } else bytes += 8
  }
  const isLong = (): boolean => ++cells % cellsPerStep === 0
  for (const list of lists) {
    for (const cell of list) {
      count(cell)
      if (isLong()) yield
    }
  }
  for (let table = queue.pop(); table !== undefined; table = queue.pop()) {
    for (const [key, cell] of table) {
      bytes += 96 + key.length
      count(cell)
      if (isLong()) yield
    }
  }
  return bytes
}
