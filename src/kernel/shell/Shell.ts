/**
 * A shell: what it knows while it runs. A subshell is a copy of it in a process of its own.
 *
 * Which descriptors the commands of a script see is a table of the shell's ({@link Shell.io}), not the process's own:
 * a redirection changes an entry, and whoever is started gets the table. So nothing has to be moved out of the way and
 * back, and what the shell opens for itself can never be seen by a command.
 *
 * @module
 */
import type {
  AndOr,
  Assignment,
  Command,
  CommandSubstitution,
  CompoundCommand,
  ProcessSubstitution,
} from "../../shell-language/SyntaxTree.ts"
import { Errno, errnoText } from "../Errno.ts"
import type { Later, Pid, System } from "../System.ts"
import type { AssignmentTarget } from "./AssignmentTarget.ts"
import type { NamedPlace } from "./NamedPlace.ts"
import { defaultDynamics } from "./dynamics.ts"
import type { ShellLimits } from "./ShellLimits.ts"
import { defaultOptions } from "./Options.ts"
import { Source } from "./Source.ts"
import { encodeLossless } from "../../base/surrogateEscape.ts"
import { Variables } from "./Variables.ts"

/** Something that leaves what runs: loops, functions, the shell. */
export interface Flow {
  readonly kind: "break" | "continue" | "return" | "exit"
  /** How many loops; 1 for the others. */
  readonly count: number
}

/** A function, and where it was written. */
export interface ShellFunction {
  readonly name: string
  readonly body: CompoundCommand
  readonly source: Source
}

/** A call that has not returned: of a function, of `source`, or the script itself (`main`). */
export interface Call {
  readonly kind: "function" | "source" | "main"
  readonly name: string
  /** Where its commands were written: {@link Source.name}. */
  readonly source: string
  /** The line that it was called from. */
  readonly line: number
  readonly outer: Call | undefined
  /** How many functions run, this one included. */
  readonly functionDepth: number
  /** The options to put back when it returns: `local -`. */
  options: ReadonlySet<string> | undefined
}

/** A process in the background. */
export interface Job {
  readonly number: number
  readonly pid: Pid
  /** What it runs, as it was written. */
  readonly text: string
  /** Its exit code once it has ended. */
  exitCode: number | undefined
}

/**
 * A command of the shell's own. Its name is the first argument. `arrays` are the arguments that give a whole array
 * (`declare a=(1 2)`), by their place.
 */
export type Builtin = (
  shell: Shell,
  args: ReadonlyArray<string>,
  arrays: ReadonlyMap<number, Assignment>,
) => Later<number>

/** What a shell does that needs all of it: given to it when it is made, so that its parts need not know each other. */
export interface Machine {
  readonly builtins: ReadonlyMap<string, Builtin>
  /** The output of `$(…)`. */
  readonly substitute: (shell: Shell, node: CommandSubstitution) => Later<string>
  /** The path of `<(…)`. */
  readonly connect: (shell: Shell, node: ProcessSubstitution) => string
  /** Runs a text: `eval`, `source`, a trap. */
  readonly run: (shell: Shell, text: string, source?: Source) => Promise<number>
  /** Runs a command whose words are known: `command`, `builtin`. */
  readonly invoke: (
    shell: Shell,
    words: ReadonlyArray<string>,
    as: { readonly functions: boolean; readonly builtins: boolean; readonly programs: boolean },
  ) => Promise<number>
  /** Gives an array to a name: `declare a=(1 2)`. */
  readonly assign: (shell: Shell, assignment: Assignment, target: AssignmentTarget) => Later<void>
  /** Runs statements one after another. */
  readonly list: (shell: Shell, statements: ReadonlyArray<AndOr>) => Promise<number>
  /** Runs one command of a script. */
  readonly command: (shell: Shell, node: Command) => Later<number>
  /** Runs one command in a copy of the shell that was made for it alone. */
  readonly stage: (shell: Shell, node: Command) => Later<number>
  /** The key that the text of a subscript means, where a reference is looked up. */
  readonly key: (shell: Shell, place: NamedPlace) => string
  /** The number a text means as arithmetic. */
  readonly arithmetic: (shell: Shell, text: string) => bigint
}

/** The state of a shell. */
export class Shell {
  readonly system: System
  readonly machine: Machine
  readonly limits: ShellLimits
  variables: Variables = new Variables()
  functions: Map<string, ShellFunction> = new Map()
  aliases: Map<string, string> = new Map()
  /** Options of `set` and `shopt` that are on. */
  options: Set<string> = new Set(defaultOptions)
  /** `$0` */
  name = "sh"
  #positional: ReadonlyArray<string> = []
  /** How many of them `shift` has taken away since they were set. */
  #shifted = 0
  /** `$?` */
  status = 0
  pipeStatus: ReadonlyArray<number> = []
  /** The exit code of an unset parameter that ends the shell: bash's is 127 for `-c`, and 1 elsewhere. */
  fatalStatus = 1
  /** `$!` */
  lastBackground: Pid | undefined
  /** `$$`: the pid of the shell that is no subshell. */
  mainPid: Pid
  /** `$_` */
  lastArgument = ""
  subshellDepth = 0
  /** The innermost call. */
  call: Call | undefined
  loopDepth = 0
  /** What leaves what runs, until it has been left. */
  flow: Flow | undefined
  /** Above 0: a command that fails is a condition, and `errexit` looks away. */
  conditional = 0
  /** The commands that traps run, by signal, `EXIT`, `ERR`, `DEBUG` or `RETURN`. An empty one ignores the signal. */
  traps: Map<string, string> = new Map()
  /** Traps of the parent: a subshell shows them until it sets its own. */
  inheritedTraps: ReadonlyMap<string, string> | undefined
  /** Signals that came and whose traps have not run. */
  readonly pending: Array<number> = []
  /** The traps whose commands run: none runs within itself. */
  readonly runningTraps: Set<string> = new Set()
  jobs: Array<Job> = []
  /** Jobs of the parent, which a subshell can only show. */
  parentJobs: ReadonlyArray<Job> = []
  /** How children ended that were waited for by chance. */
  readonly ended: Map<Pid, number> = new Map()
  /** Which descriptor of the process each number means. */
  readonly io: Map<number, number>
  /** Descriptors that children do not get: those of coprocesses. */
  readonly ownDescriptors: Set<number> = new Set()
  /** Descriptors of process substitutions, which the command they stand in closes. */
  readonly connections: Array<number> = []
  source: Source = new Source("")
  /** Where the command that runs stands in {@link source}. */
  at = 0
  /** The command that runs, or ran before a trap: its text is `BASH_COMMAND`. */
  command: { readonly source: Source; readonly start: number; readonly end: number } | undefined
  /** The exit code of the last `$(…)` of the command that runs. */
  substituted: number | undefined
  folders: ReadonlyArray<string> = []
  /** Where `getopts` is within an argument. */
  optionOffset = 0
  /** Which argument `getopts` left off at. */
  optionIndex = 1
  /** Texts that run within each other: `eval`, `source`, traps. */
  nesting = 0
  /** When the shell started, for `SECONDS`. */
  started: bigint

  constructor(system: System, machine: Machine, limits: ShellLimits) {
    this.system = system
    this.machine = machine
    this.limits = limits
    this.mainPid = system.pid
    this.io = new Map(system.descriptors().map((fd) => [fd, fd]))
    this.started = system.monotonic()
    this.#prepare()
  }

  #prepare(): void {
    for (const [name, dynamic] of defaultDynamics(this)) this.variables.dynamic.set(name, dynamic)
    this.variables.limit = this.limits.variables
    this.variables.evaluate = (text) => this.machine.arithmetic(this, text)
    this.variables.keyOf = (name, subscript) => this.machine.key(this, { name, subscript })
  }

  /**
   * A copy, taken now: for a subshell, or for the next run of a session. The process it will run in comes later, hence
   * the function.
   */
  fork(as: "subshell" | "successor" = "subshell"): (system: System) => Shell {
    const sub = as === "subshell"
    const variables = this.variables.clone()
    const dynamic = [...this.variables.dynamic.keys()]
    const { name, positional, status, lastBackground, mainPid, call, command } = this
    const { conditional, source, at, folders, optionOffset, optionIndex, started, lastArgument, limits, machine } = this
    const state = {
      variables,
      name,
      positional,
      status,
      lastBackground,
      started,
      lastArgument,
      command,
      folders,
      optionOffset,
      optionIndex,
    }
    const place = { mainPid, call, conditional, source, at, nesting: this.nesting }
    const names = {
      functions: new Map(this.functions),
      aliases: new Map(this.aliases),
      options: new Set(this.options),
      subshellDepth: this.subshellDepth + (sub ? 1 : 0),
      jobs: sub ? [] : [...this.jobs],
      parentJobs: sub ? [...this.parentJobs, ...this.jobs] : [],
      inheritedTraps: sub ? this.inheritedTraps ?? new Map(this.traps) : undefined,
      traps: new Map(
        [...this.traps].filter(([trap, command]) => !sub || command === "" || keepsTrap(trap, this.options)),
      ),
    }
    return (system) => {
      const copy = new Shell(system, machine, limits)
      Object.assign(copy, state, names, sub ? place : {})
      copy.#prepare()
      for (const made of variables.dynamic.keys()) if (!dynamic.includes(made)) variables.dynamic.delete(made)
      return copy
    }
  }

  /** Becomes a fresh shell for a script, with nothing of its own but variables. */
  startOver(variables: Variables, name: string, positional: ReadonlyArray<string>): void {
    Object.assign(this, { variables, name, positional, functions: new Map(), aliases: new Map(), call: undefined })
    Object.assign(this, {
      options: new Set(defaultOptions),
      traps: new Map(),
      inheritedTraps: undefined,
      subshellDepth: 0,
    })
    Object.assign(this, { mainPid: this.system.pid, conditional: 0, loopDepth: 0, status: 0 })
    this.#prepare()
  }

  /** `$@` */
  get positional(): ReadonlyArray<string> {
    if (this.#shifted > 0) this.positional = this.#positional.slice(this.#shifted)
    return this.#positional
  }

  set positional(words: ReadonlyArray<string>) {
    this.#positional = words
    this.#shifted = 0
  }

  /** `$#` */
  get positionalCount(): number {
    return this.#positional.length - this.#shifted
  }

  /** `$1` is the first. */
  positionalAt(number: number): string | undefined {
    return number < 1 ? undefined : this.#positional[this.#shifted + number - 1]
  }

  /** `shift` */
  shift(count: number): void {
    this.#shifted += count
  }

  /** Whether an option is on. */
  on(option: string): boolean {
    return this.options.has(option)
  }

  /** A trap's command runs. */
  get trapping(): boolean {
    return this.runningTraps.size > 0
  }

  /** How many functions run. */
  get functionDepth(): number {
    return this.call?.functionDepth ?? 0
  }

  /** The calls that run, the innermost first. */
  get calls(): ReadonlyArray<Call> {
    const calls: Array<Call> = []
    for (let call = this.call; call !== undefined; call = call.outer) calls.push(call)
    return calls
  }

  /** A call begins; answers with the one around it, which {@link Shell.call} becomes again when it returns. */
  enterCall(kind: Call["kind"], name: string, source: string, line: number): Call | undefined {
    const outer = this.call
    this.call = {
      kind,
      name,
      source,
      line,
      outer,
      functionDepth: this.functionDepth + (kind === "function" ? 1 : 0),
      options: undefined,
    }
    return outer
  }

  /** The text of the command that runs. */
  get commandText(): string {
    return this.command?.source.text.slice(this.command.start, this.command.end) ?? ""
  }

  /** The line that runs. */
  get line(): number {
    return this.source.lineAt(this.at)
  }

  /** Writes text to one of the script's descriptors; answers with 0 or an errno. */
  print(text: string, fd = 1): Later<number> {
    if (text === "") return 0
    const real = this.io.get(fd)
    return real === undefined ? -Errno.EBADF : this.system.writeAll(real, encodeLossless(text))
  }

  /** Writes what a builtin has to say; answers with its exit code. */
  async say(text: string, exitCode = 0, command = ""): Promise<number> {
    const written = await this.print(text)
    return written < 0 ? await this.complain(`${command}write error: ${errnoText(written)}`) : exitCode
  }

  /** Says on stderr what went wrong; answers with an exit code. */
  async complain(text: string, exitCode = 1): Promise<number> {
    await this.print(`${this.name}: line ${this.line}: ${text}\n`, 2)
    return exitCode
  }

  /** The open file of a number is another from now on; what it was is returned. */
  point(fd: number, real: number | undefined): number | undefined {
    const before = this.io.get(fd)
    this.ownDescriptors.delete(fd)
    if (real === undefined) this.io.delete(fd)
    else this.io.set(fd, real)
    return before
  }

  /** The lowest number from `from` that is free. */
  freeDescriptor(from: number): number {
    let fd = from
    while (this.io.has(fd)) fd++
    return fd
  }

  /** What a child gets: all descriptors, some of them replaced. */
  descriptors(replaced: ReadonlyArray<readonly [number, number]> = []): ReadonlyArray<readonly [number, number]> {
    if (replaced.length === 0 && this.ownDescriptors.size === 0) return [...this.io]
    const table = new Map(this.io)
    for (const fd of this.ownDescriptors) table.delete(fd)
    for (const [fd, real] of replaced) table.set(fd, real)
    return [...table]
  }

  /** The environment of a child. */
  environment(): ReadonlyArray<readonly [string, string]> {
    return this.variables.exported
  }

  /** Programs are looked for where the script says. */
  syncPath(): void {
    const path = this.variables.get("PATH")
    if (path === undefined) this.system.env.delete("PATH")
    else if (this.system.env.get("PATH") !== path) this.system.env.set("PATH", path)
  }
}

/** `ERR` and `DEBUG` go into subshells only when they are told to. */
const keepsTrap = (trap: string, options: ReadonlySet<string>): boolean =>
  (trap === "ERR" && options.has("errtrace")) || ((trap === "DEBUG" || trap === "RETURN") && options.has("functrace"))
