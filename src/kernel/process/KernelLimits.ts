/** Declares the limits of a kernel and of its jobs, and resolves them into settings. */
import { type DurationInput, millisOf } from "../../base/duration.ts"
import { refuseUnknownOptions, requireCounts } from "../../base/OptionError.ts"

/**
 * Limits of a kernel: whole numbers, or `Infinity`. Exceeding one is an errno, or ends the process with that reason.
 */
export interface KernelLimits {
  /**
   * Maximum number of processes, including those that have ended and were not waited for. Beyond it: `-EAGAIN`.
   * Default: 1,024.
   */
  readonly maxProcesses?: number | undefined
  /** Maximum number of descriptors of one process. Beyond it: `-EMFILE`. Default: 1,024. */
  readonly maxDescriptors?: number | undefined
  /** Maximum number of open pipes. Beyond it: `-ENFILE`. Default: 4,096. */
  readonly maxPipes?: number | undefined
  /** Maximum bytes of arguments and environment of one process. Beyond it: `-E2BIG`. Default: 2,097,152. */
  readonly maxArgumentBytes?: number | undefined
  /**
   * Maximum pages (64 KiB) of memory of one WASM process. A program that needs more does not start, and cannot grow
   * further. Tables and garbage-collected objects of the engine are not counted. Default: 16,384 (1 GiB).
   */
  readonly maxMemoryPages?: number | undefined
  /**
   * Maximum pages of memory of all WASM processes together, checked at each of their calls. Default: 65,536 (4 GiB).
   */
  readonly maxTotalMemoryPages?: number | undefined
  /** Maximum number of programs in workers. Beyond it: `-EAGAIN`. Default: 64. */
  readonly maxWorkers?: number | undefined
  /** Maximum bytes that a pipe may hold if its WASM program cannot be suspended. Default: 67,108,864. */
  readonly maxSpoolBytes?: number | undefined
  /**
   * Maximum bytes of the lines that the utilities of all processes hold in memory at a time. Lines of up to 64 KiB are
   * not counted. Beyond it the utility fails. Default: 8,388,608.
   */
  readonly maxLineBytes?: number | undefined
  /**
   * Maximum bytes (approximate) of the values that the shells and the utilities of all processes hold at a time:
   * variables, arrays of `awk` and `bc`, values of `jq`, here-documents. Beyond it the program fails. A subshell counts
   * those of its parent, too; each process has 1 MiB that is not counted. Default: 536,870,912.
   */
  readonly maxValueBytes?: number | undefined
  /** Time after which a process is killed. Default: no limit. */
  readonly processTimeout?: DurationInput | undefined
}

/**
 * Limits of a job: a process that the host started, with all its descendants. `maxProcesses` counts the whole job, the
 * others are as in {@link KernelLimits}. They can only lower the limits of the kernel.
 */
export type JobLimits = Pick<KernelLimits, "maxDescriptors" | "maxMemoryPages" | "maxProcesses">

type CountName = Exclude<keyof KernelLimits, "processTimeout">

export interface KernelLimitSettings extends Readonly<Record<CountName, number>> {
  /** `Infinity`: no limit. */
  readonly processTimeoutMillis: number
}

const counts: Readonly<Record<CountName, number>> = {
  maxProcesses: 1_024,
  maxDescriptors: 1_024,
  maxPipes: 4_096,
  maxArgumentBytes: 2_097_152,
  maxMemoryPages: 16_384,
  maxTotalMemoryPages: 65_536,
  maxWorkers: 64,
  maxSpoolBytes: 67_108_864,
  maxLineBytes: 8_388_608,
  maxValueBytes: 536_870_912,
}

/** Every limit of a kernel: a limit with another name is refused. */
export const kernelLimitNames: Readonly<Record<keyof KernelLimits, unknown>> = { ...counts, processTimeout: true }

/** Fills in the defaults. Throws an `OptionError` for an unknown or invalid limit. */
export const resolveKernelLimits = (
  where: string,
  limits: KernelLimits = {},
  names: Readonly<Record<string, unknown>> = kernelLimitNames,
): KernelLimitSettings => {
  refuseUnknownOptions(`${where}: limits`, limits, names)
  return {
    ...requireCounts(where, "limits.", limits, counts),
    processTimeoutMillis: millisOf("limits.processTimeout", limits.processTimeout ?? Infinity),
  }
}

const noJobLimits: Readonly<Record<keyof JobLimits, number>> = {
  maxDescriptors: Infinity,
  maxMemoryPages: Infinity,
  maxProcesses: Infinity,
}

/** Lowers the limits of a kernel to those of a job. Throws an `OptionError` for an unknown or invalid limit. */
export const tightenLimits = (settings: KernelLimitSettings, limits: JobLimits): KernelLimitSettings => {
  refuseUnknownOptions("Kernel.start: limits", limits, noJobLimits)
  const job = requireCounts("Kernel.start", "limits.", limits, noJobLimits)
  return {
    ...settings,
    maxDescriptors: Math.min(settings.maxDescriptors, job.maxDescriptors),
    maxMemoryPages: Math.min(settings.maxMemoryPages, job.maxMemoryPages),
    maxProcesses: Math.min(settings.maxProcesses, job.maxProcesses),
  }
}
