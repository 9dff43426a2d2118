/** Makes a program of the kernel from a utility's function. */
import { yieldNow } from "../../Coroutine.ts"
import { errnoText } from "../../Errno.ts"
import { RegexError } from "../../regex/RegexError.ts"
import { FileType } from "../../Stat.ts"
import type { Later, Program, System } from "../../System.ts"
import { formatUsage, type ParsedOptions, parseOptions } from "./parseOptions.ts"
import { isUtf8Locale } from "../../isUtf8Locale.ts"
import { Input, maxHeldBytes } from "./Input.ts"
import { Output } from "./Output.ts"
import { UtilityExit } from "./UtilityExit.ts"
import { versionText } from "./versionText.ts"

/** A message with the quotes that GNU's programs use: `‘’` if the locale has them, else `''`. */
const quotesOfLocale = ({ env }: System, message: string): string =>
  isUtf8Locale(env) ? message : message.replace(/[‘’]/g, "'")

/** The options, operands, inputs and outputs of a running utility. */
export class UtilityIo {
  readonly system: System
  /** The utility's name, which every message starts with. */
  readonly name: string
  readonly out: Output
  readonly err: Output
  readonly options: ParsedOptions
  /** The exit code so far: 0 until a warning. */
  exitCode = 0
  readonly errorExitCode: number
  /** Whether `warn` prints its message: not with `rg --no-messages`. */
  showsWarnings = true

  constructor(system: System, name: string, options: ParsedOptions, errorExitCode: number) {
    this.system = system
    this.name = name
    this.options = options
    this.errorExitCode = errorExitCode
    this.out = new Output(system, 1)
    this.err = new Output(system, 2)
  }

  get operands(): ReadonlyArray<string> {
    return this.options.operands
  }

  operandsOr(otherwise: string): ReadonlyArray<string> {
    return this.operands.length === 0 ? [otherwise] : this.operands
  }

  /** The byte that ends a line: NUL with the option `-z`, or another one of that meaning. */
  terminator(option = "z"): 0 | 10 {
    return this.has(option) ? 0 : 10
  }

  printLine(text: string, option = "z"): void {
    this.print(text + (this.has(option) ? "\0" : "\n"))
  }

  isDirectory(path: string): boolean {
    const stat = this.system.stat(path)
    return typeof stat === "object" && stat.type === FileType.directory
  }

  has(option: string): boolean {
    return this.options.lastValues.has(option)
  }

  /** The value of an option; the last one if it was given several times. */
  value(option: string): string | undefined {
    return this.options.lastValues.get(option)
  }

  values(option: string): ReadonlyArray<string> {
    return this.options.all.filter(([name]) => name === option).map(([, value]) => value)
  }

  /** The last one given of several options, with its value. */
  lastOf(...names: ReadonlyArray<string>): ParsedOptions["all"][number] | undefined {
    return this.options.all.findLast(([name]) => names.includes(name))
  }

  print(text: string): void {
    this.out.putText(text)
  }

  /** Prints a message to standard error. It is written before the next wait. */
  printError(message: string): void {
    this.err.putText(`${this.name}: ${quotesOfLocale(this.system, message)}\n`)
  }

  /** Reports an error and continues; the utility ends with the exit code of an error. */
  warn(message: string, errno?: number): void {
    if (this.showsWarnings) this.printError(errno === undefined ? message : `${message}: ${errnoText(errno)}`)
    this.exitCode = Math.max(this.exitCode, this.errorExitCode)
  }

  fail(message: string, errno?: number): never {
    throw new UtilityExit(this.errorExitCode, message, errno)
  }

  /** Ends the utility after its output is written. */
  exit(code: number): never {
    throw new UtilityExit(code)
  }

  /** Reports a wrong command line and ends the utility. */
  failUsage(message: string): never {
    this.fail(`${message}\nTry '${this.name} --help' for more information.`)
  }

  failMissingOperand(): never {
    this.failUsage("missing operand")
  }

  failExtraOperand(operand: string): never {
    this.failUsage(`extra operand ‘${operand}’`)
  }

  /** Fails unless the number of operands is within bounds. */
  checkOperands(min: number, max: number): void {
    if (this.operands.length < min) this.failMissingOperand()
    const extra = this.operands[max]
    if (extra !== undefined) this.failExtraOperand(extra)
  }

  /** The number of an option whose value is decimal digits; `otherwise` if it was not given. */
  count(option: string, otherwise: number, complaint: (text: string) => string): number {
    const text = this.value(option)
    return text === undefined ? otherwise : /^[0-9]+$/.test(text) ? Number(text) : this.fail(complaint(text))
  }

  get zone(): string | undefined {
    return this.system.env.get("TZ")
  }

  /** Writes pending output and lets other processes run: between steps, and before every read. */
  flushAndYield(): Later<void> {
    if (!this.err.isEmpty || !this.out.isEmpty) return this.#flushAndYield()
    return yieldNow(this.system)
  }

  async #flushAndYield(): Promise<void> {
    await this.err.flush()
    await this.out.flush()
    await yieldNow(this.system)
  }

  /** Opens a file to read, `-` for standard input. Reports a failure and returns `undefined`. */
  openInput(path: string, terminator?: number): Input | undefined {
    if (path === "-") return new Input(this, 0, "-", terminator)
    const fd = this.system.open(path, { read: true })
    if (fd >= 0) return new Input(this, fd, path, terminator)
    this.warn(path, fd)
    return undefined
  }

  /** Opens each file that the operands name, one after the other; standard input when there is none. */
  *inputs(terminator?: number): Generator<Input> {
    for (const path of this.operandsOr("-")) {
      const input = this.openInput(path, terminator)
      if (input === undefined) continue
      yield input
      input.close()
    }
  }

  /** Opens a file to write, from its start unless `append` is set. Reports a failure and returns the errno. */
  openOutput(path: string, append = false): number {
    const fd = this.system.open(path, { write: true, create: true, truncate: !append, flags: append ? 1 : 0 })
    if (fd < 0) this.warn(path, fd)
    return fd
  }

  /** Reads bytes after pending output was written: their number, or 0 at the end and after an error, which is reported. */
  async read(input: Input, into: Uint8Array, label: string = input.path): Promise<number> {
    await this.flushAndYield()
    const count = await this.system.read(input.fd, into)
    if (count >= 0) return count
    input.failed = true
    this.warn(label, count)
    return 0
  }

  /** Reads a file in chunks, each valid until the next one; ends at an error, which is reported. */
  async *chunks(input: Input, label?: string): AsyncGenerator<Uint8Array> {
    const buffer = new Uint8Array(65_536)
    for (let count = await this.read(input, buffer, label); count > 0; count = await this.read(input, buffer, label)) {
      yield buffer.subarray(0, count)
    }
  }

  /** Reads all lines of a file, with their newlines; fails if they are too large to be held in memory. */
  async readLines(input: Input): Promise<Array<string>> {
    const lines: Array<string> = []
    let held = 0
    await this.forEachLine([input], (line) => {
      held += line.length + 32
      if (held > maxHeldBytes) this.fail(`${input.path}: more than ${maxHeldBytes} bytes would have to be held`)
      lines.push(input.terminated ? `${line}\n` : line)
    })
    return lines
  }

  /** Calls `visit` with each line of the inputs, a binary string without its terminator, and flushes the output. */
  async forEachLine(
    inputs: Iterable<Input>,
    visit: (line: string, input: Input) => Promise<void> | void,
  ): Promise<void> {
    for (const input of inputs) {
      for (;;) {
        let line = input.line()
        if (typeof line === "object") line = await line
        if (line === undefined) break
        const visited = visit(line, input)
        if (visited !== undefined) await visited
        if (this.out.isFull) await this.out.flush()
      }
    }
  }
}

export interface UtilityOptions {
  /** The exit code of an error. Default: 1. */
  readonly errorExitCode?: number
  /** Default: 0. */
  readonly minOperands?: number
  /** Default: any number. */
  readonly maxOperands?: number
  /** Options that are accepted and have nothing to do here, such as `"u|unbuffered"`, each with the reason. */
  readonly withoutEffect?: Readonly<Record<string, string>>
  /** Rewrites the arguments before they are parsed: `head -5`. */
  readonly rewriteArgs?: (args: ReadonlyArray<string>) => ReadonlyArray<string>
}

const definesVersion = /(?:^|[ +|])version(?=[ :|]|$)/

/**
 * Makes a program of the kernel from a function. `spec` lists the options as words such as `n|lines:`: the first name is
 * the one that the code uses, `:` requires a value, `::` allows one (`--color=auto`). With a leading `+` the first operand
 * ends the options; with a leading `=` nothing is an option. `tests/architecture/options.test.ts` finds words of `spec` that
 * nothing reads: they belong to `withoutEffect`.
 */
export const defineUtility =
  (name: string, spec: string, run: (io: UtilityIo) => Later<number | void>, options: UtilityOptions = {}): Program =>
  async (system) => {
    const { errorExitCode = 1, maxOperands = Infinity, minOperands = 0, rewriteArgs, withoutEffect = {} } = options
    const accepted = [spec, ...Object.keys(withoutEffect)].join(" ")
    const err = new Output(system, 2)
    let io: UtilityIo | undefined
    try {
      const args = system.args.slice(1)
      // An option of the utility with this name takes precedence: the last word does.
      const known = accepted.replace(/^\+?(?!=)/, (sign) => `${sign}version `)
      const parsed = parseOptions(known, rewriteArgs === undefined ? args : rewriteArgs(args), errorExitCode)
      io = new UtilityIo(system, name, parsed, errorExitCode)
      const isHelp = parsed.lastValues.has("help") && spec[0] !== "="
      const isVersion = parsed.lastValues.has("version") && !definesVersion.test(spec)
      if (isHelp) io.print(formatUsage(name, accepted, withoutEffect))
      else if (isVersion) io.print(versionText(name))
      else io.checkOperands(minOperands, maxOperands)
      const code = isHelp || isVersion ? 0 : (await run(io)) ?? io.exitCode
      await io.err.flush()
      await io.out.flush()
      return code
    } catch (cause) {
      if (!(cause instanceof UtilityExit || cause instanceof RegexError)) throw cause
      const exit = cause instanceof UtilityExit ? cause : new UtilityExit(undefined, cause.message)
      const reason = exit.errno === undefined ? "" : `: ${errnoText(exit.errno)}`
      if (exit.message !== "") err.putText(`${name}: ${quotesOfLocale(system, exit.message)}${reason}\n`)
      // In the order of printing: the message that ends the utility comes last.
      try {
        for (const output of [io?.out, io?.err, err]) await output?.flush()
        return exit.exitCode ?? errorExitCode
      } catch (failure) {
        if (failure instanceof UtilityExit) return errorExitCode
        throw failure
      }
    }
  }
