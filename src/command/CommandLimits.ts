/** Declares the Schema of the resource limits of one command, which the operating system enforces (setrlimit(2)). */
import * as Schema from "effect/Schema"

const Positive: Schema.Int = Schema.Int.check(Schema.isGreaterThan(0))

/**
 * Schema of a command's resource limits. Each is a whole number above zero:
 *
 * - `memoryBytes`: address space of each process (`RLIMIT_AS`); beyond it allocations fail.
 * - `cpuSeconds`: processor time of each process (`RLIMIT_CPU`); beyond it the process gets SIGXCPU.
 * - `processes`: processes and threads of the user (`RLIMIT_NPROC`); beyond it fork fails. The kernel does not apply it
 *   to root, so a leaf that runs as root refuses it.
 * - `fileSizeBytes`: size of a file that is written (`RLIMIT_FSIZE`); beyond it the process gets SIGXFSZ.
 *
 * A leaf that cannot enforce a requested limit refuses the command.
 */
export const CommandLimits: Schema.Struct<{
  readonly memoryBytes: Schema.optionalKey<typeof Schema.Int>
  readonly cpuSeconds: Schema.optionalKey<typeof Schema.Int>
  readonly processes: Schema.optionalKey<typeof Schema.Int>
  readonly fileSizeBytes: Schema.optionalKey<typeof Schema.Int>
}> = Schema.Struct({
  memoryBytes: Schema.optionalKey(Positive),
  cpuSeconds: Schema.optionalKey(Positive),
  processes: Schema.optionalKey(Positive),
  fileSizeBytes: Schema.optionalKey(Positive),
})

export type CommandLimits = typeof CommandLimits.Type
