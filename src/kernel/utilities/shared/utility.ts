/**
 * What every utility stands on: its arguments, its output, what it says on standard error, its exit code.
 *
 * @module
 */
import { errnoText } from "../../Errno.ts"
import type { Later, Program, System } from "../../System.ts"
import { Input } from "./Input.ts"
import { formatUsage, type ParsedOptions, parseOptions } from "./options.ts"
import { Output } from "./Output.ts"
import { RegexError } from "../../regex/RegexError.ts"
import { UtilityExit } from "./UtilityExit.ts"

/** What a utility works with. */
export class UtilityIo {
  readonly system: System
  /** Its own name, as messages begin with it. */
  readonly name: string
  readonly out: Output
  readonly err: Output
  readonly options: ParsedOptions
  /** The exit code when all is done. */
  status = 0
  /** The exit code of an error. */
  readonly trouble: number

  constructor(system: System, name: string, options: ParsedOptions, trouble: number) {
    this.system = system
    this.name = name
    this.options = options
    this.trouble = trouble
    this.out = new Output(system, 1)
    this.err = new Output(system, 2)
  }

  get operands(): ReadonlyArray<string> {
    return this.options.operands
  }

  has(option: string): boolean {
    return this.options.last.has(option)
  }

  value(option: string): string | undefined {
    return this.options.last.get(option)
  }

  /** Says something on standard error. It is written before the next wait. */
  say(message: string): void {
    this.err.putText(`${this.name}: ${message}\n`)
  }

  /** Says what went wrong, and goes on; the exit code tells of it. */
  warn(message: string, errno?: number): void {
    this.say(errno === undefined ? message : `${message}: ${errnoText(errno)}`)
    if (this.status === 0 || this.trouble > this.status) this.status = this.trouble
  }

  /** Says what went wrong and ends. */
  fail(message: string, errno?: number): never {
    throw new UtilityExit(this.trouble, message, errno)
  }

  /** Ends, with what has been written. */
  quit(code: number): never {
    throw new UtilityExit(code)
  }

  /** Says that the command line is wrong and ends. */
  misuse(message: string): never {
    throw new UtilityExit(this.trouble, `${message}\nTry '${this.name} --help' for more information.`)
  }

  missingOperand(): never {
    this.misuse("missing operand")
  }

  extraOperand(operand: string): never {
    this.misuse(`extra operand ‘${operand}’`)
  }

  /** Writes what waits to be written and lets others run: between steps, and before every read. */
  settle(): Later<void> {
    if (!this.err.isEmpty || !this.out.isEmpty) return this.#settle()
    return this.system.breathe()
  }

  async #settle(): Promise<void> {
    await this.err.flush()
    await this.out.flush()
    await this.system.breathe()
  }

  /** Opens a file to read, `-` for standard input. Answers `undefined` when it has said why not. */
  open(path: string, terminator?: number): Input | undefined {
    if (path === "-") return new Input(this, 0, "-", terminator)
    const fd = this.system.open(path, { read: true })
    if (fd >= 0) return new Input(this, fd, path, terminator)
    this.warn(path, fd)
    return undefined
  }

  /** Every file that the operands name, one after the other; standard input when there is none. */
  *inputs(terminator?: number, operands: ReadonlyArray<string> = this.operands): Generator<Input> {
    for (const path of operands.length === 0 ? ["-"] : operands) {
      const input = this.open(path, terminator)
      if (input === undefined) continue
      yield input
      input.close()
    }
  }

  /** Opens a file to write, from its start. */
  create(path: string, append = false): number {
    const fd = this.system.open(path, { write: true, create: true, truncate: !append, flags: append ? 1 : 0 })
    if (fd < 0) this.warn(path, fd)
    return fd
  }
}

/** What a utility is made of. */
export interface UtilityOptions {
  /** The exit code of an error. Default: 1. */
  readonly trouble?: number
  /** Rewrites the arguments before they are parsed: `head -5`. */
  readonly rewrite?: (args: ReadonlyArray<string>) => ReadonlyArray<string>
}

/**
 * A program of the kernel from a function. `spec` says which options there are: words such as `n|lines:`, the name that
 * the code uses first; `:` needs a value, `::` may have one (`--color=auto`). A `+` before all: the first operand ends
 * the options, and `=` before all: nothing is an option.
 */
export const utility =
  (name: string, spec: string, run: (io: UtilityIo) => Later<number | void>, options: UtilityOptions = {}): Program =>
  async (system) => {
    const trouble = options.trouble ?? 1
    const err = new Output(system, 2)
    let io: UtilityIo | undefined
    let code = trouble
    try {
      const args = system.args.slice(1)
      const parsed = parseOptions(spec, options.rewrite === undefined ? args : options.rewrite(args), trouble)
      io = new UtilityIo(system, name, parsed, trouble)
      if (parsed.last.has("help") && spec[0] !== "=") {
        io.out.putText(formatUsage(name, spec))
        code = 0
      } else code = (await run(io)) ?? io.status
      await io.err.flush()
      await io.out.flush()
      return code
    } catch (cause) {
      if (!(cause instanceof UtilityExit || cause instanceof RegexError)) throw cause
      const { errno, exitCode } = cause instanceof UtilityExit ? cause : new UtilityExit(undefined)
      if (cause.message !== "") {
        const why = errno === undefined ? "" : `: ${errnoText(errno)}`
        err.putText(`${name}: ${cause.message}${why}\n`)
      }
      return await last(io, err, exitCode ?? trouble, trouble)
    }
  }

/** Writes what is left, in the order in which it was said. */
const last = async (io: UtilityIo | undefined, err: Output, code: number, trouble: number): Promise<number> => {
  try {
    await io?.out.flush()
    await io?.err.flush()
    await err.flush()
    return code
  } catch (cause) {
    if (cause instanceof UtilityExit) return trouble
    throw cause
  }
}
