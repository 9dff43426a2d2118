/** Implements the `free` utility, which shows the memory of the sandbox. */
import type { Program, System } from "../../System.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"

/** Memory in bytes. */
export interface MemoryUsage {
  readonly total: number
  readonly used: number
}

/** Limits of files in memory and of values, and the size of the files: each program counts its values alone. */
export const memoryOf = (system: System): MemoryUsage => {
  const volumes = system.volumes().filter(({ maxBytes }) => maxBytes > 0 && maxBytes !== Infinity)
  const sum = (of: "maxBytes" | "usedBytes"): number => volumes.reduce((total, volume) => total + volume[of], 0)
  const values = system.maxValueBytes === Infinity ? 0 : system.maxValueBytes
  return { total: sum("maxBytes") + values, used: sum("usedBytes") }
}

const columns = (wide: boolean): ReadonlyArray<string> => [
  ...["total", "used", "free", "shared"],
  ...(wide ? ["buffers", "cache"] : ["buff/cache"]),
  "available",
]

/** `free [-bghkmtw] [--si]`: shows the memory of the sandbox; it has no swap. Source: free(1) of procps-ng. */
export const free: Program = defineUtility(
  "free",
  "b|bytes k|kibi m|mebi g|gibi kilo mega giga h|human si t|total w|wide",
  (io) => {
    const { total, used } = memoryOf(io.system)
    const format = formatOf(io)
    const row = (title: string, values: ReadonlyArray<number>): void =>
      io.print(`${title.padEnd(8)}${values.map((value) => format(value).padStart(12)).join("")}\n`)
    const left = Math.max(0, total - used)
    io.print(`${" ".repeat(8)}${columns(io.has("w")).map((title) => title.padStart(12)).join("")}\n`)
    // Files in memory are shared memory, as on a tmpfs; there is no cache.
    row("Mem:", [total, used, left, used, ...(io.has("w") ? [0, 0] : [0]), left])
    row("Swap:", [0, 0, 0])
    if (io.has("t")) row("Total:", [total, used, left])
  },
  { maxOperands: 0 },
)

const powers: ReadonlyMap<string, readonly [base: number, power: number]> = new Map([
  ...[["b", [1, 1]], ["m", [1024, 2]], ["g", [1024, 3]]] as const,
  ...[["kilo", [1000, 1]], ["mega", [1000, 2]], ["giga", [1000, 3]]] as const,
])

const formatOf = (io: UtilityIo): (bytes: number) => string => {
  const [option = "k"] = io.lastOf("b", "k", "m", "g", "kilo", "mega", "giga", "h") ?? []
  const isSi = io.has("si")
  if (option === "h") return (bytes) => formatHuman(bytes, isSi)
  const [base, power] = powers.get(option) ?? [1024, 1]
  return (bytes) => `${Math.trunc(bytes / (isSi && base === 1024 ? 1000 : base) ** power)}`
}

const formatHuman = (bytes: number, isSi: boolean): string => {
  const base = isSi ? 1000 : 1024
  let [value, power] = [bytes, 0]
  while (value >= base && power < 5) [value, power] = [value / base, power + 1]
  if (power === 0) return `${value}B`
  return `${value < 9.95 ? value.toFixed(1) : Math.trunc(value)}${"KMGTP"[power - 1] ?? ""}${isSi ? "" : "i"}`
}
