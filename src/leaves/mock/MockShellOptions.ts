/**
 * Settings of a mock.
 *
 * @module
 */
import type * as Duration from "effect/Duration"
import { type DurationInput, durationOf, millisOf } from "../../base/duration.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import type { AdmissionOptions } from "../../shell/Admission.ts"
import type { ShellCapabilities } from "../../shell/ShellCapabilities.ts"

/** Settings of a mock; those of a local leaf have its defaults. */
export interface MockShellOptions {
  /** The rules serve in their order, each once, and no other command may come between. Default: `false`. */
  readonly ordered?: boolean | undefined
  /** Commands that run at once. Default: 4. */
  readonly concurrencyLimit?: number | undefined
  /** Commands that wait for a place, in order; the next is `Throttled`. Default: 1,000. */
  readonly queueLimit?: number | undefined
  /** Timeout of commands that name none. Default: none. */
  readonly timeout?: DurationInput | undefined
  /** Time between SIGTERM and SIGKILL of commands that name none. Default: 5 s. */
  readonly grace?: DurationInput | undefined
  /** Silence after which a pipe is given up that a process left behind holds. Default: 100 ms. */
  readonly drainGrace?: DurationInput | undefined
  /** The file that events say has run. Default: the command as it is, and the system's shell for a script. */
  readonly executable?: ((exec: ShellExec) => string) | undefined
  /** What the leaf says of itself, where that matters. Default: `leaf: "mock"`, POSIX, and that it can do everything. */
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

const everything: ShellCapabilities = {
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

const atLeast = (least: number, name: string, value: number): number => {
  if (value === Infinity || (Number.isInteger(value) && value >= least)) return value
  throw new RangeError(`MockShell: ${name} is a whole number of at least ${least}, or Infinity; not ${value}`)
}

/** Fills in the defaults. Throws a `RangeError` for limits under which nothing would ever run. */
export const settingsOf = (options: MockShellOptions): MockShellSettings => {
  const capabilities = { ...everything, ...options.capabilities }
  const systemShell = capabilities.platform === "posix" ? "/bin/sh" : "C:\\Windows\\System32\\cmd.exe"
  return {
    ordered: options.ordered ?? false,
    concurrencyLimit: atLeast(1, "concurrencyLimit", options.concurrencyLimit ?? 4),
    queueLimit: atLeast(0, "queueLimit", options.queueLimit ?? 1_000),
    defaultTimeoutMillis: options.timeout === undefined ? Infinity : millisOf("timeout", options.timeout),
    gracePeriod: durationOf("grace", options.grace ?? 5_000),
    drainGraceMillis: millisOf("drainGrace", options.drainGrace ?? 100),
    executable: options.executable ?? ((exec) => exec.useShell ? systemShell : exec.command),
    capabilities,
  }
}
