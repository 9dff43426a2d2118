/**
 * Holds the state of a shell: copies it for subshells, which are separate processes, and for the next run of a session;
 * resets it for a script file; writes output and error messages.
 */
import type * as Tree from "../../shell-language/SyntaxTree.ts"
import { Errno, errnoText } from "../Errno.ts"
import type { OpenOptions } from "../FileSystem.ts"
import type { Later, Pid, System } from "../System.ts"
import type { Call, Job, PendingJump, ShellFunction } from "./Call.ts"
import { DescriptorTable } from "./DescriptorTable.ts"
import { PositionalParameters } from "./PositionalParameters.ts"
import { printCommand } from "./printCommand.ts"
import { ScriptSource } from "./ScriptSource.ts"
import type { ShellLimitSettings } from "./ShellLimits.ts"
import { defaultOptions } from "./shellOptions.ts"
import type { AssignmentTarget } from "./Variable.ts"
import { type DynamicVariable, type SubscriptedName, Variables } from "./Variables.ts"
import { writeText } from "./writeText.ts"

/** A builtin; its name is the first argument. `arrays` has the arguments that assign a whole array, by index. */
export type Builtin = (
  shell: Shell,
  args: ReadonlyArray<string>,
  arrays: ReadonlyMap<number, Tree.Assignment>,
) => Later<number>

/** The operations of a shell that depend on each other, passed to it so that their files need not import each other. */
export interface Interpreter {
  readonly builtins: ReadonlyMap<string, Builtin>
  /** Whether a script itself may open a file: by a redirection, `$(<file)` or `source`. Default: it may. */
  readonly mayOpen?: ((path: string, options: OpenOptions, cwd: string) => boolean) | undefined
  readonly substitute: (shell: Shell, node: Tree.CommandSubstitution) => Later<string>
  /** Starts `<(…)` and returns its path. */
  readonly connect: (shell: Shell, node: Tree.ProcessSubstitution) => string
  /** Runs a text: `eval`, `source`, a trap. */
  readonly run: (shell: Shell, text: string, source?: ScriptSource) => Promise<number>
  /** Runs a command whose words are expanded: `command`, `builtin`. */
  readonly invoke: (
    shell: Shell,
    words: ReadonlyArray<string>,
    as: { readonly functions: boolean; readonly builtins: boolean; readonly programs: boolean },
  ) => Promise<number>
  /** Assigns to a variable: `declare a=(1 2)`. */
  readonly assign: (shell: Shell, assignment: Tree.Assignment, target: AssignmentTarget) => Later<void>
  readonly list: (shell: Shell, statements: ReadonlyArray<Tree.AndOr>) => Promise<number>
  readonly command: (shell: Shell, node: Tree.Command) => Later<number>
  /** Runs one command in a subshell that exists for it alone. */
  readonly stage: (shell: Shell, node: Tree.Command) => Later<number>
  /** Returns the key for the text of a subscript when a name reference is resolved. */
  readonly key: (shell: Shell, place: SubscriptedName) => string
  readonly dynamicVariables: (shell: Shell) => ReadonlyArray<readonly [string, DynamicVariable]>
  readonly arithmetic: (shell: Shell, text: string) => bigint
}

export class Shell {
  readonly system: System
  readonly interpreter: Interpreter
  readonly limits: ShellLimitSettings
  variables: Variables = new Variables()
  functions: Map<string, ShellFunction> = new Map()
  aliases: Map<string, string> = new Map()
  /** The entries that `history` stored. */
  history: ReadonlyArray<string> = []
  /** The options of `complete` for each command. */
  completions: ReadonlyMap<string, string> = new Map()
  options: Set<string> = new Set(defaultOptions)
  /** `$0` */
  name = "sh"
  positional: PositionalParameters = new PositionalParameters()
  /** `$?` */
  status = 0
  pipeStatus: ReadonlyArray<number> = []
  /** Whether it runs a text such as that of `-c`, rather than a file or a subshell. */
  runsText = false
  /** `$!` */
  lastBackground: Pid | undefined
  /** `$$`, which is the same in subshells. */
  mainPid: Pid
  /** `$_` */
  lastArgument = ""
  subshellDepth = 0
  call: Call | undefined
  loopDepth = 0
  /** Iterations of the innermost loop. */
  iterations = 0
  /** Simple commands that it and its subshells have run. */
  usage: { commands: number } = { commands: 0 }
  /** A jump that has not reached its destination. */
  pendingJump: PendingJump | undefined
  /** Above 0 while a condition runs, in which `errexit` ignores failures. */
  conditionDepth = 0
  /** The commands of traps by signal name, `EXIT`, `ERR`, `DEBUG` or `RETURN`. An empty command ignores the signal. */
  traps: Map<string, string> = new Map()
  /** The traps of the parent, which a subshell lists until it sets its own. */
  inheritedTraps: ReadonlyMap<string, string> | undefined
  /** Signals whose traps have not run yet. */
  readonly pendingSignals: Array<number> = []
  /** The traps that are running; a trap does not run within itself. */
  readonly runningTraps: Set<string> = new Set()
  jobs: Array<Job> = []
  /** The jobs of the parent, which a subshell can only list. */
  parentJobs: ReadonlyArray<Job> = []
  /** Exit codes of children that were reaped before the script waited for them. */
  readonly childExits: Map<Pid, number> = new Map()
  readonly descriptors: DescriptorTable
  /** Descriptors of process substitutions, which are closed after their command. */
  readonly substitutionDescriptors: Array<number> = []
  /** Whether the running command has a stdin of its own, by a redirection or a pipe. */
  ownsStdin = false
  source: ScriptSource = new ScriptSource("")
  /** Position of the running command in {@link source}. */
  position = 0
  /** The command that runs, or that ran before a trap: its text is `BASH_COMMAND`. */
  command: { readonly source: ScriptSource; readonly start: number; readonly end: number } | undefined
  /** The exit code of the last `$(…)` of the running command. */
  substitutionStatus: number | undefined
  directoryStack: ReadonlyArray<string> = []
  /** The position of `getopts` within an argument. */
  optionOffset = 0
  /** The argument at which `getopts` continues. */
  optionIndex = 1
  /** Nesting depth of texts that are run: `eval`, `source`, traps. */
  textDepth = 0
  /** The start of the shell on the monotonic clock, for `SECONDS`. */
  startedAt: bigint

  constructor(system: System, interpreter: Interpreter, limits: ShellLimitSettings) {
    this.system = system
    this.interpreter = interpreter
    this.limits = limits
    this.mainPid = system.pid
    this.descriptors = new DescriptorTable(system.descriptors())
    this.startedAt = system.monotonic()
    this.#connectVariables()
  }

  #connectVariables(): void {
    for (const [name, dynamic] of this.interpreter.dynamicVariables(this)) this.variables.dynamic.set(name, dynamic)
    this.variables.limit = this.limits.maxVariablesLength
    this.variables.hold = (bytes) => this.system.holdValues(bytes)
    this.variables.evaluate = (text) => this.interpreter.arithmetic(this, text)
    this.variables.keyOf = (name, subscript) => this.interpreter.key(this, { name, subscript })
  }

  /**
   * Copies the current state, for a subshell or the next run of a session. Returns a function because the process of
   * the copy is made later.
   */
  fork(as: "subshell" | "successor" = "subshell"): ShellFork {
    const isSubshell = as === "subshell"
    const dynamic = new Set(this.variables.dynamic.keys())
    const tables = copyTables(this)
    const traps = new Map(
      [...this.traps].filter(([trap, command]) => !isSubshell || command === "" || keepsTrap(trap, this.options)),
    )
    const state = {
      ...Object.fromEntries((isSubshell ? subshellFields : successorFields).map((field) => [field, this[field]])),
      ...tables,
      subshellDepth: this.subshellDepth + (isSubshell ? 1 : 0),
      jobs: isSubshell ? [] : [...this.jobs],
      parentJobs: isSubshell ? [...this.parentJobs, ...this.jobs] : [],
      inheritedTraps: isSubshell ? this.inheritedTraps ?? new Map(this.traps) : undefined,
      traps,
    }
    const { directoryStack, interpreter, lastArgument, limits, name, optionIndex, optionOffset, status } = this
    return Object.assign(
      (system: System) => {
        // A fork of the session continues from the same state.
        const own = isSubshell ? state : { ...state, ...copyTables(state), traps: new Map(state.traps) }
        return Shell.resume(system, interpreter, limits, own, dynamic)
      },
      { kept: { ...tables, traps, dynamic, directoryStack, lastArgument, name, optionIndex, optionOffset, status } },
    )
  }

  /** Makes a shell with some state. `dynamic`: names of the computed variables that it has. */
  static resume(
    system: System,
    interpreter: Interpreter,
    limits: ShellLimitSettings,
    state: Partial<Shell>,
    dynamic: ReadonlySet<string>,
  ): Shell {
    const shell: Shell = Object.assign(new Shell(system, interpreter, limits), state)
    shell.#connectVariables()
    for (const name of shell.variables.dynamic.keys()) if (!dynamic.has(name)) shell.variables.dynamic.delete(name)
    return shell
  }

  /** Resets the shell to run a script file, with nothing but the given variables. */
  reset(variables: Variables, name: string, positional: PositionalParameters): void {
    const state: Partial<Shell> = {
      variables,
      name,
      positional,
      functions: new Map(),
      aliases: new Map(),
      history: [],
      completions: new Map(),
      call: undefined,
      options: new Set(defaultOptions),
      traps: new Map(),
      inheritedTraps: undefined,
      subshellDepth: 0,
      mainPid: this.system.pid,
      conditionDepth: 0,
      loopDepth: 0,
      status: 0,
    }
    Object.assign(this, state)
    this.#connectVariables()
  }

  hasOption(option: string): boolean {
    return this.options.has(option)
  }

  get isRunningTrap(): boolean {
    return this.runningTraps.size > 0
  }

  get functionDepth(): number {
    return this.call?.functionDepth ?? 0
  }

  get calls(): ReadonlyArray<Call> {
    const calls: Array<Call> = []
    for (let call = this.call; call !== undefined; call = call.outer) calls.push(call)
    return calls
  }

  /** Begins a call and returns the one around it, to be assigned to {@link call} on return. */
  enterCall(kind: Call["kind"], name: string, source: string, line: number): Call | undefined {
    const outer = this.call
    const functionDepth = this.functionDepth + (kind === "function" ? 1 : 0)
    this.call = { kind, name, source, line, outer, functionDepth, options: undefined }
    return outer
  }

  /** Exit code after an unset parameter ends the shell, as in bash. */
  get fatalStatus(): number {
    return this.runsText && !this.hasOption("errexit") ? 127 : 1
  }

  get commandText(): string {
    return this.command === undefined
      ? ""
      : printCommand(this.command.source.text.slice(this.command.start, this.command.end))
  }

  get line(): number {
    return this.source.lineAt(this.position)
  }

  /** Writes text to one of the script's descriptors; returns 0 or a negated errno. */
  print(text: string, fd = 1): Later<number> {
    if (text === "") return 0
    const real = this.descriptors.get(fd)
    return real === undefined ? -Errno.EBADF : writeText(this.system, real, text)
  }

  /** Writes the output of a builtin; returns its exit code. */
  async writeOutput(text: string): Promise<number> {
    const written = await this.print(text)
    return written < 0 ? await this.reportError(`write error: ${errnoText(written)}`) : 0
  }

  /** Writes an error message to stderr; returns an exit code. */
  async reportError(text: string, exitCode = 1): Promise<number> {
    await this.print(`${this.name}: line ${this.line}: ${text}\n`, 2)
    return exitCode
  }

  /** Copies `PATH` to the process, which looks programs up in it. */
  syncPath(): void {
    const path = this.variables.get("PATH")
    if (path === undefined) this.system.env.delete("PATH")
    else if (this.system.env.get("PATH") !== path) this.system.env.set("PATH", path)
  }
}

/** Starts a copy of a shell, in a process of its own. */
export interface ShellFork {
  (system: System): Shell
  /** The state that a copy starts with, except for the parts that depend on processes. */
  readonly kept: KeptShell
}

/** The state of a shell without its processes. */
export interface KeptShell extends
  Pick<
    Shell,
    | "aliases"
    | "directoryStack"
    | "functions"
    | "lastArgument"
    | "name"
    | "optionIndex"
    | "optionOffset"
    | "options"
    | "positional"
    | "status"
    | "traps"
    | "variables"
  > {
  /** Names of the computed variables that were not unset. */
  readonly dynamic: ReadonlySet<string>
}

/** Fields that the next run of a session copies. */
const successorFields = [
  ...["name", "status", "lastBackground", "startedAt", "lastArgument"] as const,
  ...["command", "directoryStack", "optionOffset", "optionIndex", "history", "completions"] as const,
]

const subshellFields = [
  ...successorFields,
  ...["mainPid", "call", "conditionDepth", "source", "position", "textDepth", "usage"] as const,
]

/** Whether a subshell inherits a trap: `ERR`, `DEBUG` and `RETURN` only with their option. */
const keepsTrap = (trap: string, options: ReadonlySet<string>): boolean =>
  (trap === "ERR" && options.has("errtrace")) || ((trap === "DEBUG" || trap === "RETURN") && options.has("functrace"))

export const copyTables = (
  { aliases, functions, options, positional, variables }: Pick<
    Shell,
    "aliases" | "functions" | "options" | "positional" | "variables"
  >,
): Pick<Shell, "aliases" | "functions" | "options" | "positional" | "variables"> => ({
  variables: variables.clone(),
  positional: new PositionalParameters(positional.words),
  functions: new Map(functions),
  aliases: new Map(aliases),
  options: new Set(options),
})
