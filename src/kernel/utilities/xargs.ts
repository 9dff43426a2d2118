/** Implements the `xargs` utility. */
import { Errno } from "../Errno.ts"
import { stepsPerYield } from "../Coroutine.ts"
import type { Program } from "../System.ts"
import { binaryToText, textToBinary } from "../binaryString.ts"
import { Input, LineBytes } from "./shared/Input.ts"
import { startCommand } from "./shared/spawn.ts"
import { findTrailing } from "./shared/strip.ts"
import { defineUtility, type UtilityIo } from "./shared/defineUtility.ts"

const [blankOrQuote, quote] = [/[ \t'"\\]/g, /['"\\]/g]

/**
 * The words of a line, or one word if blanks do not separate words; yields `undefined` from time to time, so that other
 * processes run.
 */
function* splitWords(io: UtilityIo, line: string, separated = true): Generator<string | undefined> {
  const special = separated ? blankOrQuote : quote
  let word: string | undefined
  for (let at = 0, steps = 1; at < line.length; at++, steps++) {
    if (steps % stepsPerYield === 0) yield
    special.lastIndex = at
    const next = special.exec(line)?.index ?? line.length
    if (next > at) word = (word ?? "") + line.slice(at, next)
    if (next === line.length) break
    at = next
    const letter = line[at] ?? ""
    if (letter === " " || letter === "\t") {
      if (word !== undefined) yield word
      word = undefined
    } else if (letter === "'" || letter === '"') {
      const end = line.indexOf(letter, at + 1)
      if (end < 0) {
        const kind = letter === "'" ? "single" : "double"
        io.fail(`unmatched ${kind} quote; by default quotes are special to xargs unless you use the -0 option`)
      }
      word = (word ?? "") + line.slice(at + 1, end)
      at = end
    } else word = (word ?? "") + (line[++at] ?? "")
  }
  if (word !== undefined) yield word
}

/**
 * `xargs [-0rtx] [-d CHAR] [-I STR] [-L N] [-n N] [-P N] [-s N] [-a FILE] [COMMAND [ARG]...]`: runs commands. Source: xargs(1).
 */
export const xargs: Program = defineUtility(
  "xargs",
  "+0|null n|max-args: I: i:: L|max-lines: d|delimiter: r|no-run-if-empty P|max-procs: t|verbose a|arg-file: E: " +
    "s|max-chars: x|exit",
  async (io) => {
    const command = io.operands.length === 0 ? ["echo"] : [...io.operands]
    const replace = io.value("I") ?? (io.has("i") ? io.value("i") || "{}" : undefined)
    const number = (name: string, otherwise: number): number =>
      io.count(name, otherwise, (text) => `invalid number "${text}" for -${name} option`)
    const delimiter = parseDelimiter(io)
    const maxArgs = number("n", Infinity)
    if (maxArgs === 0) return io.fail("value 0 for -n option should be >= 1")
    const maxLines = replace !== undefined ? 1 : number("L", Infinity)
    const maxProcesses = number("P", 1) || 64
    const maxLength = number("s", 128_000)
    const given = io.value("a")
    const input = given === undefined ? new Input(io, 0, "-", delimiter ?? 10) : io.openInput(given, delimiter ?? 10)
    if (input === undefined) return 1
    // The commands must not read the input of xargs.
    const devNull = given === undefined ? io.system.open("/dev/null", { read: true }) : 0
    const empty = devNull < 0 ? io.system.pipe() : undefined
    const stdin = typeof empty === "object" ? empty[0] : devNull < 0 ? 0 : devNull
    if (typeof empty === "object") io.system.close(empty[1])
    let running = 0
    let code = 0
    let stopped = false

    const finished = (status: number): void => {
      running--
      if (status === 255) {
        io.printError(`${command[0] ?? ""}: exited with status 255; aborting`)
        code = 124
        stopped = true
      } else if (status > 128 && status !== 255) {
        io.printError(`${command[0] ?? ""}: terminated by signal ${status - 128}`)
        code = 125
        stopped = true
      } else if (status !== 0) code = 123
    }
    const reap = async (left: number): Promise<void> => {
      while (running > left) {
        const status = await io.system.wait(-1)
        if (typeof status === "object") finished(status.exitCode)
        else if (status !== -Errno.EINTR) return
      }
    }
    const run = async (args: ReadonlyArray<string>): Promise<void> => {
      if (stopped) return
      const whole = replace === undefined
        ? [...command, ...args]
        : command.map((word) => word.replaceAll(replace, args[0] ?? ""))
      if (io.has("t")) io.err.putText(`${whole.join(" ")}\n`)
      await reap(maxProcesses - 1)
      if (stopped) return
      const started = await startCommand(io, whole, { fds: [[0, stdin], [1, 1], [2, 2]] })
      if (started.pid !== undefined) running++
      else {
        code = started.exitCode
        stopped = true
      }
    }

    let batch: Array<string> = []
    let batchLines = 0
    let size = 0
    let any = false
    let pending = ""
    const continued = new LineBytes(io, input.path)
    const base = command.reduce((sum, word) => sum + word.length + 1, 0)
    const flush = async (): Promise<void> => {
      const args = batch
      batch = []
      batchLines = size = 0
      if (args.length > 0) await run(args)
    }
    const stopWord = io.value("E")
    read: for (;;) {
      let line = input.line()
      if (typeof line === "object") line = await line
      if (line === undefined || stopped) break
      let items: Iterable<string | undefined>
      let counts = true
      if (delimiter !== undefined) items = [line]
      else if (replace !== undefined) {
        const trimmed = line.replace(/^[ \t]+/, "")
        items = splitWords(io, trimmed, false)
      } else {
        // A newline in quotes is an error; one after a backslash belongs to the word.
        const whole = pending + line
        if ((line.length - findTrailing(line, "\\")) % 2 === 1) {
          pending = `${whole}\n`
          const pause = io.system.yield()
          if (pause !== undefined) await pause
          continued.set(pending.length)
          continue
        }
        pending = ""
        continued.set(0)
        items = splitWords(io, whole)
        // With -L, a blank at the end continues the line, and an empty line does not count.
        counts = !" \t".includes(whole.at(-1) ?? " ")
      }
      for (const item of items) {
        const turn = io.system.yield(item === undefined ? Infinity : 1)
        if (turn !== undefined) await turn
        if (item === undefined) continue
        const word = binaryToText(item)
        if (stopWord !== undefined && stopWord === word) break read
        any = true
        if (batch.length > 0 && (batch.length >= maxArgs || base + size + item.length + 1 > maxLength)) {
          const isFull = batch.length < maxArgs
          if (isFull && (io.has("x") && maxArgs !== Infinity || maxLines !== Infinity)) {
            return io.fail("argument list too long")
          }
          const counted = batchLines
          await flush()
          batchLines = counted
        }
        if (base + item.length + 1 > maxLength) return io.fail("argument line too long")
        batch.push(word)
        size += item.length + 1
        if (replace !== undefined) await flush()
      }
      if (counts) batchLines++
      if (batchLines >= maxLines && maxLines !== Infinity) await flush()
    }
    // A backslash at the end quotes a newline only if the last line has one.
    for (const item of splitWords(io, input.terminated ? pending : pending.slice(0, -1))) {
      if (item !== undefined) batch.push(binaryToText(item))
    }
    if (batch.length > 0 || (!any && !io.has("r") && replace === undefined)) {
      if (batch.length > 0) await flush()
      else await run([])
    }
    await reap(0)
    return code || io.exitCode
  },
)

const parseDelimiter = (io: UtilityIo): number | undefined => {
  const last = io.lastOf("0", "d")
  if (last === undefined) return undefined
  if (last[0] === "0") return 0
  const text = textToBinary(last[1])
  const escapes: Readonly<Record<string, number>> = { "\\0": 0, "\\n": 10, "\\r": 13, "\\t": 9 }
  return escapes[text] ??
    (text.length === 1
      ? text.charCodeAt(0)
      : io.fail(`Invalid input delimiter specification ${last[1]}: the delimiter must be a single character`))
}
