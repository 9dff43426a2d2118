/** Runs one script in the kernel's shell, whose programs are commands on a leaf, and ends all of them with it. */
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { reveal } from "../command/plain/secret.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import { ShellFault } from "../command/plain/ShellFault.ts"
import { Errno, errnoName } from "../kernel/Errno.ts"
import { Kernel } from "../kernel/mod.ts"
import type { ProgramRequest, ProgramResolver, ResolvedProgram } from "../kernel/process/Programs.ts"
import type { Process } from "../kernel/process/Process.ts"
import { shellProgram } from "../kernel/shell/ShellProgram.ts"
import { type Program, Signal } from "../kernel/System.ts"
import { defaultGrace } from "../shell/LeafOptions.ts"
import type { ExitFault, SpawnedProcess } from "../shell/SpawnedProcess.ts"
import type { TurnGate } from "../shell/TurnGate.ts"
import { type CommandHost, hostProgram, type ScriptLeaf } from "./HostProgram.ts"
import { retained, startKernelProcess } from "./kernelProcess.ts"
import { watchMemory } from "./MemoryWatch.ts"
import type { ScriptPlan } from "./ScriptPlan.ts"
import { ScriptSlot } from "./ScriptSlot.ts"

/** The name that a script has for its shell: `$0`, and the start of its messages. */
const shellName = "bash"

/** The script of a program and its arguments, which are data to it. */
const runWords = 'exec -- "$@"'

const argumentsOf = ({ arguments: words, command, useShell }: ShellExec): ReadonlyArray<string> => {
  const start = useShell ? [command, shellName] : [runWords, shellName, command]
  return [shellName, "-c", ...start, ...words.map((word) => reveal(word) ?? "")]
}

/** Time in milliseconds after which nothing of a script still runs, whatever it left in the background. */
const maxRunMillis = ({ grace = defaultGrace, timeout }: ShellExec): number =>
  timeout === undefined ? Infinity : Duration.toMillis(timeout) + Duration.toMillis(grace)

const outOfMemory: ExitFault = {
  reason: { _tag: "ResourceExhausted", resource: "memory", code: "ENOMEM" },
  message: "exec: the script was ended: this process is nearly out of memory, and this script uses the most (ENOMEM)",
}

export class ScriptRun implements ProgramResolver, CommandHost {
  readonly leaf: ScriptLeaf
  readonly slot: ScriptSlot
  readonly gate: TurnGate
  readonly #context: Context.Context<never>
  readonly #commands = new Set<Fiber.Fiber<unknown, unknown>>()
  #endAll: () => void = () => {}
  #fault: ExitFault | undefined
  #plan: ScriptPlan | undefined

  /** `takesSlot`: whether its commands count toward the concurrency limit of the leaf. */
  constructor(leaf: ScriptLeaf, gate: TurnGate, takesSlot: boolean, context: Context.Context<never>) {
    this.leaf = leaf
    this.gate = gate
    this.slot = new ScriptSlot(takesSlot)
    this.#context = context
  }

  get names(): ReadonlyArray<string> {
    return this.#plan?.names ?? []
  }

  which(name: string, at: { readonly path: string }, path?: string): string | number {
    return this.#plan?.which(name, at.path, path) ?? -Errno.ENOENT
  }

  forbids(): boolean {
    return false
  }

  resolve(request: ProgramRequest): ResolvedProgram | number {
    if (this.#fault !== undefined || this.#plan === undefined) return -Errno.EACCES
    const decision = this.#plan.start(request)
    switch (decision._tag) {
      case "Command":
        return { path: decision.path, source: hostProgram(this, decision), script: [] }
      case "Program":
        return { path: decision.path, source: decision.program, script: [] }
      case "Missing":
        return -Errno.ENOENT
      case "Denied":
        return -Errno.EACCES
      case "Refused":
        this.fail(decision.fault)
        return -Errno.EACCES
    }
  }

  /**
   * Isolated commands have a `/proc` of their own, and on another machine our process id belongs to another process.
   */
  get sharesProc(): boolean {
    return this.#plan?.hasFiles !== false && !this.leaf.capabilities.isolated
  }

  isFile(path: string, process: Process): boolean | undefined {
    return this.#plan?.hasFiles === false ? undefined : typeof process.stat(path) === "object"
  }

  /** Ends the script with a fault; the first one counts. */
  fail(fault: ExitFault): void {
    if (this.#fault !== undefined) return
    this.#fault = fault
    this.#endAll()
  }

  /** Runs an Effect of a command until it has ended; closing the script waits for it. */
  fork<A, E>(effect: Effect.Effect<A, E>): Fiber.Fiber<A, E> {
    const fiber = Effect.runForkWith(this.#context)(effect)
    this.#commands.add(fiber)
    fiber.addObserver(() => void this.#commands.delete(fiber))
    return fiber
  }

  /** Starts the script, or a program with its arguments as the only one of a script. */
  start(exec: ShellExec, plan: ScriptPlan, stdin: boolean): Effect.Effect<SpawnedProcess, ShellFault> {
    this.#plan = plan
    const { cwd, fileSystem, hasBuiltin, refuseOpen, umask } = plan
    // Options of the shell come from the script alone, not from the environment of this process.
    const env = [...plan.env].filter(([name]) => name !== "SHELLOPTS" && name !== "BASHOPTS")
    const kernel = Kernel.make({ fileSystem, programs: {}, resolver: this })
    const shell = shellProgram({
      hasBuiltin,
      mayOpen: (path, options, at) => {
        const refused = refuseOpen(path, options, at)
        if (refused !== undefined) this.fail(refused)
        return refused === undefined
      },
    })
    const program: Program = (system) => {
      if (umask !== undefined) system.umask(umask)
      return shell(system)
    }
    const args = argumentsOf(exec)
    const started = startKernelProcess(
      kernel,
      { stdin, merged: exec.mergeStreams === true },
      (fds) => kernel.start({ program, args, env, cwd, fds: retained(fds), timeout: maxRunMillis(exec) }),
    )
    if (typeof started === "number") return Effect.fail(this.#notStarted(exec, started))
    const { handle, pid: _, ...process } = started
    this.#endAll = () => handle.endAll(Signal.SIGKILL)
    const unwatch = watchMemory({ busyMillis: () => kernel.busyMillis, end: () => this.fail(outOfMemory) })
    return Effect.succeed({
      ...process,
      executable: shellName,
      onExit: (done) =>
        process.onExit((status) => done(this.#fault === undefined ? status : { ...status, fault: this.#fault })),
      terminate: (grace) =>
        process.terminate(grace).pipe(
          Effect.andThen(Effect.suspend(() => Fiber.awaitAll([...this.#commands]))),
          Effect.as([]),
        ),
      release: () => {
        unwatch()
        kernel.close()
        // This ends its background jobs, which must not outlive the script.
        return this.#commands.size === 0
          ? undefined
          : Effect.runPromiseWith(this.#context)(Effect.asVoid(Fiber.awaitAll([...this.#commands])))
      },
    })
  }

  #notStarted(exec: ShellExec, errno: number): ShellFault {
    const code = errnoName(errno)
    return ShellFault.because(
      exec.commandId,
      errno === -Errno.E2BIG ? { _tag: "InvalidRequest", field: "command", code } : { _tag: "Unknown", code },
      `exec: the script could not be started: ${errno === -Errno.E2BIG ? "it is too long" : code} (${code})`,
    )
  }
}
