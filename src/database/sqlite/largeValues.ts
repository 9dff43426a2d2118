/**
 * Counts how many values of SQLite's maximum size a statement may hold in memory at once.
 *
 * Source: https://www.sqlite.org/opcode.html
 */
import * as Schema from "effect/Schema"

export interface Step {
  readonly addr: number
  readonly opcode: string
  readonly p1: number
  readonly p2: number
  readonly p3: number
  readonly p4: string | null
}

const StepSchema: Schema.Codec<Step> = Schema.Struct({
  addr: Schema.Int,
  opcode: Schema.String,
  p1: Schema.Int,
  p2: Schema.Int,
  p3: Schema.Int,
  p4: Schema.NullOr(Schema.String),
})

export const isStep: (row: unknown) => row is Step = Schema.is(StepSchema)

/** The register that a step writes. */
const written: Readonly<Record<string, "p1" | "p2" | "p3">> = {
  ...{ Function: "p3", PureFunc: "p3", Concat: "p3", MakeRecord: "p3", AggStep: "p3", AggFinal: "p1", AggValue: "p3" },
  ...{ Copy: "p2", SCopy: "p2", RowData: "p2", SorterData: "p2", Param: "p2", String8: "p2", Blob: "p2" },
}

/** Characters of a literal that is not counted. */
const smallLiteral = 4_096

/** Counts them. All columns of one stored row are one value, for a row is no larger than a value; so are parameters. */
export const countLargeValues = (program: ReadonlyArray<Step>): number => {
  const registers = new Set<string>()
  const reads = new Map<string, Map<number, number>>()
  let programs = 0
  const addRead = (source: string, column: number): void => {
    const columns = reads.get(source) ?? new Map<number, number>()
    reads.set(source, columns.set(column, (columns.get(column) ?? 0) + 1))
  }
  for (const { addr, opcode, p1, p2, p3, p4 } of program) {
    // Each trigger is a program with registers of its own.
    if (addr === 0) programs++
    if (opcode === "Variable") addRead("parameters", p1)
    if (opcode === "Column" || opcode === "VColumn") addRead(`${programs} ${p1}`, p2)
    const operand = written[opcode]
    if (operand === undefined || (/^(String8|Blob)$/.test(opcode) && (p4?.length ?? 0) <= smallLiteral)) continue
    const first = { p1, p2, p3 }[operand]
    for (let at = first; at <= first + (opcode === "Copy" ? p3 : 0); at++) registers.add(`${programs} ${at}`)
  }
  let count = registers.size
  for (const columns of reads.values()) count += Array.from(columns.values()).reduce((a, b) => Math.max(a, b), 0)
  return count
}
