/**
 * Declares the options of a mock shell and fills in their defaults.
 *
 * @module
 */
import type * as Duration from "effect/Duration"
import { type DurationInput, durationOf, millisOf } from "../../base/duration.ts"
import { refuseUnknownOptions, requireCount } from "../../base/OptionError.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import type { AdmissionOptions } from "../../shell/Admission.ts"
import type { ShellCapabilities } from "../../shell/ShellCapabilities.ts"

/**
 * Options of a mock shell. Those that a local leaf has too have the same defaults.
 *
 * @example
 * ```ts
 * import { cmd, Shell } from "@sluice/shell"
 * import { MockRun, MockShell } from "@sluice/shell/testing"
 * import { Effect } from "effect"
 *
 * const script = [MockShell.on("test", MockRun.exit(0)), MockShell.on("deploy", MockRun.exit(0))]
 * const shell = MockShell.layerWith(script, { ordered: true, timeout: "1 second" })
 * const fault = await Effect.runPromise(Shell.run(cmd`deploy`).pipe(Effect.flip, Effect.provide(shell)))
 * console.assert(fault.message.includes("EUNSCRIPTED"))
 * ```
 *
 * @stability stable
 */
export interface MockShellOptions {
  /** Requires the commands to come in the order of the rules, each rule once. Default: `false`. */
  readonly ordered?: boolean | undefined
  /** Maximum number of commands that run at once. Default: 4. */
  readonly concurrencyLimit?: number | undefined
  /** Maximum number of commands that wait, in order, to run; the next one is `Throttled`. Default: 1,000. */
  readonly queueLimit?: number | undefined
  /** Timeout of commands without one. Default: none. */
  readonly timeout?: DurationInput | undefined
  /** Time between SIGTERM and SIGKILL for commands without a grace period. Default: 5 s. */
  readonly grace?: DurationInput | undefined
  /** Silence after which a pipe is released that a background process still holds. Default: 100 ms. */
  readonly drainGrace?: DurationInput | undefined
  /** Path of the executable in events. Default: the command itself; for a script the system's shell. */
  readonly executable?: ((exec: ShellExec) => string) | undefined
  /** Capabilities of the leaf. Default: `leaf: "mock"`, POSIX, and all of them. */
  readonly capabilities?: Partial<ShellCapabilities> | undefined
}

/** The settings with their defaults. */
export interface MockShellSettings extends AdmissionOptions {
  readonly ordered: boolean
  readonly defaultTimeoutMillis: number
  readonly gracePeriod: Duration.Duration
  readonly drainGraceMillis: number
  readonly executable: (exec: ShellExec) => string
  readonly capabilities: ShellCapabilities
}

const allCapabilities: ShellCapabilities = {
  leaf: "mock",
  platform: "posix",
  groupKill: "native",
  escapees: true,
  orphans: true,
  limits: ["memoryBytes", "cpuSeconds", "processes", "fileSizeBytes"],
  exactOrder: true,
  pty: false,
  backPressure: true,
  resolvesPath: false,
}

const optionNames: Readonly<Record<keyof MockShellOptions, true>> = {
  ordered: true,
  concurrencyLimit: true,
  queueLimit: true,
  timeout: true,
  grace: true,
  drainGrace: true,
  executable: true,
  capabilities: true,
}

/**
 * Fills in the defaults.
 *
 * @throws {OptionError} for an option that is unknown or not a time span, or a limit under which no command would ever run.
 */
export const resolveMockSettings = (options: MockShellOptions): MockShellSettings => {
  refuseUnknownOptions("MockShell", options, optionNames)
  const capabilities = { ...allCapabilities, ...options.capabilities }
  const systemShell = capabilities.platform === "posix" ? "/bin/sh" : "C:\\Windows\\System32\\cmd.exe"
  return {
    ordered: options.ordered ?? false,
    concurrencyLimit: requireCount("MockShell", "concurrencyLimit", options.concurrencyLimit ?? 4, 1),
    queueLimit: requireCount("MockShell", "queueLimit", options.queueLimit ?? 1_000, 0),
    defaultTimeoutMillis: options.timeout === undefined ? Infinity : millisOf("timeout", options.timeout),
    gracePeriod: durationOf("grace", options.grace ?? 5_000),
    drainGraceMillis: millisOf("drainGrace", options.drainGrace ?? 100),
    executable: options.executable ?? ((exec) => exec.useShell ? systemShell : exec.command),
    capabilities,
  }
}
