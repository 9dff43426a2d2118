/** Keeps the state of a shell from one run to the next; each run is a process of its own. */
import type { Program, System } from "../System.ts"
import { setTrap } from "./builtins/trap.ts"
import { reapChildren, runToExit } from "./processes.ts"
import { copyTables, type Interpreter, type KeptShell, Shell } from "./Shell.ts"
import { resolveShellLimits, type ShellLimitSettings } from "./ShellLimits.ts"
import { boundInterpreter, makeShell, type ShellProgramOptions } from "./ShellProgram.ts"
import { Variables } from "./Variables.ts"

/**
 * The state of a shell that is stored.
 *
 * @internal
 */
export interface SavedShell extends KeptShell {
  readonly umask: number
  /** Nanoseconds since it was started, for `SECONDS`. */
  readonly elapsed: bigint
}

/**
 * The state of a shell between runs. A run that is killed does not change it. Descriptors that `exec` opens are closed at
 * the end of their run.
 *
 * @example
 * ```ts
 * import { FileSystem, Kernel, OpenFile, ShellProgram } from "@sluice/shell/kernel"
 *
 * const kernel = Kernel.make({ fileSystem: FileSystem.VirtualFileSystem.make({ now: () => 0n }), programs: {} })
 * const session = new ShellProgram.ShellSession()
 * const run = async (script: string) => {
 *   const stdout = new OpenFile.BufferFile()
 *   const fds = { 0: new OpenFile.NullFile(), 1: stdout, 2: new OpenFile.NullFile() }
 *   const shell = kernel.start({ program: session.program(script), args: ["sh"], fds })
 *   if (typeof shell === "number") throw new Error(`errno ${-shell}`)
 *   await shell.exited
 *   return stdout.text
 * }
 * await run("greet() { echo \"$greeting, $1\"; }; greeting=hello")
 * console.log(await run("greet world")) // hello, world
 * ```
 */
export class ShellSession {
  #limits: ShellLimitSettings
  #next: ((system: System) => Shell) | undefined
  #status = 0
  #cwd: string | undefined
  #environment: ReadonlyArray<readonly [string, string]> = []
  #saved: SavedShell | undefined
  #variables: Variables = new Variables()
  #interpreter: Interpreter

  /** Throws an `OptionError` for a limit that is unknown or not a whole number. */
  constructor(options: ShellProgramOptions = {}) {
    this.#limits = resolveShellLimits(options.limits)
    this.#interpreter = boundInterpreter(options)
  }

  /**
   * Makes a session that starts with the state of this one, also for another kernel. It has no jobs, because their
   * processes belong to this session. Must not be called during a run, whose changes it would miss.
   */
  fork(): ShellSession {
    const copy = new ShellSession()
    copy.#limits = this.#limits
    copy.#interpreter = this.#interpreter
    copy.#status = this.#status
    copy.#cwd = this.#cwd
    copy.#environment = this.#environment
    copy.#saved = this.#saved
    copy.#variables = this.#variables
    const next = this.#next
    if (next !== undefined) copy.#next = (system) => Object.assign(next(system), { jobs: [] })
    return copy
  }

  /** The exit code of the last run. */
  get status(): number {
    return this.#status
  }

  /** The working directory after the last run; `undefined` before the first. */
  get cwd(): string | undefined {
    return this.#cwd
  }

  /** The exported variables after the last run. */
  get environment(): ReadonlyArray<readonly [string, string]> {
    return this.#environment
  }

  /** The values of all variables after the last run that are not arrays, exported or not. */
  get variables(): Readonly<Record<string, string>> {
    return this.#variables.scalars
  }

  #keep(shell: Shell, umask: number): void {
    reapChildren(shell)
    // Jobs continue between runs; their exit codes are kept for the next run.
    for (const job of shell.jobs) {
      if (job.exitCode === undefined) shell.system.watch(job.pid, ({ exitCode }) => void (job.exitCode = exitCode))
    }
    const successor = shell.fork("successor")
    this.#next = (system) => {
      system.umask(umask)
      return successor(system)
    }
    this.#saved = { ...successor.kept, umask, elapsed: shell.system.monotonic() - shell.startedAt }
  }

  /**
   * The state between two runs, to be stored; `undefined` before the first run.
   *
   * @internal
   */
  get saved(): (SavedShell & { readonly cwd: string | undefined }) | undefined {
    return this.#saved && { ...this.#saved, cwd: this.#cwd }
  }

  /**
   * Continues with a stored state, or without one as before the first run. A run that has already started replaces this
   * state at its end.
   *
   * @internal
   */
  load(saved: (SavedShell & { readonly cwd: string | undefined }) | undefined): void {
    if (saved === undefined) {
      this.#saved = this.#next = this.#cwd = undefined
      this.#environment = []
      this.#variables = new Variables()
      return
    }
    const { cwd, dynamic, elapsed, umask, ...state } = saved
    this.#saved = saved
    this.#status = saved.status
    this.#cwd = cwd
    this.#environment = saved.variables.exported
    this.#variables = saved.variables
    this.#next = (system) => {
      system.umask(umask)
      const startedAt = system.monotonic() - elapsed
      return Shell.resume(system, this.#interpreter, this.#limits, {
        ...state,
        ...copyTables(state),
        traps: new Map(state.traps),
        startedAt,
      }, dynamic)
    }
  }

  /** The limits of its shells. @internal */
  get limits(): ShellLimitSettings {
    return this.#limits
  }

  /** Returns a program that runs a script in this session. `exit` ends the run, not the session. */
  program(script: string): Program {
    return async (system) => {
      const shell = this.#next?.(system) ?? makeShell(system, this.#limits, this.#interpreter)
      // The state is kept first, so that a killed run does not change that of the next one.
      this.#keep(shell, system.umask())
      shell.runsText = true
      shell.name = system.args[0] ?? shell.name
      if (this.#cwd !== undefined) system.changeDirectory(this.#cwd)
      for (const [name, command] of shell.traps) setTrap(shell, name, command)
      let umask = 0
      const status = await runToExit(shell, async () => {
        const done = await shell.interpreter.run(shell, script)
        umask = system.umask()
        return done
      })
      shell.status = this.#status = status
      this.#cwd = shell.system.cwd
      this.#environment = shell.variables.exported
      this.#variables = shell.variables
      this.#keep(shell, umask)
      return status
    }
  }
}
