/** Declares the options of every leaf that runs processes and resolves them to settings. */
import * as Duration from "effect/Duration"
import { type DurationInput, durationOf, millisOf } from "../base/duration.ts"
import { requireBooleans, requireCount } from "../base/OptionError.ts"
import type { AdmissionOptions } from "./Admission.ts"

/**
 * Options of a leaf that runs commands.
 *
 * @stability stable
 */
export interface LeafOptions {
  /** Whether commands get the environment of the leaf: that of this process, or of the sandbox. Default: `true`. */
  readonly extendEnv?: boolean | undefined
  /**
   * Maximum number of processes at once. Default: 4. A slot is released when the process has been reaped, whether or not its
   * output has been read. A process that is blocked because its output is not read (a full pipe, 64 KiB on Linux) keeps its
   * slot: if the consumers of all running commands wait for further commands of the same leaf, they wait for each other, until
   * the timeout of these commands. Read the output, or raise the limit.
   */
  readonly maxConcurrency?: number | undefined
  /** Maximum number of commands that wait for a slot, in order; the next one is `Throttled`. Default: 1,000. */
  readonly maxQueued?: number | undefined
  /**
   * Timeout of commands without one, from the spawn; time in the queue is limited to the same length separately. Default: none.
   */
  readonly timeout?: DurationInput | undefined
  /** Time between SIGTERM and SIGKILL for commands without a grace period. Default: 5 s. */
  readonly grace?: DurationInput | undefined
  /**
   * Silence after which a pipe is closed that a background process still holds when the command has exited. Default:
   * 100 ms.
   */
  readonly drainGrace?: DurationInput | undefined
  /** Put `node_modules/.bin` of the working directory and its parents first on PATH. Default: `false`. */
  readonly localBin?: boolean | undefined
}

/** Time between SIGTERM and SIGKILL if neither the command nor the leaf sets one. */
export const defaultGrace: Duration.Duration = Duration.seconds(5)

export const leafOptionNames: Readonly<Record<keyof LeafOptions, true>> = {
  extendEnv: true,
  maxConcurrency: true,
  maxQueued: true,
  timeout: true,
  grace: true,
  drainGrace: true,
  localBin: true,
}

/** The settings with their defaults; times in milliseconds, `Infinity` for none. */
export interface LeafSettings extends AdmissionOptions {
  /** Whether commands inherit the environment of this process. */
  readonly extendEnv: boolean
  /** Timeout of commands without one. */
  readonly timeoutMillis: number
  /** Time between SIGTERM and SIGKILL. */
  readonly grace: Duration.Duration
  /** Silence after which pipes are closed once the command has exited. */
  readonly drainGraceMillis: number
  /** Whether `node_modules/.bin` is searched first. */
  readonly localBin: boolean
}

/**
 * Fills in the defaults.
 *
 * @throws {OptionError} for an option that is not a time span, or a limit under which no command would ever run.
 *
 * @example
 * ```ts
 * import { resolveLeafSettings } from "@sluice/shell/leaf"
 *
 * const settings = resolveLeafSettings("my leaf", { drainGrace: "1 second" })
 * console.log(settings.maxConcurrency, settings.drainGraceMillis) // 4 1000
 * ```
 */
export const resolveLeafSettings = (leaf: string, options: LeafOptions): LeafSettings => {
  const { extendEnv = true, localBin = false } = options
  requireBooleans(leaf, { extendEnv, localBin })
  return {
    extendEnv: extendEnv,
    maxConcurrency: requireCount(leaf, "maxConcurrency", options.maxConcurrency ?? 4, { min: 1 }),
    maxQueued: requireCount(leaf, "maxQueued", options.maxQueued ?? 1_000, { min: 0 }),
    timeoutMillis: options.timeout === undefined ? Infinity : millisOf("timeout", options.timeout),
    grace: durationOf("grace", options.grace ?? defaultGrace),
    drainGraceMillis: millisOf("drainGrace", options.drainGrace ?? 100),
    localBin,
  }
}
