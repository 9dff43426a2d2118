/**
 * Exports the types of the limits of a kernel, and of one of its jobs.
 *
 * @module
 */
export type { JobLimits, KernelLimits } from "../process/KernelLimits.ts"
