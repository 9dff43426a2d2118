/** Checks values of the options of containers. */
import { OptionError, refuseUnknownOptions, requireBooleans, requireCount, showValue } from "../../base/OptionError.ts"
import type { ContainerLimits, ContainerMount, ContainerTmpfs } from "./ContainerSettings.ts"

type Check = (option: string, value: unknown) => void

interface OptionChecks {
  readonly refuse: (option: string, problem: string) => never
  /** A value that the engine would read as an option if it begins with a dash. */
  readonly name: Check
  readonly list: Check
  readonly words: Check
  readonly path: Check
}

export const makeOptionChecks = (where: string): OptionChecks => {
  const refuse = (option: string, problem: string): never => {
    throw new OptionError(option, `${where}: ${option} ${problem}`)
  }
  return {
    refuse,
    name: (option, value) => {
      if (value === undefined) return
      if (typeof value !== "string") return refuse(option, `must be a string, got ${showValue(value)}`)
      if (value === "" || value.startsWith("-") || /[\0\n]/.test(value)) {
        refuse(option, `cannot be ${showValue(value)}: it is empty, begins with "-", or has a line break`)
      }
    },
    list: (option, value) => {
      if (!Array.isArray(value)) refuse(option, `must be a list, got ${showValue(value)}`)
    },
    words: (option, value) => {
      const isWord = (word: unknown): boolean => typeof word === "string" && !word.includes("\0")
      if (!Array.isArray(value) || !value.every(isWord)) {
        refuse(option, `must be a list of strings, got ${showValue(value)}`)
      }
    },
    path: (option, value) => {
      if (typeof value !== "string" || !value.startsWith("/") || /[\0\n]/.test(value)) {
        refuse(option, `must be an absolute path, got ${showValue(value)}`)
      }
    },
  }
}

/** A mount with a misspelt `readOnly` could be written. */
const mountNames: Readonly<Record<keyof ContainerMount, true>> = { source: true, target: true, readOnly: true }

const tmpfsNames: Readonly<Record<keyof ContainerTmpfs, true>> = { target: true, maxBytes: true }

/** Checks the mounts of a container. */
export const checkMounts = (
  where: string,
  mounts: ReadonlyArray<ContainerMount>,
  tmpfs: ReadonlyArray<ContainerTmpfs>,
): void => {
  const check = makeOptionChecks(where)
  check.list("mounts", mounts)
  for (const mount of mounts) {
    refuseUnknownOptions(`${where} mounts`, mount, mountNames)
    requireBooleans(where, { "mounts.readOnly": mount.readOnly })
    check.path("mounts.source", mount.source)
    check.path("mounts.target", mount.target)
  }
  check.list("tmpfs", tmpfs)
  for (const each of tmpfs) {
    refuseUnknownOptions(`${where} tmpfs`, each, tmpfsNames)
    const { maxBytes, target } = each
    check.path("tmpfs.target", target)
    if (/[:,]/.test(target)) check.refuse("tmpfs.target", `cannot have ":" or ",": ${showValue(target)}`)
    if (maxBytes !== undefined) requireCount(where, "tmpfs.maxBytes", maxBytes, { min: 1 })
  }
}

/** Checks the limits of a container. */
export const checkContainerLimits = (where: string, limits: ContainerLimits): void => {
  refuseUnknownOptions(`${where} limits`, limits, { memoryBytes: true, processes: true, cpus: true })
  const { cpus, memoryBytes, processes } = limits
  if (memoryBytes !== undefined) requireCount(where, "limits.memoryBytes", memoryBytes, { min: 1 })
  if (processes !== undefined) requireCount(where, "limits.processes", processes, { min: 1 })
  if (cpus !== undefined && !(Number.isFinite(cpus) && cpus > 0)) {
    throw new OptionError("limits.cpus", `${where}: limits.cpus must be a number above zero, got ${showValue(cpus)}`)
  }
}
