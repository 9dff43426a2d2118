/** Orders the keys of a table by the names of gawk's `PROCINFO["sorted_in"]` and of the third argument of `asort`. */
import { compareStrings } from "../../binaryString.ts"
import { type Cell, NumericText, type Scalar, toNumber } from "./values.ts"

export type Order = (a: readonly [string, Cell], b: readonly [string, Cell]) => number

const scalarOf = (cell: Cell): Scalar => cell instanceof Map ? undefined : cell
const textOf = (cell: Cell): string => {
  const value = scalarOf(cell)
  return value === undefined ? "" : value instanceof NumericText ? value.text : String(value)
}

/** Numbers before texts, and tables last. */
const rankOf = (cell: Cell): number => cell instanceof Map ? 2 : typeof cell === "string" ? 1 : 0

const byKeyText: Order = ([a], [b]) => compareStrings(a, b)
const byKeyNumber: Order = ([a], [b]) => toNumber(a) - toNumber(b) || compareStrings(a, b)
const byValueNumber: Order = ([keyA, a], [keyB, b]) =>
  rankOf(a) - rankOf(b) || toNumber(scalarOf(a)) - toNumber(scalarOf(b)) || byKeyNumber([keyA, a], [keyB, b])
const byValueText: Order = (a, b) => compareStrings(textOf(a[1]), textOf(b[1])) || byKeyNumber(a, b)

/** Values by type: numbers by value, then texts. */
export const byValueType: Order = (a, b) =>
  rankOf(a[1]) - rankOf(b[1]) || (rankOf(a[1]) === 1 ? byValueText(a, b) : byValueNumber(a, b))

const orders: Readonly<Record<string, Order>> = {
  ...{ "@ind_str": byKeyText, "@ind_num": byKeyNumber },
  ...{ "@val_num": byValueNumber, "@val_str": byValueText, "@val_type": byValueType },
}

/** The order of a name such as `@ind_num_asc`; `undefined` for `@unsorted` and others. */
export const findOrder = (name: string): Order | undefined => {
  const [, base = "", direction] = /^(@\w+?)_(asc|desc)$/.exec(name) ?? []
  const order = orders[base]
  return order === undefined || direction === "asc" ? order : (a, b) => order(b, a)
}
