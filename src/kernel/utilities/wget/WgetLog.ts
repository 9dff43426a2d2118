/** Writes those messages of wget that `-q` and `-nv` allow. */
import { strftime } from "../../strftime.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"

export class WgetLog {
  readonly #io: UtilityIo
  readonly #level: "quiet" | "brief" | "full"

  constructor(io: UtilityIo) {
    this.#io = io
    this.#level = io.has("q")
      ? "quiet"
      : io.has("no-verbose") && io.lastOf("v", "no-verbose")?.[0] !== "v"
      ? "brief"
      : "full"
  }

  /** A message of the usual form. */
  full(text: string): void {
    if (this.#level === "full") this.#io.err.putText(text)
  }

  /** A message of `-nv`. */
  brief(text: string): void {
    if (this.#level === "brief") this.#io.err.putText(text)
  }

  /** A failure. */
  error(text: string): void {
    if (this.#level !== "quiet") this.#io.err.putText(text)
  }

  get time(): string {
    return strftime("%Y-%m-%d %H:%M:%S", this.#io.system.now(), this.#io.zone)
  }
}

const units = ["", "K", "M", "G", "T"]

/** A size as wget shows it: `21K`, `1.5M`. */
export const shortSize = (bytes: number): string => {
  const at = Math.max(0, Math.min(units.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10)))
  const value = bytes / 1024 ** at
  return `${at > 0 && value < 9.95 ? value.toFixed(1) : Math.round(value)}${units[at] ?? ""}`
}

export const speedText = (bytes: number, millis: number): string => {
  const speed = bytes / Math.max(millis / 1000, 0.001)
  const at = speed < 1024 ? 0 : speed < 1_048_576 ? 1 : speed < 1_073_741_824 ? 2 : 3
  const value = speed / 1024 ** at
  const digits = at === 0 || value >= 99.5 ? 0 : value >= 9.95 ? 1 : 2
  return `${value.toFixed(digits)} ${["B/s", "KB/s", "MB/s", "GB/s"][at]}`
}
