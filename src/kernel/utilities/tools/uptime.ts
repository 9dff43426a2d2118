/** Implements the `uptime` utility, which shows how long the kernel has run. */
import { strftime } from "../../strftime.ts"
import type { Program } from "../../System.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"

const plural = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? "" : "s"}`

/** The clock, the time since the start, users and load: the first line of `top`. */
export const formatUptime = (io: UtilityIo): string => {
  const minutes = Number(io.system.monotonic() / 60_000_000_000n)
  const [days, hours, rest] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24, minutes % 60]
  const day = days > 0 ? `${plural(days, "day")}, ` : ""
  const time = hours > 0 ? `${String(hours).padStart(2)}:${String(rest).padStart(2, "0")}` : `${rest} min`
  const clock = strftime("%H:%M:%S", io.system.now(), io.zone)
  return ` ${clock} up ${day}${time},  0 user,  load average: 0.00, 0.00, 0.00`
}

/** `uptime [-ps]`: shows how long the sandbox has run; it has no users and no load. Source: uptime(1). */
export const uptime: Program = defineUtility("uptime", "p|pretty s|since", (io) => {
  const up = io.system.monotonic()
  if (io.has("s")) io.print(`${strftime("%Y-%m-%d %H:%M:%S", io.system.now() - up, io.zone)}\n`)
  else if (io.has("p")) {
    const minutes = Number(up / 60_000_000_000n)
    const [days, hours, rest] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24, minutes % 60]
    const parts = [days > 0 && plural(days, "day"), hours > 0 && plural(hours, "hour"), plural(rest, "minute")]
    io.print(`up ${parts.filter((part) => part !== false).join(", ")}\n`)
  } else io.print(`${formatUptime(io)}\n`)
}, { maxOperands: 0 })
