/** Declares what the contract suite needs to know about a leaf, and helpers of its tests. */
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type OptionError, Shell, ShellExec, type ShellExecOptions, type ShellFault } from "@sluice/shell"
import type { LeafRunOptions } from "@sluice/shell/leaf"
import type { ShellOutput, ShellOutputChunk } from "@sluice/shell"
import type { DurationInput } from "../../../src/base/duration.ts"

/** Settings of a leaf that the contract knows. */
export interface ContractSettings {
  readonly cwd?: string
  readonly extendEnv?: boolean
  readonly maxConcurrency?: number
  readonly maxQueued?: number
  readonly timeout?: DurationInput
  readonly grace?: DurationInput
  readonly drainGrace?: DurationInput
  readonly localBin?: boolean
  readonly defaultShell?: string
}

/** What a leaf can do. What it cannot is not tested, and said so in the title that is left out. */
export interface ContractFlags {
  /** Commands run on a machine that has programs, directories, an environment and limits of its own. Default: `true`. */
  readonly machine?: boolean
  /** A secret that a command prints is in its output; a recording leaves it out. Default: `true`. */
  readonly secrets?: boolean
  /** A command may have secrets; one that goes through a journal may not. Default: `true`. */
  readonly secretWords?: boolean
  /** A command may read a stream of bytes; one that goes through a journal cannot. Default: `true`. */
  readonly stdinStreams?: boolean
  /** Commands are admitted in the order of their calls; several connections have no order. Default: `true`. */
  readonly inOrder?: boolean
  /** A process may send and catch signals, and ends by them. Default: `true`. */
  readonly signals?: boolean
  /** Files are programs by their mode, and may name their interpreter after `#!`. Default: `true`. */
  readonly scriptFiles?: boolean
  /** Directories may be symbolic links. Default: `true`. */
  readonly links?: boolean
  /** Starting a process costs so little that it may be done hundreds of times. Default: `true`. */
  readonly quickStart?: boolean
  /** Commands see the files of the test, at the same paths. */
  readonly files: boolean
  /** A command's descendants end with it. Shown by their heartbeats: needs `files`. */
  readonly trees: boolean
  /** What a command starts in the background lives on when the command has ended. Default: `true`. */
  readonly background?: boolean
  /** Those too that left their session and lost their parent. */
  readonly escapees: boolean
  /** Even those whose every generation starts the next and dies. */
  readonly runaways: boolean
  /** Output is pulled: a slow consumer slows the command down. Needs `files`. */
  readonly backPressure: boolean
  /** An end by SIGINT or SIGPIPE differs from the exit codes 130 and 141: shells do not tell. Default: `true`. */
  readonly silentSignals?: boolean
  /** Resource limits are enforced. */
  readonly limits: boolean
  /** Times are those of the program's Clock. */
  readonly clock: boolean
  /** Programs are looked for in the PATH of the child, relative ones from where the caller stands. Needs `files`. */
  readonly resolvesPath: boolean
}

export interface ContractTarget {
  readonly layer: (settings: ContractSettings) => Layer.Layer<Shell, OptionError>
  readonly can: ContractFlags
  /**
   * Whether it is asked each exit code and each cut of a character. Leaves that hand on what another gives are asked some.
   * Default: `false`.
   */
  readonly everyCase?: boolean
  /** Whether its promises are kept several at a time. Default: `true`. */
  readonly concurrent?: boolean
  /** Where the programs that have a path in the contract are. Default: where POSIX systems have them. */
  readonly programs?: { readonly sh: string; readonly env: string; readonly true: string }
  /** A path as the leaf writes it in events. Default: as it stands. */
  readonly canonical?: (path: string) => string
  /** Names of variables that the system gives each process, asked or not. Default: none. */
  readonly systemVariables?: RegExp
  /** Buffers of 64 KiB that may lie between a command and its consumer, beside those of the local leaf. Default: 0. */
  readonly buffers?: number
  /** The parts that it makes sense to ask of it. Default: all that its flags allow. */
  readonly parts?: ReadonlyArray<string>
  /** The parts that most runs ask, where the others cost much; the run that writes `docs/leaves.md` asks all. Default: all. */
  readonly usualParts?: ReadonlyArray<string>
  /**
   * Why it lacks a flag or a part, for each that it lacks: `docs/leaves.md` says it. Without any the leaf is no column of that
   * page: another run of the contract is.
   */
  readonly because?: Because
}

/** Reasons by flag, and by part where no flag says why it is left out. */
export type Because = Readonly<Record<string, string>>

/** A time within which a command that writes at once has written: more where programs start slowly. */
export const startMillis = ({ quickStart }: ContractFlags, millis: number): number =>
  quickStart === false ? millis * 5 : millis

/** One promise of the contract, kept in real time. */
export type Test = (
  title: string,
  promise: () => Effect.Effect<unknown, unknown, Shell | Scope.Scope>,
  settings?: ContractSettings,
) => void

/** A part of the contract. */
export type Part = (test: Test, target: ContractTarget) => void

/** Where POSIX systems have the programs of the contract. */
export const posixPrograms = { sh: "/bin/sh", env: "/usr/bin/env", true: "/bin/true" }

export const testOf = (target: ContractTarget): Test => (title, promise, settings = {}) =>
  it.live(title, () => Effect.provide(promise(), target.layer(settings)))

/** One promise of the contract, kept by a clock that the test moves. */
export const clockTestOf = (target: ContractTarget): Test => (title, promise, settings = {}) =>
  it.effect(title, () => Effect.provide(promise(), target.layer(settings)))

export interface Ran {
  readonly chunks: ReadonlyArray<ShellOutputChunk>
  readonly output: ShellOutput
}

/** A script for the shell. */
export const sh = (script: string, options?: ShellExecOptions): ShellExec => ShellExec.shell(script, options)

/** Runs a command to its end. That the last element is the output, and the only one, is part of the contract. */
export const run = (exec: ShellExec, options?: LeafRunOptions): Effect.Effect<Ran, ShellFault, Shell> =>
  Effect.map(Stream.runCollect(Shell.exec(exec, options)), (events) => {
    const chunks = events.filter((event) => event._tag === "ShellOutputChunk")
    const output = events.at(-1)
    if (output?._tag !== "ShellOutput") throw new Error("a run ends with its ShellOutput")
    if (chunks.length !== events.length - 1) throw new Error("a run has one ShellOutput")
    return { chunks, output }
  })

/** The whole output, as text. */
export const whole = (exec: ShellExec, options?: LeafRunOptions): Effect.Effect<ShellOutput, ShellFault, Shell> =>
  Effect.map(run(new ShellExec({ ...exec, streamOutput: false }), options), ({ output }) => output)

/** The fault of a command that must have one. */
export const faultOf = (exec: ShellExec, options?: LeafRunOptions): Effect.Effect<ShellFault, Ran, Shell> =>
  Effect.flip(run(exec, options))

/** What was written on a stream, put together. */
export const textOf = (chunks: ReadonlyArray<ShellOutputChunk>, stream: "stdout" | "stderr" = "stdout"): string =>
  chunks.filter((chunk) => chunk.stream === stream).map((chunk) => chunk.content).join("")

/** Lines of a script that wait for a file; at most about 15 s, so that nothing stays behind. */
export const awaitFile = (path: string): string =>
  `i=0; while [ ! -e '${path}' ] && [ $i -lt 1500 ]; do sleep 0.01; i=$((i + 1)); done`
