/** Implements the `sort` utility, which sorts, merges or checks the lines of files. */
import type { Program } from "../System.ts"
import { runCoroutine } from "../Coroutine.ts"
import { mergeInSteps } from "../sortInSteps.ts"
import { binaryToText } from "../binaryString.ts"
import type { Input } from "./shared/Input.ts"
import { parseSize } from "./shared/quantities.ts"
import { defineUtility, type UtilityIo } from "./shared/defineUtility.ts"
import { makeSortOrder, type SortOrder } from "./shared/sortOrder.ts"

/** Lines that are sorted at once. Other processes run between them, and while they are merged. */
const runLengths = { fast: 20_000, slow: 2_000 }

/** Maximum bytes of lines that are sorted at once. */
const maxRunBytes = 4 * 1024 * 1024

/**
 * `sort [-bcCdfhimnorRsuVz] [-k KEY] [-t CHAR] [-o FILE] [-S SIZE] [FILE]...`: sorts lines. Source: sort(1).
 */
export const sort: Program = defineUtility(
  "sort",
  "n|numeric-sort r|reverse u|unique k|key: t|field-separator: f|ignore-case b|ignore-leading-blanks " +
    "h|human-numeric-sort V|version-sort s|stable c|check:: C m|merge o|output: z|zero-terminated d|dictionary-order " +
    "i|ignore-nonprinting R|random-sort g|general-numeric-sort M|month-sort S|buffer-size: " +
    "sort: files0-from:",
  async (io) => {
    const order = makeSortOrder(io)
    const end = io.terminator()
    const limit = parseSize(io.value("S") ?? "512M") ?? io.fail(`invalid -S argument '${io.value("S") ?? ""}'`)
    if (io.has("c") || io.has("C")) return await checkOrder(io, order, end)
    const runs: Array<Array<string>> = []
    let lines: Array<string> = []
    let held = 0
    let runEnd = maxRunBytes
    const runLength = order.isFast ? runLengths.fast : runLengths.slow
    for await (const input of inputsOf(io, end)) {
      await io.forEachLine([input], (line) => {
        held += line.length + 32
        if (held > limit) return io.fail(`the input is larger than the ${limit} bytes that sort may hold (-S)`)
        if (lines.push(line) < runLength && held < runEnd || io.has("m")) return
        runEnd = held + maxRunBytes
        runs.push(lines.sort(order.full))
        lines = []
        return io.system.yield()
      })
      if (io.has("m")) {
        runs.push(lines)
        lines = []
      }
    }
    if (io.exitCode !== 0) return io.exitCode
    if (lines.length > 0) runs.push(lines.sort(order.full))
    const sorted = await runCoroutine(io.system, mergeInSteps(runs, order.full))
    const target = io.value("o")
    if (target !== undefined) {
      const fd = io.openOutput(target)
      if (fd < 0) return
      io.system.dup2(fd, 1)
      io.system.close(fd)
    }
    let before: string | undefined
    for (const line of sorted) {
      if (order.unique && before !== undefined && order.keys(before, line) === 0) continue
      before = line
      io.out.putBinary(line)
      io.out.putByte(end)
      if (io.out.isFull) {
        await io.flushAndYield()
      }
    }
    return io.exitCode
  },
  {
    errorExitCode: 2,
    withoutEffect: { "T|temporary-directory:": "lines are sorted in memory", "parallel:": "there is one processor" },
  },
)

/** The files of the operands, or of the names that the file of `--files0-from` holds. */
async function* inputsOf(io: UtilityIo, end: number): AsyncGenerator<Input> {
  const list = io.value("files0-from")
  if (list === undefined) return yield* io.inputs(end)
  const [extra] = io.operands
  if (extra !== undefined) io.fail(`extra operand '${extra}'\nfile operands cannot be combined with --files0-from`)
  const names = io.openInput(list, 0)
  if (names === undefined) return
  const paths: Array<string> = []
  await io.forEachLine([names], (line) => void paths.push(binaryToText(line)))
  names.close()
  if (paths.length === 0) io.fail(`no input from '${list}'`)
  for (const path of paths) {
    const input = io.openInput(path, end)
    if (input === undefined) continue
    yield input
    input.close()
  }
}

/** Checks whether a file is sorted; the exit code is 1 if it is not. */
const checkOrder = async (io: UtilityIo, order: SortOrder, end: number): Promise<number> => {
  if (io.operands.length > 1) return io.fail(`extra operand '${io.operands[1] ?? ""}' not allowed with -c`)
  const quiet = io.has("C") || /^(quiet|silent)$/.test(io.value("c") ?? "")
  for (const input of io.inputs(end)) {
    let before: string | undefined
    let number = 0
    for (let line = await input.line(); line !== undefined; line = await input.line()) {
      number++
      if (before !== undefined) {
        const result = order.unique ? order.keys(before, line) : order.full(before, line)
        if (result > 0 || (order.unique && result === 0)) {
          if (!quiet) {
            io.err.putBinary(`sort: ${input.path}:${number}: disorder: `)
            io.err.putBinary(`${line}\n`)
          }
          return 1
        }
      }
      before = line
    }
  }
  return io.exitCode
}
