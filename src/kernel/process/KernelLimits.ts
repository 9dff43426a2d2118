/**
 * Declares the limits of a kernel and of jobs, and their defaults.
 *
 * @module
 */

/**
 * Limits of a kernel. Exceeding one is an errno, or ends the process with that reason.
 *
 * @stability experimental
 */
export interface KernelLimits {
  /** Processes at a time, including those that have ended and were not waited for. Beyond it: `-EAGAIN`. Default: 1,024. */
  readonly processes: number
  /** Descriptors of one process. Beyond it: `-EMFILE`. Default: 1,024. */
  readonly descriptors: number
  /** Pipes at a time. Beyond it: `-ENFILE`. Default: 4,096. */
  readonly pipes: number
  /** Bytes of arguments and environment of one process. Beyond it: `-E2BIG`. Default: 2,097,152. */
  readonly argumentBytes: number
  /**
   * Pages (64 KiB) of memory of one WASM process. A program that needs more does not start, and cannot grow further.
   * Tables and garbage-collected objects of the engine are not counted. Default: 16,384 (1 GiB).
   */
  readonly memoryPages: number
  /** Pages of memory of all WASM processes together, checked at each of their calls. Default: 65,536 (4 GiB). */
  readonly totalMemoryPages: number
  /** Programs in workers at a time. Beyond it: `-EAGAIN`. Default: 64. */
  readonly workers: number
  /** Milliseconds after which a process is killed. Default: no limit. */
  readonly wallTimeMillis: number
  /** Bytes that a pipe may hold where a WASM program cannot be suspended. Default: 67,108,864. */
  readonly spoolBytes: number
}

/**
 * Limits of a job: a process that the host started, with all its descendants. `processes` counts the whole job, the others
 * are as in {@link KernelLimits}. They can only lower the limits of the kernel.
 *
 * @stability experimental
 */
export type JobLimits = Partial<Pick<KernelLimits, "descriptors" | "memoryPages" | "processes">>

/** Lowers limits to those of a job. */
export const tightenLimits = (
  limits: KernelLimits,
  { descriptors, memoryPages, processes }: JobLimits,
): KernelLimits => ({
  ...limits,
  descriptors: Math.min(limits.descriptors, descriptors ?? Infinity),
  memoryPages: Math.min(limits.memoryPages, memoryPages ?? Infinity),
  processes: Math.min(limits.processes, processes ?? Infinity),
})

/** The default limits of a kernel. */
export const defaultKernelLimits: KernelLimits = {
  processes: 1_024,
  descriptors: 1_024,
  pipes: 4_096,
  argumentBytes: 2_097_152,
  memoryPages: 16_384,
  totalMemoryPages: 65_536,
  workers: 64,
  wallTimeMillis: Infinity,
  spoolBytes: 67_108_864,
}
