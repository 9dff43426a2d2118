/**
 * Limits of all processes of a kernel, and of one job.
 *
 * @module
 */
export type { JobLimits, KernelLimits } from "../process/KernelLimits.ts"
