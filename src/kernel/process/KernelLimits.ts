/**
 * Declares the limits of a kernel and of jobs, and their defaults.
 *
 * @module
 */

/** Limits of a kernel. Each ends in an errno, or ends the process and says so in how it ended. */
export interface KernelLimits {
  /** Processes at a time, those that ended and are not waited for included. More is `-EAGAIN`. Default: 1,024. */
  readonly processes: number
  /** Descriptors of one process. More is `-EMFILE`. Default: 1,024. */
  readonly descriptors: number
  /** Pipes at a time. More is `-ENFILE`. Default: 4,096. */
  readonly pipes: number
  /** Bytes of arguments and environment of one process. More is `-E2BIG`. Default: 2,097,152. */
  readonly argumentBytes: number
  /**
   * Pages (64 KiB) of memory of one WASM process. A program that needs more does not start, and grows no further. What an
   * engine holds besides (tables, objects that it collects itself) is not counted. Default: 16,384 (1 GiB).
   */
  readonly memoryPages: number
  /** Pages of memory of all WASM processes together, looked at whenever one makes a call. Default: 65,536 (4 GiB). */
  readonly totalMemoryPages: number
  /** Programs that run in workers at a time. More is `-EAGAIN`. Default: 64. */
  readonly workers: number
  /** Milliseconds that one process may live. It is killed then. Default: no limit. */
  readonly wallTimeMillis: number
  /** Bytes that a pipe may hold where a WASM program cannot be suspended. Default: 67,108,864. */
  readonly spoolBytes: number
}

/**
 * Limits of what one start of the host brings about. `processes` are those of it together, those that ended and are not
 * waited for included; the others are as in {@link KernelLimits}, and go only below those of the kernel.
 */
export type JobLimits = Partial<Pick<KernelLimits, "descriptors" | "memoryPages" | "processes">>

/** The tighter of two limits, each. */
export const tightenLimits = (
  limits: KernelLimits,
  { descriptors, memoryPages, processes }: JobLimits,
): KernelLimits => ({
  ...limits,
  descriptors: Math.min(limits.descriptors, descriptors ?? Infinity),
  memoryPages: Math.min(limits.memoryPages, memoryPages ?? Infinity),
  processes: Math.min(limits.processes, processes ?? Infinity),
})

/** The limits of a kernel that is given none. */
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
