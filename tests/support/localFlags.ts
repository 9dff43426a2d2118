import type { ContractFlags } from "./contract/target.ts"

/** A local leaf with all permissions, on a POSIX system. */
export const localFlags: ContractFlags = {
  files: true,
  trees: true,
  escapees: true,
  runaways: process.platform === "linux",
  backPressure: true,
  limits: process.platform === "linux",
  clock: true,
  resolvesPath: true,
}
